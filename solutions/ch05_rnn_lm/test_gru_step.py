"""Graders of gru_step.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.cells import GRU
from common.nn.recurrent import HiddenState
from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    (
        "5.4",
        "dy.cmult(-z + 1, state.hidden) + dy.cmult(z, candidate)",
        "dy.cmult(z, state.hidden) + dy.cmult(-z + 1, candidate)",
    ),
    ("5.4", "layer.W_hh * dy.cmult(r, h)", "dy.cmult(r, layer.W_hh * h)"),
    ("5.4", "layer.W_hh * dy.cmult(r, h)", "layer.W_hh * h"),
    ("5.4", "layer.W_hh * dy.cmult(r, h)", "layer.W_hh * dy.cmult(z, h)"),
    ("5.4", "candidate = dy.tanh(candidate + ", "candidate = dy.logistic(candidate + "),
    (
        "5.4",
        "r, z = dy.pick_range(gates, 0, H), dy.pick_range(gates, H, 2 * H)",
        "z, r = dy.pick_range(gates, 0, H), dy.pick_range(gates, H, 2 * H)",
    ),
    ("5.4", "dy.cmult(-z + 1, state.hidden)", "dy.cmult(-z + 1, h)"),
    ("5.4", "h = state.hidden if mask is None else dy.cmult(state.hidden, mask)", "h = state.hidden"),
    ("5.4", "dy.logistic(gates + layer.W_hg * h)", "dy.logistic(gates)"),
    ("5.4", "dy.logistic(gates + layer.W_hg * h)", "dy.logistic(gates + layer.W_hg.expr() * h)"),
    ("5.4", "dy.cmult(dy.logistic(dy.pick_range(gates, H, 2 * H)), dy.tanh(candidate))", "dy.tanh(candidate)"),
]

H = 2
W_HG = np.array([[0.5, -1.0], [0.2, 0.3], [-0.4, 0.8], [1.0, 0.6]])
W_HH = np.array([[0.7, -0.2], [-0.9, 0.35]])
PROJECTED = np.array([0.4, -0.3, 1.1, 0.2, -0.7, 0.9])
STATE = np.array([0.5, -1.25])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell_of(projected, h, W_hg=W_HG, W_hh=W_HH, mask=1.0):
    """The equations with plain NumPy, for columns: projected (3H, B), h (H, B)."""
    r, z = np.split(sigmoid(projected[: 2 * H] + W_hg @ (mask * h)), 2)
    candidate = np.tanh(projected[2 * H :] + W_hh @ (r * mask * h))
    return (1 - z) * h + z * candidate


def make_layer():
    """What the exercise may use of a layer; the collection must be kept."""
    collection = dy.ParameterCollection()
    W_hg, W_hh = (collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (W_HG, W_HH))
    return collection, SimpleNamespace(hidden_size=H, W_hg=W_hg, W_hh=W_hh)


def batch_of(array):
    """An array (R, B) as an expression (R,) x B."""
    return dy.reshape(dy.inputTensor(array.ravel(order="F")), (len(array),), array.shape[1])


def agrees(found, expected, what):
    """Compare a state with an array (H, B)."""
    check(isinstance(found, HiddenState), "the result is a HiddenState(hidden)")
    check(isinstance(found.hidden, dy.Expression), "h_t is an expression, not its value")
    (rows,), batch = found.hidden.dim()
    check((rows, batch) == expected.shape, f"h_t must be ({H},) x {expected.shape[1]}, yours is ({rows},) x {batch}")
    close(np.reshape(found.hidden.npvalue(), (rows, batch), order="F"), expected, f"h_t {what}", tolerance=1e-5)


@task("5.4")
def test_the_first_step(work):
    collection, layer = make_layer()
    found = work.gru_cell(layer, dy.inputVector(PROJECTED), None)
    expected = np.array([[sigmoid(1.1) * np.tanh(-0.7)], [sigmoid(0.2) * np.tanh(0.9)]])
    agrees(found, expected, "without a state before it, which is zero: h_t = z * h~")


@task("5.4")
def test_a_step_by_hand(work):
    collection, layer = make_layer()
    found = work.gru_cell(layer, dy.inputVector(PROJECTED), HiddenState(dy.inputVector(STATE)))
    r, z = (sigmoid(1.9), sigmoid(-0.575)), (sigmoid(-0.1), sigmoid(-0.05))  # projected + W_hg h
    candidate = (
        np.tanh(-0.7 + 0.7 * r[0] * 0.5 - 0.2 * r[1] * -1.25),
        np.tanh(0.9 - 0.9 * r[0] * 0.5 + 0.35 * r[1] * -1.25),
    )
    expected = np.array([[(1 - z[n]) * (0.5, -1.25)[n] + z[n] * candidate[n]] for n in range(H)])
    agrees(found, expected, "after h = 0.5, -1.25; which block is which gate?")


@task("5.4")
def test_a_batch_is_its_columns(work):
    collection, layer = make_layer()
    rng = np.random.default_rng(2)
    projected, h = rng.normal(size=(3 * H, 3)), rng.normal(size=(H, 3))
    found = work.gru_cell(layer, batch_of(projected), HiddenState(batch_of(h)))
    agrees(found, cell_of(projected, h), "of three sentences side by side, each its own column")


@task("5.4")
def test_gates_at_their_extremes(work):
    collection, layer = make_layer()
    layer.W_hg.set_value(np.zeros_like(W_HG))
    state, big, new = HiddenState(dy.inputVector(STATE)), np.array([50.0, 50.0]), np.array([0.3, -2.0])

    def after(r, z):
        return work.gru_cell(layer, dy.inputVector(np.concatenate([r * big, z * big, new])), state)

    agrees(after(1, -1), STATE[:, None], "with the update gate shut (z = 0): the old state stays")
    agrees(after(-1, 1), np.tanh(new)[:, None], "with z = 1 and the reset gate shut: as if there had been no past")
    expected = np.tanh(new + W_HH @ STATE)[:, None]
    agrees(after(1, 1), expected, "with both gates open: a simple recurrent network")


@task("5.4")
def test_the_mask(work):
    collection, layer = make_layer()
    mask = np.array([2.0, 0.0])
    state = HiddenState(dy.inputVector(STATE))
    found = work.gru_cell(layer, dy.inputVector(PROJECTED), state, dy.inputVector(mask))
    expected = cell_of(PROJECTED[:, None], STATE[:, None], mask=mask[:, None])
    agrees(found, expected, "with the mask 2, 0: what is multiplied with W_hg and W_hh is masked, what is kept is not")
    work.gru_cell(layer, dy.inputVector(PROJECTED), None, dy.inputVector(mask))


@task("5.4")
def test_gradients_against_finite_differences(work):
    collection, layer = make_layer()
    inputs, values = np.random.default_rng(5).normal(size=(3, 3 * H, 2)), [W_HG.copy(), W_HH.copy()]

    def loss_of():
        h = np.zeros((H, 2))
        for projected in inputs:
            h = cell_of(projected, h, *values)
        return float((h**2).sum())

    state = None
    for projected in inputs:
        state = work.gru_cell(layer, batch_of(projected), state)
    loss = dy.sum_batches(dy.sum_elems(dy.square(state.hidden)))
    loss.value()
    loss.backward()
    for name, weight, array in zip(("W_hg", "W_hh"), (layer.W_hg, layer.W_hh), values, strict=True):
        message = f"the gradient of {name} through three steps: use the parameter itself"
        close(weight.grad_as_array(), finite_difference(loss_of, array), message, tolerance=1e-3)


@task("5.4")
def test_the_chapter_agrees(work):
    from chapters.rnn_lm.model import RecurrentLM

    model = RecurrentLM(Vocabulary(f"w{number}" for number in range(2, 6)), cell="gru", hidden_size=3, init_scale=0.8)
    (layer,) = model.stack.layers
    batch = make_batch([[2, 5, 3, 4, 3], [4, 3], []], range(3))
    layer.cell = lambda projected, state, mask=None: work.gru_cell(layer, projected, state, mask)
    found = model.log_probs(batch)
    layer.cell = GRU.cell.__get__(layer)
    close(found, model.log_probs(batch), "log P of three sentences with your cell in chapter 5's model", tolerance=1e-5)
