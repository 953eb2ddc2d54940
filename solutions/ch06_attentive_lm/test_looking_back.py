"""Graders of looking_back.py."""

import dynet as dy
import numpy as np

from common.nn import attention
from common.nn.arrays import input_batch
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("6.4", "np.triu(np.ones((time, time)), k=1)", "np.triu(np.ones((time, time)))"),
    ("6.4", "np.triu(np.ones((time, time)), k=1)", "np.triu(np.ones((time, time)), k=2)"),
    ("6.4", "np.triu(np.ones((time, time)), k=1)", "np.tril(np.ones((time, time)), k=-1)"),
    ("6.4", "np.triu(np.ones((time, time)), k=1)", "np.ones((time, time)) - np.eye(time)"),
    ("6.4", "np.triu(np.ones((time, time)), k=1)", "np.eye(time, k=1)"),
    ("6.4", "(1 - allowed) * -1e9", "(1 - allowed) * -50"),
    ("6.4", "return dy.cmult(weights, dy.inputTensor(has_past))", "return weights"),
    ("6.4", "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))", "dy.cmult(scores, dy.inputTensor(allowed))"),
    (
        "6.4",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "dy.cmult(dy.exp(scores), dy.inputTensor(allowed))",
    ),
    (
        "6.4",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "dy.cmult(dy.softmax(scores), dy.inputTensor(allowed))",
    ),
    (
        "6.4",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "dy.softmax(dy.cmult(scores, dy.inputTensor(allowed)))",
    ),
    (
        "6.4",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9), d=1)",
    ),
    ("6.4", "has_past[:, 0] = 0", "has_past[0] = 0"),
    ("6.4", "return past * weights", "return past * dy.transpose(weights)"),
    ("6.4", "return past * weights", "return past * weights * (1 / past.dim()[0][1])"),
    ("6.4", "return past * weights", "return dy.zeros(past.dim()[0], batch_size=past.dim()[1])"),
    ("6.4", "return past * weights", "return past"),
]

H = 2
SCORES = np.array([[0.3, -1.2, 0.8, 0.1], [2.0, 0.4, -0.7, 1.5], [-0.6, 0.9, 1.1, -2.0], [0.7, -0.3, 0.2, 1.3]])


def weights_of(scores):
    """Eq. 4 number by number: (T, T, B) -> (T, T, B)."""
    found = np.zeros(scores.shape)
    for t, b in np.ndindex(scores.shape[1:]):
        before = [np.exp(scores[i, t, b] - scores[:t, t, b].max()) for i in range(t)]
        found[:t, t, b] = [value / sum(before) for value in before]
    return found


