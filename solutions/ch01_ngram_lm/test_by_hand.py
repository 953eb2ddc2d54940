"""Graders of by_hand.py."""

from solutions.checks import close, equal, task

MUTANTS = [
    ("1.1", "6 + 1 + 5 + 1", "6 + 5"),
    ("1.1", "return 2 / 3", "return 2 / 4"),
    ("1.1", "* (1 / 2)", ""),
    ("1.1", "return 0.0", "return 1 / 36"),
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
