"""Graders of gates.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.context_decoder import ContextDecoder
from common.nn.recurrent import HiddenState
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, finite_difference, task

MUTANTS = [
    ("9.3", "return dy.logistic(", "return dy.tanh("),
    ("9.3", "return dy.logistic(", "return ("),
    (
        "9.3",
        "return dy.logistic(model.W_o * word.embedded + model.U_o * before + C_alpha * alpha + C_beta * beta)",
        "return dy.logistic(-(model.W_o * word.embedded + model.U_o * before + C_alpha * alpha + C_beta * beta))",
    ),
    ("9.3", "return dy.logistic(", "return dy.softmax("),
    ("9.3", "model.W_o * word.embedded + ", ""),
    ("9.3", "model.U_o * before + ", ""),
    ("9.3", "C_alpha * alpha + ", ""),
    ("9.3", " + C_beta * beta)", ")"),
    ("9.3", "C_alpha, C_beta = model.C_o", "C_beta, C_alpha = model.C_o"),
    ("9.3", "C_alpha, C_beta = model.C_o", "C_alpha = C_beta = model.C_o[0]"),
    ("9.3", "model.U_o * before", "model.W_o * before"),
    ("9.3", "model.U_o * before", "dy.transpose(model.U_o) * before"),
    ("9.3", "model.U_o * before", "model.U_o.expr() * before"),
    ("9.3", "C_beta * beta", "C_beta.expr() * beta"),
    ("9.4", "[dy.cmult(gate, alpha), dy.cmult(-gate + 1, beta)]", "[dy.cmult(gate, alpha), dy.cmult(gate, beta)]"),
    ("9.4", "[dy.cmult(gate, alpha), dy.cmult(-gate + 1, beta)]", "[dy.cmult(-gate + 1, alpha), dy.cmult(gate, beta)]"),
    ("9.4", "[dy.cmult(gate, alpha), dy.cmult(-gate + 1, beta)]", "[dy.cmult(-gate + 1, beta), dy.cmult(gate, alpha)]"),
    ("9.4", "dy.cmult(-gate + 1, beta)", "dy.cmult(-gate, beta)"),
    ("9.4", "dy.cmult(-gate + 1, beta)", "beta"),
    ("9.4", "[dy.cmult(gate, alpha), ", "[alpha, "),
    ("9.4", "dy.cmult(-gate + 1, beta)", "dy.cmult(dy.nobackprop(-gate + 1), beta)"),
    ("9.4", "dy.cmult(gate, alpha)", "alpha * dy.mean_elems(gate)"),
    ("9.4", "gated_contexts(gate, contexts), layers)", "contexts, layers)"),
    ("9.4", "gated_contexts(gate, contexts), layers)", "gated_contexts(gate, contexts)[::-1], layers)"),
]

H = 2
W_O, U_O, C_ALPHA, C_BETA = (
    np.array(one)
    for one in (
        [[1.0, -0.5], [0.25, 2.0]],
        [[0.5, 1.5], [-1.0, 0.75]],
        [[-0.3, 0.6], [1.2, 0.1]],
        [[0.8, -0.2], [0.4, -0.9]],
    )
)


def parameters(scale=1.0):
    """The gate's matrices; the collection must be kept."""
    collection = dy.ParameterCollection()
    W_o, U_o, *C_o = (
        collection.add_parameters(one.shape, init=dy.NumpyInitializer(scale * one))
        for one in (W_O, U_O, C_ALPHA, C_BETA)
    )
    return collection, SimpleNamespace(W_o=W_o, U_o=U_o, C_o=C_o)


def drawn(batch, seed=4):
    """y, s, c_alpha and c_beta, each (H, B)."""
    return np.random.default_rng(seed).normal(size=(4, H, batch))


def gate_of(parts, matrices=(W_O, U_O, C_ALPHA, C_BETA)):
    return 1 / (1 + np.exp(-sum(matrix @ part for matrix, part in zip(matrices, parts, strict=True))))


