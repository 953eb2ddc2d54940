"""Graders of policy.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, task

MUTANTS = [
    ("10.5", "        return np.zeros((B, 1))", "        return costs"),
    ("10.5", "return costs - others", "return others - costs"),
    ("10.5", "return costs - others", "return costs"),
    ("10.5", "return costs - others", "return others"),
    ("10.5", "return costs - others", "return costs - costs.mean(axis=1, keepdims=True)"),
    ("10.5", "return costs - others", "return costs - costs.mean()"),
    ("10.5", "return costs - others", "return (costs - others) / (costs.std(axis=1, keepdims=True) + 1e-9)"),
    ("10.5", "costs.sum(axis=1, keepdims=True)", "costs.sum()"),
    ("10.5", "- costs) / (k - 1)", "- costs) / k"),
    ("10.5", "- costs) / (k - 1)", ") / (k - 1)"),
    (
        "10.5",
        "return dy.dot_product(log_probs, input_batch(advantages.T)) * (1 / k)",
        "return dy.dot_product(log_probs, input_batch(advantages.T))",
    ),
    ("10.5", "return dy.dot_product(log_probs,", "return -dy.dot_product(log_probs,"),
    ("10.5", "return dy.dot_product(log_probs,", "return dy.dot_product(dy.exp(log_probs),"),
    ("10.5", "return dy.dot_product(log_probs,", "return dy.dot_product(dy.nobackprop(log_probs),"),
    ("10.5", "return dy.dot_product(log_probs,", "return dy.dot_product(dy.log_softmax(log_probs),"),
    ("10.5", "k = advantages.shape[1]", "k = advantages.shape[0]"),
    ("10.5", "* (1 / k)", "* (1 / advantages.size)"),
    ("10.5", "input_batch(advantages.T)) * (1 / k)", "input_batch(against_others(advantages).T)) * (1 / k)"),
]


@task("10.5")
def test_advantages_by_hand(work):
    costs = np.array([[0.2, 0.4, 0.9], [1.0, 0.0, 0.5]])
    expected = np.array([[0.2 - 0.65, 0.4 - 0.55, 0.9 - 0.3], [1.0 - 0.25, 0.0 - 0.75, 0.5 - 0.5]])
    message = "two sentences with three samples: the cost less the mean of the two others of the same sentence"
    close(work.against_others(costs), expected, message)
    close(work.against_others(np.array([[0.3, 0.7]])), np.array([[-0.4, 0.4]]), "two samples: each less the other")


@task("10.5")
def test_a_single_sample_has_no_advantage(work):
    close(work.against_others(np.array([[0.3], [0.9]])), np.zeros((2, 1)), "one sample for each of two sentences")


@task("10.5")
def test_equal_costs_teach_nothing(work):
    close(work.against_others(np.full((2, 5), 0.7)), np.zeros((2, 5)), "five samples that all cost 0.7")


@task("10.5")
def test_a_baseline_does_not_know_its_own_sample(work):
    costs = np.random.default_rng(0).random((3, 4))
    dearer = costs.copy()
    dearer[1, 2] += 1.0
    change = np.asarray(work.against_others(dearer), dtype=float) - np.asarray(work.against_others(costs), dtype=float)
    expected = np.zeros((3, 4))
    expected[1] = [-1 / 3, -1 / 3, 1.0, -1 / 3]
    message = "a sample that costs 1 more has 1 more of advantage, its three neighbours a third less, others nothing"
    close(change, expected, f"{message}; the change of yours", tolerance=1e-6)


def ask(work, log_probs, advantages, what):
    found = work.policy_loss(input_batch(log_probs), advantages)
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    dimensions, batch = found.dim()
    right = (1,), log_probs.shape[1]
    check((dimensions, batch) == right, f"{what}: it must be (1,) x {right[1]}, yours is {dimensions} x {batch}")
    return np.reshape(found.npvalue(), -1)


@task("10.5")
def test_the_loss_by_hand(work):
    log_probs = np.array([[-1.0, -4.0], [-2.0, -0.5], [-3.0, -2.0]])
    advantages = np.array([[0.5, -0.25, -0.25], [1.0, 0.0, -0.75]])
    expected = np.array([(-0.5 + 0.5 + 0.75) / 3, (-4.0 + 0.0 + 1.5) / 3])
    what = "three samples of two sentences"
    close(
        ask(work, log_probs, advantages, what), expected, f"{what}: the mean of advantage times log P", tolerance=1e-6
    )


@task("10.5")
def test_sizes(work):
    rng = np.random.default_rng(2)
    for k, B in ((1, 1), (4, 1), (1, 3), (2, 5)):
        dy.renew_cg()
        log_probs, advantages = rng.normal(-3, 1, (k, B)), rng.normal(size=(B, k))
        expected, what = (log_probs.T * advantages).mean(axis=1), f"{k} samples of {B} sentences"
        close(ask(work, log_probs, advantages, what), expected, what, tolerance=1e-5)


@task("10.5")
def test_what_was_cheap_becomes_more_probable(work):
    """On all samples of a tiny model the mean gradient is that of the expected cost, whatever the baseline."""
    scores, costs = np.array([0.3, -0.5, 0.1]), np.array([0.0, 1.0, 0.4])
    P = np.exp(scores) / np.exp(scores).sum()
    expected, found = P * (costs - P @ costs), np.zeros(3)
    for first in range(3):
        for second in range(3):
            dy.renew_cg()
            collection = dy.ParameterCollection()
            weights = collection.add_parameters(3, init=dy.NumpyInitializer(scores))
            log_probs = dy.log_softmax(weights)
            both = dy.concatenate([log_probs[first], log_probs[second]])
            pair = costs[[first, second]]
            loss = work.policy_loss(both, np.array([[pair[0] - pair[1], pair[1] - pair[0]]]))
            loss.value()
            loss.backward()
            found += P[first] * P[second] * weights.grad_as_array()
    message = "the gradient, averaged over all pairs of samples, must be that of the expected cost"
    close(found, expected, message, tolerance=1e-5)


@task("10.5")
def test_the_chapter_agrees(work):
    from chapters.beyond import objectives as course

    rng = np.random.default_rng(4)
    for B, k in ((2, 5), (3, 1), (1, 2)):
        dy.renew_cg()
        costs, log_probs = rng.random((B, k)), rng.normal(-4, 1, (k, B))
        advantages = course.against_others(costs)
        close(work.against_others(costs), advantages, f"the chapter's advantages of {k} samples")
        expected = np.reshape(course.policy_loss(input_batch(log_probs), advantages).npvalue(), -1)
        close(ask(work, log_probs, advantages, "the chapter's loss"), expected, "the chapter's loss", tolerance=1e-5)