def numbers(found, shape, what):
    """The numbers of an expression (R, C) x B as an array of that shape."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    (rows, columns, batch), (dimensions, own_batch) = shape, found.dim()
    right = (*dimensions, 1)[:2] == (rows, columns) and len(dimensions) <= 2 and own_batch == batch
    check(right, f"{what}: the result must be ({rows}, {columns}) x {batch}, yours is {dimensions} x {own_batch}")
    return np.reshape(found.npvalue(), shape, order="F")


def weights(work, scores, what):
    """The weights of scores (T, Q, B) as an array (T, T, B), of which columns must be distributions over the past."""
    time, _, batch = scores.shape
    found = numbers(work.causal_weights(input_batch(scores), time), (time, time, batch), what)
    check(np.isfinite(found).all(), f"{what}: every weight must be a finite number")
    for t in range(time):
        ahead = np.abs(found[t:, t]).max()
        steps = "has no past: its column must be zeros" if t == 0 else "must give no weight to itself or to later steps"
        check(ahead < 1e-6, f"{what}: step {t + 1} {steps}; it gives a weight of {ahead:.4g}")
        total = found[:t, t].sum(axis=0)
        distribution = t == 0 or (np.abs(total - 1).max() < 1e-4 and found[:t, t].min() >= 0)
        message = f"the weights of step {t + 1} sum to {np.round(total, 4)} over the steps before it: was the softmax "
        check(distribution, f"{what}: {message}forgotten, taken along the rows, or taken before the mask?")
    return found


@task("6.4")
def test_weights_by_hand(work):
    odds = np.array([[2.0, 1.0, 3.0], [5.0, 7.0, 1.0], [4.0, 6.0, 9.0]])
    found = weights(work, np.log(odds)[:, :, None], "three steps")[:, :, 0]
    expected = np.array([[0.0, 1.0, 0.75], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0]])
    message = "the weights of three steps, from scores of which step 3 has log 3 for h_1 and log 1 for h_2"
    close(found, expected, message, tolerance=1e-5)


@task("6.4")
def test_weights_of_batches(work):
    for time, batch in [(1, 1), (1, 3), (2, 1), (4, 2), (6, 3)]:
        dy.renew_cg()
        scores = np.random.default_rng(time).normal(0, 1.5, (time, time, batch))
        what = f"{time} steps, {batch} sentences"
        message = f"{what}: each sentence has weights of its own"
        close(weights(work, scores, what), weights_of(scores), message, tolerance=1e-5)


@task("6.4")
def test_weights_of_single_scores(work):
    for time, batch in [(1, 2), (4, 1), (5, 2)]:
        dy.renew_cg()
        scores = np.random.default_rng(time).normal(0, 1.5, (time, 1, batch))
        what = f"scores ({time}, 1) x {batch}, the same for all steps"
        found = weights(work, scores, what)
        close(found, weights_of(np.repeat(scores, time, axis=1)), what, tolerance=1e-5)


@task("6.4")
def test_the_future_and_the_present_do_not_count(work):
    changed = SCORES.copy()
    changed[np.tril_indices(4)] += np.array([900.0, -700.0, 800.0, 500.0, 600.0, 1000.0, -30.0, 40.0, 950.0, 20.0])
    before, after = (weights(work, one[:, :, None], "scores of up to 1000 ahead") for one in (SCORES.copy(), changed))
    message = "a score of the present or the future, however high, must not change a weight of the past"
    close(after, before, message, tolerance=1e-5)


@task("6.4")
def test_large_scores(work):
    scores = np.array([[0.0, -1000.0, 400.0], [0.0, 0.0, 500.0], [0.0, 0.0, 0.0]])
    found = weights(work, scores[:, :, None], "scores of -1000, 400 and 500")[:, :, 0]
    expected = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    message = "large scores: all weight on the best of the past, even where its score is -1000 and the only one"
    close(found, expected, message, tolerance=1e-5)


@task("6.4")
def test_contexts_by_hand(work):
    past = np.array([[1.0, 3.0, -2.0], [0.5, -1.0, 4.0]])
    given = np.array([[0.0, 1.0, 0.75, 0.2], [0.0, 0.0, 0.25, 0.3], [0.0, 0.0, 0.0, 0.5]])
    found = work.contexts(input_batch(past[:, :, None]), input_batch(given[:, :, None]))
    found = numbers(found, (H, 4, 1), "the contexts of four steps from three states")[:, :, 0]
    expected = np.array([[0.0, 1.0, 0.75 + 0.75, 0.2 + 0.9 - 1.0], [0.0, 0.5, 0.375 - 0.25, 0.1 - 0.3 + 2.0]])
    message = "c_t: each state of the past times its weight in column t, added up"
    close(found, expected, message, tolerance=1e-5)


@task("6.4")
def test_contexts_of_batches(work):
    for time, asking, batch in [(1, 1, 1), (1, 1, 3), (4, 4, 2), (3, 1, 2), (2, 5, 1)]:
        dy.renew_cg()
        rng = np.random.default_rng(time)
        past, given = rng.normal(size=(H, time, batch)), rng.dirichlet(np.ones(time), (asking, batch))
        given = np.moveaxis(given, 2, 0)
        what = f"{time} states, {asking} queries, {batch} sentences"
        found = numbers(work.contexts(input_batch(past), input_batch(given)), (H, asking, batch), what)
        expected = np.einsum("hib,itb->htb", past, given)
        close(found, expected, f"{what}: the mean of each sentence's own states, weighted", tolerance=1e-5)


@task("6.4")
def test_gradients_reach_scores_and_states(work):
    collection = dy.ParameterCollection()
    states = np.random.default_rng(5).normal(size=(H, 4))
    scores, past = (collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (SCORES, states))
    found = work.contexts(past, work.causal_weights(scores, 4))
    loss = dy.sum_elems(dy.square(found))
    loss.value()
    loss.backward()
    values = [SCORES.copy(), states.copy()]

    def loss_of():
        return float(((values[1] @ weights_of(values[0][:, :, None])[:, :, 0]) ** 2).sum())

    for name, parameter, array in (("a score", scores, values[0]), ("a past state", past, values[1])):
        expected = finite_difference(loss_of, array)
        message = f"the gradient of {name} must be what the contexts do when it is moved a little, and 0 ahead"
        close(parameter.grad_as_array(), expected, message, tolerance=2e-3)


@task("6.4")
def test_the_course_agrees(work):
    rng = np.random.default_rng(6)
    past = input_batch(rng.normal(size=(H, 5, 3)))
    for columns in (1, 5):
        scores = input_batch(rng.normal(0, 2, (5, columns, 3)))
        expected = attention.contexts(past, attention.causal_weights(scores, 5)).npvalue()
        found = work.contexts(past, work.causal_weights(scores, 5))
        message = f"the contexts of five steps from scores (5, {columns}) x 3, as the course has them"
        close(found, expected, message, tolerance=1e-5)
