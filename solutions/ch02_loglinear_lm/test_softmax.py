"""Graders of softmax.py."""

import numpy as np

from common.chapters import chapter_module
from solutions.checks import check, close, distribution, plain, task

MUTANTS = [
    ("2.3", "s += W[feature] * value", "s += W[feature]"),
    ("2.3", "    s = b.copy()", "    s = b"),
    ("2.3", "    s = b.copy()", "    s = np.zeros_like(b)"),
    ("2.3", "shifted = scores - scores.max(axis=1, keepdims=True)", "shifted = scores"),
    ("2.3", "np.log(np.exp(shifted).sum(axis=1, keepdims=True))", "np.log(np.exp(shifted).sum())"),
    ("2.3", "scores.max(axis=1, keepdims=True)", "scores.max(axis=0, keepdims=True)"),
    (
        "2.3",
        "return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))",
        "return np.log(np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True))",
    ),
    (
        "2.3",
        "return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))",
        "return np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)",
    ),
    ("2.3", "return -float(log_p[", "return float(log_p["),
    ("2.3", "targets].sum())", "targets].mean())"),
    ("2.3", "[np.arange(len(targets)), targets]", "[:, targets]"),
]

W = np.array([[1.0, -2.0, 0.5, 3.0], [0.25, 4.0, -1.0, 0.0], [-3.0, 1.5, 2.0, -0.5]])
B = np.array([0.1, -0.2, 0.3, 0.7])


@task("2.3")
def test_scores_by_hand(work):
    expected = np.array([1 - 6 + 0.1, -2 + 3 - 0.2, 0.5 + 4 + 0.3, 3 - 1 + 0.7])
    close(
        work.scores(W.copy(), B.copy(), {0: 1.0, 2: 2.0}), expected, "the scores of 4 words where x_0 = 1 and x_2 = 2"
    )
    close(work.scores(W.copy(), B.copy(), {}), B, "the scores where no feature is active")


@task("2.3")
def test_scores_change_nothing(work):
    rows, bias = W.copy(), B.copy()
    work.scores(rows, bias, {1: 1.0, 2: 3.0})
    check(np.array_equal(rows, W) and np.array_equal(bias, B), "W and b must be what they were before: work on a copy")


@task("2.3")
def test_the_softmax_by_hand(work):
    found = work.log_softmax(np.log([[1.0, 2.0, 5.0], [6.0, 3.0, 1.0]]))
    expected = np.log([[0.125, 0.25, 0.625], [0.6, 0.3, 0.1]])
    close(found, expected, "log p of the scores log 1, log 2, log 5 and log 6, log 3, log 1; each row by itself")
    close(work.log_softmax(np.array([[3.5]])), np.array([[0.0]]), "log p of the only word that there is")


@task("2.3")
def test_it_is_a_distribution(work):
    scores = np.random.default_rng(2).normal(0, 3, (5, 7))
    found = np.asarray(plain(work.log_softmax(scores), "log p is an array"))
    check(found.shape == (5, 7), f"log p of scores (5, 7) must be (5, 7), yours is {found.shape}")
    for row in found:
        distribution(np.exp(row), "exp of each row of log p")


@task("2.3")
def test_large_scores(work):
    found = work.log_softmax(np.array([[1000.0, 1000.0, 999.0], [-1000.0, -1000.0, -1001.0]]))
    one = -np.log(2 + np.exp(-1.0))
    expected = np.array([[one, one, one - 1.0]] * 2)
    close(found, expected, "scores of 1000, 1000, 999 and of -1000, -1000, -1001 give the same log p, and finite ones")
    found = work.log_softmax(np.array([[0.0, -2000.0, 2000.0]]))
    close(found, np.array([[-2000.0, -4000.0, 0.0]]), "log p of scores 0, -2000 and 2000: none of them is infinite")


@task("2.3")
def test_the_loss_by_hand(work):
    log_p = np.array([[-0.5, -1.25, -3.0], [-2.0, -0.75, -4.0]])
    close(work.loss(log_p, np.array([2, 1])), 3.75, "-log p of word 2 in the first position and word 1 in the second")
    close(work.loss(log_p[:1], np.array([1])), 1.25, "the loss of a single position whose word is 1")


@task("2.3")
def test_a_uniform_model(work):
    log_p = work.log_softmax(np.full((6, 9), 2.5))
    found = work.loss(log_p, np.array([0, 8, 3, 3, 1, 5]))
    close(np.exp(found / 6), 9.0, "exp(loss / positions) of a model with 9 words, all with the score 2.5")


@task("2.3")
def test_the_chapter_agrees(work):
    scores = np.random.default_rng(4).normal(0, 20, (6, 8)).astype(np.float32)
    expected = chapter_module("02_loglinear_lm", "model").log_softmax(scores.copy())
    close(work.log_softmax(scores.copy()), expected, "log p of float32 scores, as chapter 2 has it", tolerance=1e-4)
