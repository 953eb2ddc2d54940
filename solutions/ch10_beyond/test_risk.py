"""Graders of risk.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, equal, finite_difference, task

MUTANTS = [
    ("10.4", "new = place >= skip and list(sentence) not in counted", "new = place >= skip"),
    ("10.4", "new = place >= skip and list(sentence) not in counted", "new = list(sentence) not in counted"),
    ("10.4", "new = place >= skip and list(sentence)", "new = place > skip and list(sentence)"),
    ("10.4", "        if new:\n            counted", "        if True:\n            counted"),
    ("10.4", "list(sentence) not in counted", "sorted(sentence) not in counted"),
    ("10.4", "list(sentence) not in counted", "list(sentence) != (counted or [None])[-1]"),
    ("10.4", "list(sentence) not in counted", "sentences.count(sentence) == 1"),
    ("10.4", "log_probs * alpha + input_batch(left_out.T)", "log_probs + input_batch(left_out.T)"),
    ("10.4", "log_probs * alpha + input_batch(left_out.T)", "log_probs * alpha"),
    ("10.4", "log_probs * alpha + input_batch(left_out.T)", "dy.exp(log_probs * alpha) + input_batch(left_out.T)"),
    ("10.4", "log_probs * alpha + input_batch(left_out.T)", "log_probs * -alpha + input_batch(left_out.T)"),
    ("10.4", "log_probs * alpha + input_batch(left_out.T)", "log_probs * (1 / alpha) + input_batch(left_out.T)"),
    ("10.4", "Q = dy.softmax(", "Q = dy.exp("),
    ("10.4", "Q = dy.softmax(", "Q = dy.log_softmax("),
    ("10.4", "np.where(counted, 0.0, -1e9)", "np.where(counted, -1e9, 0.0)"),
    ("10.4", "np.where(counted, 0.0, -1e9)", "np.where(counted, 0.0, -10.0)"),
    ("10.4", "return dy.dot_product(Q, input_batch(costs.T))", "return dy.dot_product(Q, 1 - input_batch(costs.T))"),
    (
        "10.4",
        "return dy.dot_product(Q, input_batch(costs.T))",
        "return dy.dot_product(log_probs, input_batch(costs.T))",
    ),
    (
        "10.4",
        "return dy.dot_product(Q, input_batch(costs.T))",
        "return dy.sum_batches(dy.dot_product(Q, input_batch(costs.T)))",
    ),
    ("10.4", "return dy.dot_product(Q, ", "return dy.dot_product(dy.nobackprop(Q), "),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return Q * (costs - Q @ costs)"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return alpha * Q * costs"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return alpha * Q * (Q @ costs - costs)"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return alpha * Q * (costs - costs.mean())"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return alpha * (costs - Q @ costs)"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return alpha * Q * (1 - Q) * costs"),
    ("10.4", "np.where(counted, alpha * log_probs, -np.inf)", "alpha * log_probs"),
    ("10.4", "np.exp(scores - scores.max())", "np.exp(scores)"),
    ("10.4", "    Q = powers / powers.sum()", "    Q = powers"),
]

LOG_P = np.log(np.array([[0.09, 0.04], [0.16, 0.36], [0.01, 0.25], [0.25, 0.01]]))
COSTS = np.array([[0.0, 0.5, 1.0, 0.3], [0.2, 0.0, 0.7, 0.9]])
COUNTED = np.array([[True, True, True, False], [False, True, True, True]])
"""Four candidates of two sentences."""


def cost_of(log_probs, costs, counted, alpha):
    """The expected cost of one sentence, candidate by candidate, without a softmax."""
    chosen = [place for place, one in enumerate(counted) if one]
    top = max(alpha * log_probs[place] for place in chosen)
    powers = [np.exp(alpha * log_probs[place] - top) for place in chosen]
    return sum(power * costs[place] for power, place in zip(powers, chosen, strict=True)) / sum(powers)


def slopes(log_probs, costs, counted, alpha):
    return finite_difference(lambda: cost_of(log_probs, costs, counted, alpha), log_probs)


@task("10.4")
def test_duplicates_are_left_out(work):
    sentences = [[5, 6, 0], [5, 0], [5, 6, 0], [6, 5, 0], [5, 0], [5, 6, 0], [7, 0]]
    expected = [True, True, False, True, False, False, True]
    equal(list(work.firsts(sentences, 0)), expected, f"{sentences}: the first of each kind, order and all")
    expected = [False, True, True, True, False, False, True]
    message = f"{sentences}, skip 1: the first does not count, and what is like it may"
    equal(list(work.firsts(sentences, 1)), expected, message)
    equal(list(work.firsts([[3, 0]], 0)), [True], "a single candidate")
    equal(list(work.firsts([[0], [0]], 1)), [False, True], "two empty sentences, skip 1")


@task("10.4")
def test_the_chapter_leaves_out_the_same(work):
    from chapters.beyond.objectives import firsts

    rng = np.random.default_rng(3)
    for _ in range(50):
        sentences = [rng.integers(1, 3, rng.integers(0, 3)).tolist() for _ in range(6)]
        for skip in (0, 1, 2):
            equal(list(work.firsts(sentences, skip)), firsts(sentences, skip), f"{sentences}, skip {skip}")


def ask(work, log_probs, costs, counted, alpha, what):
    found = work.expected_cost(input_batch(log_probs), costs, counted, alpha)
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    dimensions, batch = found.dim()
    right = (1,), log_probs.shape[1]
    check((dimensions, batch) == right, f"{what}: it must be (1,) x {right[1]}, yours is {dimensions} x {batch}")
    return np.reshape(found.npvalue(), -1)


@task("10.4")
def test_the_expected_cost_by_hand(work):
    """alpha = 1/2: roots 0.3, 0.4, 0.1 of 0.8, and 0.6, 0.5, 0.1 of 1.2."""
    expected = np.array([(0.4 * 0.5 + 0.1 * 1.0) / 0.8, (0.5 * 0.7 + 0.1 * 0.9) / 1.2])
    what = "two sentences with four candidates each, one of them left out"
    costs, counted = COSTS.copy(), COUNTED.copy()
    found = ask(work, LOG_P, costs, counted, 0.5, what)
    check((costs == COSTS).all() and (counted == COUNTED).all(), f"{what}: costs and counted must stay as they were")
    check(
        ((found >= 0) & (found <= 1)).all(), f"{what}: a mean of costs from 0 to 1 is between 0 and 1: is Q one in sum?"
    )
    close(
        found, expected, f"{what}: P^alpha of those that count, divided by their sum, times the costs", tolerance=1e-5
    )


@task("10.4")
def test_sizes_and_powers(work):
    rng = np.random.default_rng(6)
    for n, B in ((1, 1), (3, 1), (1, 4), (5, 3)):
        dy.renew_cg()
        log_probs, costs = rng.normal(-5, 2, (n, B)), rng.random((B, n))
        counted = rng.random((B, n)) < 0.6
        counted[:, 0] = True
        for alpha in (0.0, 0.1, 1.0, 3.0):
            expected = [cost_of(log_probs[:, b], costs[b], counted[b], alpha) for b in range(B)]
            what = f"{n} candidates of {B} sentences, alpha = {alpha}"
            close(ask(work, log_probs, costs, counted, alpha, what), np.array(expected), what, tolerance=1e-5)


@task("10.4")
def test_improbable_sentences(work):
    log_probs = np.array([[-1000.0], [-1002.0], [-3.0]])
    costs, counted = np.array([[0.25, 0.75, 1.0]]), np.array([[True, True, False]])
    expected = np.array([cost_of(log_probs[:, 0], costs[0], counted[0], 1.0)])
    what = "log-probabilities of -1000 and -1002; one of -3 does not count"
    close(ask(work, log_probs, costs, counted, 1.0, what), expected, what, tolerance=1e-5)
    found = work.risk_gradient(log_probs[:, 0], costs[0], counted[0], 1.0)
    expected = slopes(log_probs[:, 0].copy(), costs[0], counted[0], 1.0)
    close(found, expected, f"the gradient, {what}", tolerance=1e-4)


@task("10.4")
def test_the_gradient_is_that_of_the_cost(work):
    for b in range(2):
        for alpha in (0.1, 0.5, 2.0):
            log_probs = LOG_P[:, b].copy()
            expected = slopes(log_probs, COSTS[b], COUNTED[b], alpha)
            found = work.risk_gradient(log_probs, COSTS[b], COUNTED[b], alpha)
            what = f"costs {COSTS[b].tolist()}, counted {COUNTED[b].tolist()}, alpha = {alpha}"
            close(found, expected, f"{what}: what a little more of each log P does to the cost", tolerance=1e-5)


@task("10.4")
def test_dynet_finds_the_same_gradient(work):
    collection = dy.ParameterCollection()
    weights = collection.add_parameters(LOG_P.shape, init=dy.NumpyInitializer(LOG_P))
    loss = dy.sum_batches(work.expected_cost(dy.reshape(weights, (4,), 2), COSTS, COUNTED, 0.5))
    loss.value()
    loss.backward()
    columns = [work.risk_gradient(LOG_P[:, b], COSTS[b], COUNTED[b], 0.5) for b in range(2)]
    message = "the gradient of your expected_cost is that of your risk_gradient, and goes through Q"
    close(weights.grad_as_array(), np.stack([np.asarray(one) for one in columns], axis=1), message, tolerance=1e-4)


@task("10.4")
def test_the_chapter_agrees(work):
    from chapters.beyond.objectives import expected_cost as course

    for alpha in (0.1, 1.0):
        expected = np.reshape(course(input_batch(LOG_P), COSTS, COUNTED, alpha).npvalue(), -1)
        close(
            ask(work, LOG_P, COSTS, COUNTED, alpha, "the chapter's cost"),
            expected,
            "the chapter's cost",
            tolerance=1e-5,
        )
