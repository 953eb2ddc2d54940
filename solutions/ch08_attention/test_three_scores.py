"""Graders of three_scores.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn import source_attention
from common.nn.arrays import input_batch
from common.nn.attention import as_columns
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("8.3", "dy.transpose(annotations) * as_column(query)", "dy.softmax(dy.transpose(annotations) * as_column(query))"),
    (
        "8.3",
        "return dy.transpose(annotations) * as_column(query)",
        "return dy.transpose(as_column(query)) * annotations",
    ),
    ("8.3", "(W_a * as_column(query))", "(W_a.expr() * as_column(query))"),
    (
        "8.3",
        "dy.transpose(annotations) * (W_a * as_column(query))",
        "dy.transpose(annotations) * (dy.transpose(W_a) * as_column(query))",
    ),
    (
        "8.3",
        "dy.transpose(annotations) * (W_a * as_column(query))",
        "dy.transpose(annotations) * dy.tanh(W_a * as_column(query))",
    ),
    ("8.3", "dy.transpose(annotations) * (W_a * as_column(query))", "dy.transpose(annotations) * as_column(query)"),
    ("8.3", "return score.W_source * annotations", "return dy.tanh(score.W_source * annotations)"),
    ("8.3", "return score.W_source * annotations", "return score.W_source.expr() * annotations"),
    ("8.3", "dy.tanh(keys + as_column", "dy.rectify(keys + as_column"),
    ("8.3", "dy.tanh(keys + as_column", "(keys + as_column"),
    (
        "8.3",
        "dy.tanh(keys + as_column(score.W_query * query))",
        "(dy.tanh(keys) + dy.tanh(as_column(score.W_query * query)))",
    ),
    ("8.3", "dy.tanh(keys + as_column(score.W_query * query))", "dy.tanh(keys)"),
    (
        "8.3",
        "dy.tanh(keys + as_column(score.W_query * query))",
        "dy.tanh(keys * 0.0 + as_column(score.W_query * query))",
    ),
    ("8.3", "score.w * dy.tanh", "score.w.expr() * dy.tanh"),
    ("8.3", "as_column(score.W_query * query)", "as_column(score.W_query.expr() * query)"),
    ("8.3", "return dy.transpose(score.w * dy", "return (score.w * dy"),
]

H, Q, A = 3, 2, 4
W_A = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]])
W_E = np.array([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0], [0.3, 0.6]])
W_F = np.array([[1.0, 0.5, -0.25], [-0.5, 2.0, 0.1], [0.2, -1.0, 1.5], [0.8, 0.4, -0.6]])
W_2 = np.array([[0.5, -2.0, 1.25, 0.75]])
WORDS = np.array([[[1.0], [-0.5]], [[2.0], [0.25]], [[0.0], [-1.0]]])
"""h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1), of one sentence"""


def parameters():
    """W_a and an MLP; the collection must be kept."""
    collection = dy.ParameterCollection()
    W_a, W_e, W_f, w = (
        collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (W_A, W_E, W_F, W_2)
    )
    return collection, W_a, SimpleNamespace(W_query=W_e, W_source=W_f, w=w)


def drawn(words, batch, seed=2):
    """Annotations (H, S, B) and queries (Q, B)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(H, words, batch)), rng.normal(size=(Q, batch))


def bilinear_of(annotations, query, W_a=W_A):
    return np.einsum("hsb,hq,qb->sb", annotations, W_a, query)[:, None]


def mlp_of(annotations, query, W_e=W_E, W_f=W_F, w=W_2):
    found = np.zeros((annotations.shape[1], 1, annotations.shape[2]))
    for j, _, b in np.ndindex(found.shape):
        both = np.concatenate([query[:, b], annotations[:, j, b]])
        found[j, 0, b] = w[0] @ np.tanh(np.concatenate([W_e, W_f], axis=1) @ both)
    return found


