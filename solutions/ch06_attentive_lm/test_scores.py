"""Graders of scores.py."""

import dynet as dy
import numpy as np

from common.nn import attention
from common.nn.arrays import input_batch
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("6.2", "dy.reshape(v * dy.tanh(W * past), (time, 1), batch)", "v * dy.tanh(W * past)"),
    ("6.2", "v * dy.tanh(W * past)", "v * dy.rectify(W * past)"),
    ("6.2", "v * dy.tanh(W * past)", "v * (W * past)"),
    ("6.2", "v * dy.tanh(W * past)", "dy.tanh(v * (W * past))"),
    ("6.2", "v * dy.tanh(W * past)", "dy.sum_dim(dy.tanh(W * past), [0])"),
    ("6.2", "v * dy.tanh(W * past)", "v.expr() * dy.tanh(W * past)"),
    (
        "6.2",
        "return dy.reshape(v * dy.tanh(W * past), (time, 1), batch)",
        "return dy.softmax(dy.reshape(v * dy.tanh(W * past), (time, 1), batch))",
    ),
    (
        "6.2",
        "return dy.reshape(v * dy.tanh(W * past), (time, 1), batch)",
        "first = dy.pick_batch_elem(past, 0)\n"
        "    return dy.reshape(dy.concatenate_to_batch([v * dy.tanh(W * first)] * batch), (time, 1), batch)",
    ),
    ("6.3", "dy.tanh(pairs)", "dy.rectify(pairs)"),
    ("6.3", "dy.tanh(pairs)", "pairs"),
    ("6.3", "dy.reshape(W_q * queries,", "dy.reshape(W * queries,"),
    ("6.3", "dy.reshape(W * past,", "dy.reshape(W_q * past,"),
    ("6.3", "batch) + dy.reshape(W_q * queries", "batch) + dy.reshape(W_q * queries * 0.0"),
    ("6.3", "+ dy.reshape(W_q * queries, (size, 1, asking), batch)", ""),
    ("6.3", "W_q * queries", "W_q.expr() * queries"),
    (
        "6.3",
        "dy.reshape(W * past, (size, time, 1), batch) + dy.reshape(W_q * queries, (size, 1, asking), batch)",
        "dy.reshape(W * past, (size, 1, time), batch) + dy.reshape(W_q * queries, (size, asking, 1), batch)",
    ),
    ("6.3", "return dy.reshape(scores, (time, asking), batch)", "return dy.reshape(scores, (asking, time), batch)"),
    (
        "6.3",
        "return dy.reshape(scores, (time, asking), batch)",
        "return dy.softmax(dy.reshape(scores, (time, asking), batch))",
    ),
]

A, H = 3, 2
V_S = np.array([[0.5, -2.0, 1.25]])
W_S = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]])
W_Q = np.array([[0.2, 0.6], [-0.8, 0.1], [0.4, -1.2]])


def parameters():
    """v, W and W_q; the collection must be kept."""
    collection = dy.ParameterCollection()
    return collection, [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (V_S, W_S, W_Q)]


def states(time, batch, seed=3):
    """Random states (H, T, B)."""
    return np.random.default_rng(seed).normal(0, 1.2, (H, time, batch))


def single_of(past, v=V_S, W=W_S):
    """Eq. 9 number by number: past (H, T, B) -> (T, 1, B)."""
    _, time, batch = past.shape
    return np.array([[[float(v[0] @ np.tanh(W @ past[:, i, b])) for b in range(batch)]] for i in range(time)])


def combined_of(past, queries, v=V_S, W=W_S, W_q=W_Q):
    """Eq. 10 number by number: past (H, T, B), queries (H, Q, B) -> (T, Q, B)."""
    (_, time, batch), asking = past.shape, queries.shape[1]
    found = np.zeros((time, asking, batch))
    for i, t, b in np.ndindex(found.shape):
        found[i, t, b] = v[0] @ np.tanh(W @ past[:, i, b] + W_q @ queries[:, t, b])
    return found


