"""Graders of priors.py."""

import dynet as dy
import numpy as np

from chapters.attention import attention_priors as attention_priors_module
from solutions.checks import check, close, finite_difference, task

MarkovBias = attention_priors_module.MarkovBias
PositionBias = attention_priors_module.PositionBias

MUTANTS = [
    ("8.6", "* -bias.strength", "* bias.strength"),
    ("8.6", "* -bias.strength", "* -bias.strength.expr()"),
    ("8.6", "bias.pace.expr(False) * float(step)", "bias.pace * float(step)"),
    ("8.6", "bias.pace.expr(False) * float(step)", "bias.pace.expr(False) * float(step + 1)"),
    ("8.6", "bias.pace.expr(False) * float(step)", "dy.scalarInput(float(step))"),
    ("8.6", "dy.abs(places - diagonal)", "dy.square(places - diagonal)"),
    ("8.6", "dy.abs(places - diagonal)", "(places - diagonal)"),
    ("8.6", "dy.abs(places - diagonal)", "dy.abs(places) - diagonal"),
    ("8.6", 'ravel(order="F")', "ravel()"),
    ("8.6", "np.arange(-bias.window, bias.window + 1)", "np.arange(bias.window, -bias.window - 1, -1)"),
    ("8.6", "dy.reshape(bias.jumps * dy", "dy.reshape(bias.jumps.expr() * dy"),
    ("8.6", "== column_after_column", "== np.clip(column_after_column, -bias.window, bias.window)"),
]

STRENGTH, PACE = 2.0, 0.75
JUMPS = np.array([[0.5, -1.0, 2.0, 3.0, -0.25]])


def position():
    """A position bias with s = 2, rho = 0.75; the collection must be kept."""
    collection = dy.ParameterCollection()
    bias = PositionBias(collection, PACE)
    bias.strength.set_value(np.array([[STRENGTH]]))
    return collection, bias


def markov(jumps=JUMPS):
    collection = dy.ParameterCollection()
    bias = MarkovBias(collection, jumps.shape[1] // 2)
    bias.jumps.set_value(jumps)
    return collection, bias


def matrix_of(jumps, words):
    """w_{j-i} number by number."""
    window = jumps.shape[1] // 2
    found = np.zeros((words, words))
    for j, i in np.ndindex(words, words):
        if abs(j - i) <= window:
            found[j, i] = jumps[0, j - i + window]
    return found


def numbers(found, dimensions, what):
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    own, batch = found.dim()
    check(own == dimensions and batch == 1, f"{what}: the result must be {dimensions}, yours is {own} x {batch}")
    return np.reshape(found.npvalue(), dimensions, order="F")


@task("8.6")
def test_the_diagonal_by_hand(work):
    collection, bias = position()
    what = "s = 2, rho = 0.75, four words, t = 2"
    found = numbers(work.position_scores(bias, 4, 2), (4, 1), what)
    message = f"{what}: the diagonal is at 1.5; each word costs its distance from there, times s"
    close(found[:, 0], np.array([-3.0, -1.0, -1.0, -3.0]), message, tolerance=1e-5)


@task("8.6")
def test_the_diagonal_at_other_steps(work):
    collection, bias = position()
    for words, step in ((1, 0), (1, 3), (5, 0), (3, 6)):
        what = f"{words} words, t = {step}"
        found = numbers(work.position_scores(bias, words, step), (words, 1), what)
        expected = np.array([-STRENGTH * abs(j - PACE * step) for j in range(words)])
        close(found[:, 0], expected, f"{what}: both are counted from 0; no word's score may rise", tolerance=1e-5)


@task("8.6")
def test_the_strength_learns_and_the_pace_does_not(work):
    collection, bias = position()
    loss = dy.sum_elems(dy.square(work.position_scores(bias, 3, 2)))
    loss.value()
    loss.backward()
    gradient = bias.strength.grad_as_array()
    message = "the gradient of the strength: use bias.strength in the formula, not a copy of its number"
    close(gradient, np.array([[2 * STRENGTH * (1.5**2 + 0.5**2 + 0.5**2)]]), message, tolerance=1e-3)
    check((bias.pace.grad_as_array() == 0).all(), "the pace was counted and must not be learnt: bias.pace.expr(False)")


@task("8.6")
def test_jumps_by_hand(work):
    collection, bias = markov(JUMPS[:, :3])
    found = numbers(work.markov_matrix(bias, 4), (4, 4), "D = 1, w = (0.5, -1, 2), four words")
    expected = np.array([[-1, 0.5, 0, 0], [2, -1, 0.5, 0], [0, 2, -1, 0.5], [0, 0, 2, -1]])
    message = (
        "D = 1, w = (0.5, -1, 2): row j, column i has w_{j-i}, so the jump of one word forwards is below the diagonal"
    )
    close(found, expected, message, tolerance=1e-5)


@task("8.6")
def test_jumps_of_other_sources(work):
    for words in (1, 2, 3, 7):
        dy.renew_cg()
        collection, bias = markov()
        what = f"D = 2, {words} words"
        found = numbers(work.markov_matrix(bias, words), (words, words), what)
        close(
            found, matrix_of(JUMPS, words), f"{what}: jumps of more than D words have 0, whatever S is", tolerance=1e-5
        )


@task("8.6")
def test_where_the_last_step_looked_counts(work):
    collection, bias = markov()
    found = work.markov_matrix(bias, 5) * dy.inputTensor(np.array([[0.0], [1.0], [0.0], [0.0], [0.0]]))
    expected = np.array([JUMPS[0, 1], JUMPS[0, 2], JUMPS[0, 3], JUMPS[0, 4], 0.0])
    message = (
        "M alpha after weight on word 1 (counted from 0): words 0 to 4 are jumps of -1, 0, 1, 2 and 3 words from there"
    )
    close(numbers(found, (5, 1), "M alpha")[:, 0], expected, message, tolerance=1e-5)


@task("8.6")
def test_jumps_learn(work):
    collection, bias = markov()
    loss = dy.sum_elems(dy.square(work.markov_matrix(bias, 4)))
    loss.value()
    loss.backward()
    jumps = JUMPS.copy()
    expected = finite_difference(lambda: float((matrix_of(jumps, 4) ** 2).sum()), jumps)
    message = "the gradient of the jumps: make the matrix of bias.jumps itself, not of a copy of its numbers"
    close(bias.jumps.grad_as_array(), expected, message, tolerance=2e-3)


@task("8.6")
def test_the_course_agrees(work):
    (_kept, bias), (_kept_too, jumps) = position(), markov()
    for words in (1, 4, 6):
        for step in (0, 5):
            expected = bias.scores(words, step).npvalue()
            close(work.position_scores(bias, words, step), expected, "the course's bias", tolerance=1e-5)
        expected = jumps.matrix(words).npvalue()
        close(work.markov_matrix(jumps, words), expected, "the course's matrix of jumps", tolerance=1e-5)