def numbers(found, shape, what):
    """The numbers of an expression (R, C) x B as an array of that shape."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    dimensions, batch = found.dim()
    right = dimensions == shape[:2] and batch == shape[2]
    check(right, f"{what}: the result must be {shape[:2]} x {shape[2]}, yours is {dimensions} x {batch}")
    return np.reshape(found.npvalue(), shape, order="F")


def column(found, annotations, what):
    return numbers(found, (annotations.shape[1], 1, annotations.shape[2]), what)


def mlp(work, score, annotations, query, what):
    keys = work.mlp_keys(score, input_batch(annotations))
    return column(work.mlp_scores(score, keys, input_batch(query)), annotations, what)


@task("8.3")
def test_the_dot_product_by_hand(work):
    query, what = (
        np.array([[3.0], [0.5], [-1.0]]),
        "the scores of h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1) for (3, 0.5, -1)",
    )
    found = column(work.dot_scores(input_batch(WORDS), input_batch(query)), WORDS, what)
    expected = np.array([3.0 + 1.0 + 0.0, -1.5 + 0.125 + 1.0])
    close(found[:, 0, 0], expected, f"{what}: each word's numbers times the query's, added up", tolerance=1e-5)


@task("8.3")
def test_the_bilinear_score_by_hand(work):
    collection, W_a, _ = parameters()
    query, what = np.array([[2.0], [-1.0]]), "the scores of h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1) for (2, -1)"
    found = column(work.bilinear_scores(W_a, input_batch(WORDS), input_batch(query)), WORDS, what)
    asked = [2.0 + 0.5, 0.5 - 2.0, -3.0 - 0.75]  # W_a h_t
    expected = np.array([1 * asked[0] + 2 * asked[1], -0.5 * asked[0] + 0.25 * asked[1] - asked[2]])
    close(found[:, 0, 0], expected, f"{what}: h_j^T W_a h_t, a plain product, with W_a (3, 2)", tolerance=1e-5)


@task("8.3")
def test_the_mlp_by_hand(work):
    collection, _, score = parameters()
    query, what = (
        np.array([[2.0], [-1.0]]),
        "the MLP's scores of h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1) for (2, -1)",
    )
    asked = np.array([1.0 + 1.0, 3.0 - 0.25, -1.5 - 2.0, 0.6 - 0.6])  # W_e h_t
    read = np.array([[2.0, 3.5, -1.8, 1.6], [-0.125, 0.65, -1.85, 0.3]])  # W_f h_j, a row a word
    keys = numbers(work.mlp_keys(score, input_batch(WORDS)), (A, 2, 1), "the keys of two words")
    close(keys[:, :, 0], read.T, "the keys are W_f h_j alone, a column a word, before any tanh", tolerance=1e-5)
    expected = [float(sum(W_2[0] * np.tanh(asked + one))) for one in read]
    found = mlp(work, score, WORDS, query, what)[:, 0, 0]
    message = (
        f"{what}: W_e h_t + W_f h_j, its tanh, and the product with w; these are scores, and no softmax is taken yet"
    )
    close(found, np.array(expected), message, tolerance=1e-5)


@task("8.3")
def test_shapes_and_batches(work):
    for words, batch in [(1, 1), (1, 3), (4, 1), (5, 2)]:
        dy.renew_cg()
        collection, W_a, score = parameters()
        annotations, query = drawn(words, batch)
        what = f"{words} source words, {batch} sentences"
        message = f"{what}: each word of each sentence has a score, with its own sentence's query"
        read, asked = input_batch(annotations), input_batch(query)
        square = input_batch(annotations[:Q])
        dots = column(work.dot_scores(square, asked), annotations, f"dot, {what}")
        close(dots, bilinear_of(annotations[:Q], query, np.eye(Q)), f"dot, {message}", tolerance=1e-5)
        found = column(work.bilinear_scores(W_a, read, asked), annotations, f"bilinear, {what}")
        close(found, bilinear_of(annotations, query), f"bilinear, {message}", tolerance=1e-5)
        close(mlp(work, score, annotations, query, what), mlp_of(annotations, query), f"MLP, {message}", tolerance=1e-5)


@task("8.3")
def test_both_sides_are_read(work):
    collection, W_a, score = parameters()
    annotations, query = drawn(3, 1)
    other = annotations.copy()
    other[:, 1] += 0.5

    def scores(name, annotations, query):
        if name == "bilinear":
            return column(work.bilinear_scores(W_a, input_batch(annotations), input_batch(query)), annotations, name)
        return mlp(work, score, annotations, query, name)

    for name in ("bilinear", "MLP"):
        before = scores(name, annotations, query)
        changed = (np.abs(scores(name, other, query) - before) > 1e-6).ravel().tolist()
        check(any(changed), f"{name}: another source must give other scores; are the annotations read at all?")
        check(changed == [False, True, False], f"{name}: where only h_2 changes, only its score must change")
        changed = np.abs(scores(name, annotations, query + 0.5) - before) > 1e-6
        check(changed.all(), f"{name}: another state of the decoder must give other scores; is h_t read at all?")


@task("8.3")
def test_gradients_of_the_bilinear_score(work):
    collection, W_a, _ = parameters()
    annotations, query = drawn(3, 2)
    loss_of(work.bilinear_scores(W_a, input_batch(annotations), input_batch(query))).backward()
    array = W_A.copy()
    expected = finite_difference(lambda: float((bilinear_of(annotations, query, array) ** 2).sum()), array)
    message = "the gradient of W_a: use it in the formula as it was given, not a copy of its numbers"
    close(W_a.grad_as_array(), expected, message, tolerance=2e-3)


@task("8.3")
def test_gradients_of_the_mlp(work):
    collection, _, score = parameters()
    annotations, query = drawn(3, 2)
    loss_of(work.mlp_scores(score, work.mlp_keys(score, input_batch(annotations)), input_batch(query))).backward()
    values = [W_E.copy(), W_F.copy(), W_2.copy()]
    learnt = (("W_query", score.W_query), ("W_source", score.W_source), ("w", score.w))
    for (name, weight), array in zip(learnt, values, strict=True):
        expected = finite_difference(lambda: float((mlp_of(annotations, query, *values) ** 2).sum()), array)
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), expected, message, tolerance=2e-3)


def loss_of(scores):
    """The sum of all squares, computed, so that it can go back."""
    loss = dy.sum_batches(dy.sum_elems(dy.square(scores)))
    loss.value()
    return loss


@task("8.3")
def test_the_course_agrees(work):
    collection = dy.ParameterCollection()
    bilinear = source_attention.BilinearScore(collection, H, Q, 0.9)
    mlp = source_attention.MLPScore(collection, H, Q, A, 0.9)
    read, asked = (input_batch(one) for one in drawn(4, 3))
    expected = bilinear.scores(bilinear.keys(read), asked).npvalue()
    close(work.bilinear_scores(bilinear.W_a, read, asked), expected, "the course's bilinear scores", tolerance=1e-5)
    expected = mlp.scores(mlp.keys(read), asked).npvalue()
    close(work.mlp_scores(mlp, work.mlp_keys(mlp, read), asked), expected, "the course's MLP", tolerance=1e-5)
    square = input_batch(drawn(4, 3)[0][:Q])
    expected = (source_attention.DotScore().keys(square) * as_columns(asked)).npvalue()
    close(work.dot_scores(square, asked), expected, "the course's dot products", tolerance=1e-5)
