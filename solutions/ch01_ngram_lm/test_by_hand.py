"""Graders of by_hand.py."""

from itertools import product

from solutions.checks import close, equal, task

MUTANTS = [
    ("1.1", "6 + 1 + 5 + 1", "6 + 5"),
    ("1.1", "return 2 / 3", "return 2 / 4"),
    ("1.1", "* (1 / 2)", ""),
    ("1.1", "return 0.0", "return 1 / 36"),
    ("1.1", "vocabulary_size**words", "vocabulary_size * words"),
    ("1.1", "vocabulary_size**words", "words**vocabulary_size"),
    ("1.1", "vocabulary_size**n", "vocabulary_size ** (n - 1)"),
    ("1.1", "vocabulary_size**n", "n * vocabulary_size"),
]


@task("1.1")
def test_predictions(work):
    equal(work.predictions(), 13, "each sentence costs its words and one prediction more; count them in both")


@task("1.1")
def test_the_goat(work):
    close(work.probability_of_goat(), 2 / 3, "how often does anything follow `the`, and how often is it `goat`?")


@task("1.1")
def test_the_patchwork(work):
    close(
        work.probability_of_a_patchwork(),
        1 / 9,
        "multiply P(next word | word) over all nine pairs, <s> the ... . </s>; which of them are not 1?",
    )


@task("1.1")
def test_the_new_pair(work):
    close(work.probability_of_a_new_pair(), 0.0, "what is c(mira sees)? and what does one such factor do to a product?")


@task("1.1")
def test_how_many_sentences(work):
    for vocabulary_size, words in [(3, 2), (2, 5), (10, 1), (7, 4)]:
        message = f"{words} word(s) of a vocabulary of {vocabulary_size}: how many choices are there at each place?"
        expected = sum(1 for _ in product(range(vocabulary_size), repeat=words))
        equal(work.how_many_sentences(vocabulary_size, words), expected, message)


@task("1.1")
def test_how_many_parameters(work):
    for vocabulary_size, n in [(5, 2), (9, 1), (2, 5), (6, 3)]:
        message = f"V = {vocabulary_size}, n = {n}: how many contexts of n-1 words, and how many words after each?"
        expected = sum(vocabulary_size for _ in product(range(vocabulary_size), repeat=n - 1))
        equal(work.how_many_parameters(vocabulary_size, n), expected, message)