def numbers(found, batch, what):
    """The numbers of an expression (H,) x B as an array (H, B)."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    dimensions, own = found.dim()
    check(dimensions == (H,) and own == batch, f"{what}: it must be ({H},) x {batch}, yours is {dimensions} x {own}")
    return np.reshape(found.npvalue(), (H, batch), order="F")


def ask(work, weights, parts, what):
    y, s, alpha, beta = (input_batch(one) for one in parts)
    return numbers(work.gate(weights, work.Word(y), s, [alpha, beta]), parts[0].shape[1], what)


@task("9.3")
def test_a_gate_by_hand(work):
    collection, weights = parameters()
    parts = np.array([[[2.0], [1.0]], [[-1.0], [0.5]], [[1.0], [3.0]], [[0.5], [-2.0]]])
    inside = np.array([2.0 - 0.5 - 0.5 + 0.75 - 0.3 + 1.8 + 0.4 + 0.4, 0.5 + 2.0 + 1.0 + 0.375 + 1.2 + 0.3 + 0.2 + 1.8])
    what = "y = (2, 1), s = (-1, 0.5), c^alpha = (1, 3), c^beta = (0.5, -2)"
    found = ask(work, weights, parts, what)
    check(((found > 0) & (found < 1)).all(), f"{what}: a gate is between 0 and 1: was the sigmoid forgotten?")
    expected = 1 / (1 + np.exp(-inside))
    close(found[:, 0], expected, f"{what}: the sigmoid of all four products, each with its own matrix", tolerance=1e-5)


@task("9.3")
def test_gates_of_batches(work):
    for batch in (1, 3):
        dy.renew_cg()
        collection, weights = parameters()
        parts, what = drawn(batch), f"{batch} sentences"
        close(ask(work, weights, parts, what), gate_of(parts), f"{what}: each has a gate of its own", tolerance=1e-5)


@task("9.3")
def test_all_four_are_asked(work):
    for place, name in enumerate(("y_{i-1}", "s_{i-1}", "c^alpha", "c^beta")):
        dy.renew_cg()
        collection, weights = parameters()
        parts = drawn(2)
        before = ask(work, weights, parts, "a gate")
        parts[place] += 0.5
        change = np.abs(ask(work, weights, parts, "a gate") - before).max()
        check(change > 1e-4, f"another {name} must give another gate; it is one of the four that are asked")


@task("9.3")
def test_large_numbers(work):
    collection, weights = parameters(scale=100.0)
    parts = drawn(3)
    found = ask(work, weights, parts, "sums of some hundreds inside the sigmoid")
    check(np.isfinite(found).all(), "sums of some hundreds inside the sigmoid: the gate must stay a finite number")
    expected = (sum(one @ part for one, part in zip((W_O, U_O, C_ALPHA, C_BETA), parts, strict=True)) > 0).astype(float)
    close(found, expected, "sums of some hundreds: such a gate is as good as open, 1, or closed, 0", tolerance=1e-3)


@task("9.3")
def test_every_matrix_learns(work):
    collection, weights = parameters()
    parts = drawn(3)
    y, s, alpha, beta = (input_batch(one) for one in parts)
    loss = dy.sum_batches(dy.sum_elems(dy.square(work.gate(weights, work.Word(y), s, [alpha, beta]))))
    loss.value()
    loss.backward()
    values = [one.copy() for one in (W_O, U_O, C_ALPHA, C_BETA)]
    learnt = (weights.W_o, weights.U_o, *weights.C_o)
    for name, weight, array in zip(("W_o", "U_o", "C_o^alpha", "C_o^beta"), learnt, values, strict=True):
        expected = finite_difference(lambda: float((gate_of(parts, values) ** 2).sum()), array)
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), expected, message, tolerance=2e-3)


@task("9.3")
def test_the_chapter_agrees(work):
    from chapters.word_attention.model import WordAttentionModel

    model = WordAttentionModel(Vocabulary(["a"]), Vocabulary(["b"]), hidden_size=H, init_scale=0.9)
    y, s, alpha, beta = (input_batch(one) for one in drawn(3))
    word = model.read(dy.reshape(y, (H, 1), 3)).at(0)
    expected = model.gate(word, s, [alpha, beta]).npvalue()
    close(work.gate(model, word, s, [alpha, beta]), expected, "the chapter's gates", tolerance=1e-5)


def gated(work, o, alpha, beta, what):
    found = work.gated_contexts(input_batch(o), [input_batch(alpha), input_batch(beta)])
    check(isinstance(found, (list, tuple)), f"{what}: a list of two contexts is asked for")
    equal(len(found), 2, f"{what}: two contexts come in, and two go out")
    return [numbers(one, o.shape[1], what) for one in found]


@task("9.4")
def test_gated_contexts_by_hand(work):
    o, alpha, beta = np.array([[0.25], [0.8]]), np.array([[4.0], [5.0]]), np.array([[8.0], [-10.0]])
    what = "o = (0.25, 0.8), c^alpha = (4, 5), c^beta = (8, -10)"
    first, second = gated(work, o, alpha, beta, what)
    close(first[:, 0], np.array([1.0, 4.0]), f"{what}: of c^alpha, o is let through, number by number", tolerance=1e-5)
    close(
        second[:, 0], np.array([6.0, -2.0]), f"{what}: of c^beta, what o has not taken is let through", tolerance=1e-5
    )


@task("9.4")
def test_gated_contexts_of_batches(work):
    for batch in (1, 3):
        dy.renew_cg()
        o, (_, _, alpha, beta) = np.random.default_rng(1).random((H, batch)), drawn(batch)
        first, second = gated(work, o, alpha, beta, f"{batch} sentences")
        close(first, o * alpha, f"{batch} sentences: c^alpha of each by its own gate", tolerance=1e-5)
        close(second, (1 - o) * beta, f"{batch} sentences: c^beta of each by its own gate", tolerance=1e-5)


@task("9.4")
def test_a_gate_learns_from_both(work):
    collection = dy.ParameterCollection()
    o = collection.add_parameters((H,), init=dy.NumpyInitializer(np.array([0.25, 0.5])))
    first, second = work.gated_contexts(o * 1.0, [dy.inputVector([4.0, 5.0]), dy.inputVector([8.0, -10.0])])
    loss = dy.sum_elems(first) + dy.sum_elems(second) * 2
    loss.value()
    loss.backward()
    message = "the gradient of the gate: it comes through both contexts, with opposite signs"
    close(o.grad_as_array(), np.array([4.0 - 16.0, 5.0 + 20.0]), message, tolerance=1e-4)


class Decoder:
    """s_i = tanh(projected + U s_{i-1} + A a + B b): plain enough to be written out in NumPy."""

    U, A, B = W_O, C_ALPHA, C_BETA

    def step(self, projected, contexts, layers):
        first, second = contexts
        U, A, B = (dy.inputTensor(one) for one in (self.U, self.A, self.B))
        return [HiddenState(dy.tanh(projected + U * layers[-1].hidden + A * first + B * second))]

    def numbers(self, projected, state, first, second):
        return np.tanh(projected + self.U @ state + self.A @ first + self.B @ second)


def stepped(work, decoder, o, projected, state, alpha, beta, what):
    layers = [HiddenState(input_batch(state))]
    both = [input_batch(alpha), input_batch(beta)]
    after = work.gated_state(decoder, input_batch(projected), layers, input_batch(o), both)
    check(
        isinstance(after, (list, tuple)) and after,
        f"{what}: the states of all layers are asked for, as step gives them",
    )
    return numbers(after[-1].hidden, o.shape[1], what)


@task("9.4")
def test_a_gated_state(work):
    for batch in (1, 3):
        dy.renew_cg()
        parts, o, what = drawn(batch), np.random.default_rng(1).random((H, batch)), f"{batch} sentences"
        found = stepped(work, Decoder(), o, *parts, what)
        projected, state, alpha, beta = parts
        expected = Decoder().numbers(projected, state, o * alpha, (1 - o) * beta)
        message = f"{what}: s_i from the gated contexts, that of the annotations first"
        close(found, expected, message, tolerance=1e-5)


@task("9.4")
def test_gates_that_are_open_or_closed(work):
    """The course's own decoder: at its extremes a gate gives back the model that has only one of the contexts."""
    collection = dy.ParameterCollection()
    decoder = ContextDecoder(collection, "gru", H, 1, 0.9, [H, H])
    projected = np.random.default_rng(3).normal(size=(3 * H, 2))
    _, state, alpha, beta = drawn(2)
    for value, kept, name in ((1.0, alpha, "c^alpha"), (0.0, beta, "c^beta")):
        only = [input_batch(kept), dy.zeros((H,), batch_size=2)]
        only = only if value else only[::-1]
        expected = decoder.step(input_batch(projected), only, [HiddenState(input_batch(state))])[-1].hidden.npvalue()
        what = f"a gate of {value:.0f} everywhere"
        found = stepped(work, decoder, np.full((H, 2), value), projected, state, alpha, beta, what)
        close(found, expected, f"{what}: the state must be that of a model that reads {name} alone", tolerance=1e-5)
