"""Graders of warm_up.py."""

import itertools

import numpy as np

from solutions.checks import answer, close, equal, task

MUTANTS = [
    ("7.1", 'return "a b"', 'return "a"'),
    ("7.1", 'return "a b"', 'return "b"'),
    ("7.1", 'return "b"', 'return "a b"'),
    ("7.1", 'return "b"', 'return ""'),
    ("7.1", "math.log(0.5 * 0.5 * 1.0) / 3", "math.log(0.5 * 0.5 * 1.0) / 2"),
    ("7.1", "math.log(0.5 * 0.5 * 1.0) / 3", "math.log2(0.5 * 0.5 * 1.0) / 3"),
    ("7.1", "math.log(0.5 * 0.5 * 1.0) / 3", "0.5 * 0.5 * 1.0 / 3"),
    ("7.1", "for length in range(longest + 1)", "for length in range(1, longest + 1)"),
    ("7.1", "sum(words**length for length in range(longest + 1))", "words**longest"),
    ("7.1", "(words + 1) * (1 + size * (steps - 1))", "words * (1 + size * (steps - 1))"),
    ("7.1", "(words + 1) * (1 + size * (steps - 1))", "(words + 1) * size * steps"),
    ("7.1", "(words + 1) * (1 + size * (steps - 1))", "(words + 1) ** steps"),
]


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
    for words, longest in [(2, 3), (3, 4), (1, 5), (4, 0)]:
        sentences = [one for length in range(longest + 1) for one in itertools.product(range(words), repeat=length)]
        message = f"{words} words, at most {longest} in a sentence: how many of each length, 0 among them?"
        equal(work.sentences_to_compare(words, longest), len(sentences), message)


@task("7.1")
def test_beam_search(work):
    for words, steps, size in [(5, 1, 3), (9, 4, 2), (20, 3, 1), (30, 10, 5)]:
        compared, live = 0, 1
        for _ in range(steps):
            compared, live = compared + live * (words + 1), size
        message = (
            f"{words} words and </s>, {steps} step(s), a beam of {size}: continuations of <s>, then of {size} each"
        )
        equal(work.probabilities_in_a_beam(words, steps, size), compared, message)