def numbers(found, shape, what):
    """The numbers of an expression (R, C) x B as an array of that shape."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    (rows, columns, batch), (dimensions, own_batch) = shape, found.dim()
    right = (*dimensions, 1)[:2] == (rows, columns) and len(dimensions) <= 2 and own_batch == batch
    check(right, f"{what}: the result must be ({rows}, {columns}) x {batch}, yours is {dimensions} x {own_batch}")
    return np.reshape(found.npvalue(), shape, order="F")


def single(work, weights, past, what):
    return numbers(work.single_scores(*weights[:2], input_batch(past)), (past.shape[1], 1, past.shape[2]), what)


def combined(work, weights, past, queries, what):
    found = work.combined_scores(*weights, input_batch(past), input_batch(queries))
    return numbers(found, (past.shape[1], queries.shape[1], past.shape[2]), what)


@task("6.2")
def test_single_scores_by_hand(work):
    collection, weights = parameters()
    past = np.array([[[1.0], [0.5]], [[2.0], [-1.0]]])
    expected = [
        0.5 * np.tanh(1.0 - 1.0) - 2.0 * np.tanh(0.25 + 4.0) + 1.25 * np.tanh(-1.5 + 1.5),
        0.5 * np.tanh(0.5 + 0.5) - 2.0 * np.tanh(0.125 - 2.0) + 1.25 * np.tanh(-0.75 - 0.75),
    ]
    what = "the scores of h_1 = (1, 2) and h_2 = (0.5, -1)"
    message = f"{what}: tanh of the three numbers of W h_i, each times its number of v, added up; no softmax yet"
    close(single(work, weights, past, what)[:, 0, 0], np.array(expected), message, tolerance=1e-5)


@task("6.2")
def test_single_shapes_and_batches(work):
    for time, batch in [(1, 1), (1, 3), (4, 1), (4, 2)]:
        dy.renew_cg()
        collection, weights = parameters()
        past, what = states(time, batch), f"{time} past states, {batch} sentences"
        message = f"{what}: each state of each sentence has a score of its own, and none changes another"
        close(single(work, weights, past, what), single_of(past), message, tolerance=1e-5)


@task("6.2")
def test_single_scores_are_no_weights(work):
    collection, weights = parameters()
    found = single(work, weights, 50 * states(5, 2), "five states with large numbers")
    total = found.sum(axis=0).ravel()
    message = f"scores are not weights yet, and need not sum to 1; was the softmax taken too early? They sum to {total}"
    check(np.abs(total - 1).max() > 1e-3, message)
    check(np.isfinite(found).all(), "large states must have finite scores, since tanh is at most 1")


@task("6.2")
def test_single_gradients(work):
    collection, weights = parameters()
    past = states(3, 2)
    loss = dy.sum_batches(dy.sum_elems(dy.square(work.single_scores(*weights[:2], input_batch(past)))))
    loss.value()
    loss.backward()
    values = [V_S.copy(), W_S.copy()]
    for name, weight, array in zip(("v", "W"), weights, values, strict=False):
        expected = finite_difference(lambda: float((single_of(past, *values) ** 2).sum()), array)
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), expected, message, tolerance=2e-3)


@task("6.2")
def test_single_the_course_agrees(work):
    collection, (v, W, _) = parameters()
    past = input_batch(states(4, 3))
    expected = attention.causal_weights(attention.single_scores(v, W, past), 4).npvalue()
    found = attention.causal_weights(work.single_scores(v, W, past), 4)
    close(found, expected, "the weights that the course's softmax over the past makes of your scores", tolerance=1e-5)


@task("6.3")
def test_combined_scores_by_hand(work):
    collection, weights = parameters()
    past = np.array([[[1.0], [0.5]], [[2.0], [-1.0]]])
    query = np.array([[[1.0]], [[-0.5]]])
    asked = np.array([0.2 - 0.3, -0.8 - 0.05, 0.4 + 0.6])  # W_q h_t
    expected = [
        float(V_S[0] @ np.tanh(np.array([1.0 - 1.0, 0.25 + 4.0, -1.5 + 1.5]) + asked)),
        float(V_S[0] @ np.tanh(np.array([0.5 + 0.5, 0.125 - 2.0, -0.75 - 0.75]) + asked)),
    ]
    what = "the scores of h_1 = (1, 2) and h_2 = (0.5, -1) for h_t = (1, -0.5)"
    found = combined(work, weights, past, query, what)[:, 0, 0]
    close(
        found,
        np.array(expected),
        f"{what}: W h_i + W_q h_t is added up inside the tanh; no softmax yet",
        tolerance=1e-5,
    )


@task("6.3")
def test_combined_shapes_and_batches(work):
    for time, asking, batch in [(1, 1, 1), (1, 4, 2), (4, 1, 3), (2, 5, 1), (3, 3, 2)]:
        dy.renew_cg()
        collection, weights = parameters()
        past, queries = states(time, batch), states(asking, batch, seed=4)
        what = f"{time} past states, {asking} queries, {batch} sentences"
        message = f"{what}: row i, column t is the score of past state i for query t"
        close(combined(work, weights, past, queries, what), combined_of(past, queries), message, tolerance=1e-5)


@task("6.3")
def test_combined_who_looks_matters(work):
    collection, weights = parameters()
    past, queries = states(3, 1), states(3, 1, seed=4)
    before = combined(work, weights, past, queries, "three queries of three past states")
    queries[:, 1] += 0.5
    change = np.abs(combined(work, weights, past, queries, "the same with another h_2 as a query") - before) > 1e-6
    check(change.any(), "another query must change scores; does W_q h_t reach them?")
    expected = np.zeros((3, 3, 1), dtype=bool)
    expected[:, 1] = True
    message = "where only the second query changes, column 2 of the scores must change, and no other"
    check(np.array_equal(change, expected), message)


@task("6.3")
def test_combined_without_the_query_is_single(work):
    collection, weights = parameters()
    weights[2].set_value(np.zeros_like(W_Q))
    past, queries = states(4, 2), states(2, 2, seed=4)
    expected = np.repeat(single_of(past), 2, axis=1)
    found = combined(work, weights, past, queries, "four past states, W_q = 0")
    close(found, expected, "with W_q = 0, all columns must be the single scores", tolerance=1e-5)


@task("6.3")
def test_combined_gradients(work):
    collection, weights = parameters()
    past, queries = states(3, 2), states(2, 2, seed=4)
    found = work.combined_scores(*weights, input_batch(past), input_batch(queries))
    loss = dy.sum_batches(dy.sum_elems(dy.square(found)))
    loss.value()
    loss.backward()
    values = [V_S.copy(), W_S.copy(), W_Q.copy()]
    for name, weight, array in zip(("v", "W", "W_q"), weights, values, strict=True):
        expected = finite_difference(lambda: float((combined_of(past, queries, *values) ** 2).sum()), array)
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), expected, message, tolerance=2e-3)


@task("6.3")
def test_combined_the_course_agrees(work):
    collection, weights = parameters()
    past = input_batch(states(5, 2))
    expected = attention.causal_weights(attention.combined_scores(*weights, past, past), 5).npvalue()
    found = attention.causal_weights(work.combined_scores(*weights, past, past), 5)
    close(found, expected, "the weights that the course's softmax over the past makes of your scores", tolerance=1e-5)
