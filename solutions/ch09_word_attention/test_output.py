"""Graders of output.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, distribution, finite_difference, task

MUTANTS = [
    ("9.5", "[word, state, *contexts]", "[state, word, *contexts]"),
    ("9.5", "[word, state, *contexts]", "[word, state, *contexts[::-1]]"),
    ("9.5", "[word, state, *contexts]", "[word * 0.0, state, *contexts]"),
    ("9.5", "[word, state, *contexts]", "[word, state, contexts[0], contexts[1] * 0.0]"),
    ("9.5", "[word, state, *contexts]", "[word, state, contexts[0], contexts[0]]"),
    ("9.5", "return dy.log_softmax(", "return dy.softmax("),
    ("9.5", "return dy.log_softmax(", "return -dy.log_softmax("),
    ("9.5", "return dy.log_softmax(", "return ("),
    ("9.5", "dy.affine_transform([b_g, W_g, seen])", "W_g * seen"),
    ("9.5", "dy.affine_transform([b_g, W_g, seen])", "dy.tanh(dy.affine_transform([b_g, W_g, seen]))"),
    ("9.5", "dy.affine_transform([b_s, embedding, wanted])", "embedding * wanted"),
    ("9.5", "dy.affine_transform([b_g, W_g, seen])", "dy.affine_transform([b_g, W_g.expr(), seen])"),
    ("9.5", "dy.affine_transform([b_s, embedding, wanted])", "dy.affine_transform([b_s, embedding.expr(), wanted])"),
]

H, V = 2, 3
W_G = np.array([[1.0, -0.5, 0.25, 2.0, -1.5, 0.5, 0.75, -0.25], [0.3, 1.2, -0.7, 0.4, 0.9, -1.1, 0.6, 0.2]])
B_G = np.array([0.1, -0.4])
E = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
B_S = np.array([0.3, -0.2, 0.6])


def parameters(*arrays):
    """Parameters with these numbers; the collection must be kept."""
    collection = dy.ParameterCollection()
    return collection, [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in arrays]


def drawn(batch, seed=4):
    """y, s, c_alpha and c_beta, each (H, B)."""
    return np.random.default_rng(seed).normal(size=(4, H, batch))


def log_probs_of(parts, W_g=W_G, b_g=B_G, embedding=E, b_s=B_S):
    logits = embedding @ (W_g @ np.concatenate(list(parts)) + b_g[:, None]) + b_s[:, None]
    logits = logits - logits.max(axis=0)
    return logits - np.log(np.exp(logits).sum(axis=0))


def predict(work, weights, parts, what):
    """log P as an array (V, B), which must be distributions."""
    y, s, alpha, beta = (input_batch(one) for one in parts)
    found, batch = work.log_probs(*weights, y, s, [alpha, beta]), parts[0].shape[1]
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    dimensions, own = found.dim()
    check(dimensions == (V,) and own == batch, f"{what}: it must be ({V},) x {batch}, yours is {dimensions} x {own}")
    array = np.reshape(found.npvalue(), (V, batch), order="F")
    check(
        (array < 1e-6).all(), f"{what}: a log-probability is at most 0; is it a probability, or a score, or minus it?"
    )
    distribution(np.exp(array), f"{what}: exp of the log-probabilities")
    return array


@task("9.5")
def test_by_hand(work):
    collection, weights = parameters(W_G, B_G, E, B_S)
    parts = np.array([[[1.0], [2.0]], [[-1.0], [0.5]], [[2.0], [-2.0]], [[0.0], [4.0]]])
    z = np.array([1.0 - 1.0 - 0.25 + 1.0 - 3.0 - 1.0 - 1.0 + 0.1, 0.3 + 2.4 + 0.7 + 0.2 + 1.8 + 2.2 + 0.8 - 0.4])
    scores = [0.5 * z[0] - z[1] + 0.3, 2 * z[0] + 0.25 * z[1] - 0.2, -0.75 * z[0] + 1.5 * z[1] + 0.6]
    expected = np.array(scores) - np.log(sum(np.exp(scores)))
    what = "y = (1, 2), s = (-1, 0.5), c^alpha = (2, -2), c^beta = (0, 4)"
    found = predict(work, weights, parts, what)
    message = (
        f"{what}: one above the other in this order, W_g and b_g, then E and b_s, then log_softmax, and nothing else"
    )
    close(found[:, 0], expected, message, tolerance=1e-4)


@task("9.5")
def test_batches(work):
    for batch in (1, 4):
        dy.renew_cg()
        collection, weights = parameters(W_G, B_G, E, B_S)
        parts, what = drawn(batch), f"{batch} sentences"
        message = f"{what}: each has a distribution of its own"
        close(predict(work, weights, parts, what), log_probs_of(parts), message, tolerance=1e-5)


@task("9.5")
def test_large_scores(work):
    collection, weights = parameters(100 * W_G, B_G, E, B_S)
    parts = drawn(3)
    found = predict(work, weights, parts, "scores of some hundreds")
    check(np.isfinite(found).all(), "scores of some hundreds: every log-probability must be a finite number")
    close(found, log_probs_of(parts, 100 * W_G), "scores of some hundreds", tolerance=1e-3)


@task("9.5")
def test_nothing_learnt_is_uniform(work):
    collection, weights = parameters(W_G, B_G, np.zeros_like(E), np.zeros_like(B_S))
    found = predict(work, weights, drawn(2), "E and b_s are zero")
    close(found, np.full((V, 2), -np.log(V)), "E and b_s are zero: all V words are equally likely", tolerance=1e-5)


@task("9.5")
def test_every_parameter_learns(work):
    values = [one.copy() for one in (W_G, B_G, E, B_S)]
    collection, weights = parameters(*values)
    parts = drawn(3)
    y, s, alpha, beta = (input_batch(one) for one in parts)
    loss = dy.sum_batches(dy.sum_elems(dy.square(work.log_probs(*weights, y, s, [alpha, beta]))))
    loss.value()
    loss.backward()
    for name, weight, array in zip(("W_g", "b_g", "the embedding", "b_s"), weights, values, strict=True):
        expected = finite_difference(lambda: float((log_probs_of(parts, *values) ** 2).sum()), array)
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), expected, message, tolerance=3e-3)


@task("9.5")
def test_the_chapter_agrees(work):
    from chapters.word_attention.model import WordAttentionModel

    model = WordAttentionModel(Vocabulary(["a"]), Vocabulary(["b"]), hidden_size=H, init_scale=0.9)
    y, s, alpha, beta = (input_batch(one) for one in drawn(3))
    expected = dy.log_softmax(model.logits(dy.concatenate([y, s, alpha, beta]))).npvalue()
    found = work.log_probs(model.W_g, model.b_g, model.embedding, model.b_s, y, s, [alpha, beta])
    close(found, expected, "the chapter's log-probabilities", tolerance=1e-5)
