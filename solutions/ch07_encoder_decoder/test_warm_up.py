"""Graders of warm_up.py."""

import numpy as np

from solutions.checks import answer, close, equal, task


@task("7.1")
def test_greedy_search(work):
    message = "which word has the highest probability after <s>, which one after that, and does the sentence end there?"
    answer(work.found_by_greedy_search(), "4fa8c7cad76cdf0c", message)


@task("7.1")
def test_the_most_probable(work):
    message = "multiply along every path to a </s>, of the short sentences too, and compare the products"
    answer(work.most_probable(), "5d1a5697821575a6", message)


@task("7.1")
def test_the_normalised_score(work):
    message = "the natural logarithm of the product of all predictions, divided by how many predictions there are"
    close(work.normalised_score(), float(np.log([0.5, 0.5, 1.0]).mean()), message, tolerance=1e-4)


@task("7.1")
def test_exhaustive_search(work):
    message = "3 words, at most 4 in a sentence: how many of each length, 0 among them?"
    equal(work.sentences_to_compare(3, 4), 1 + 3 + 9 + 27 + 81, message)


@task("7.1")
def test_beam_search(work):
    message = "9 words and </s>, 4 steps, a beam of 2: continuations of <s>, then of 2 each"
    equal(work.probabilities_in_a_beam(9, 4, 2), 10 + 20 + 20 + 20, message)
