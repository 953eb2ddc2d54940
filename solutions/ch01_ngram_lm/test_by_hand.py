"""Graders of by_hand.py."""

from solutions.checks import close, equal, task


@task("1.1")
def test_predictions(work):
    equal(work.predictions(), 13, "each sentence costs its words and one prediction more; count them in both")


@task("1.1")
def test_the_goat(work):
    close(work.probability_of_goat(), 2 / 3, "how often does anything follow `the`, and how often is it `goat`?")


@task("1.1")
def test_the_patchwork(work):
    message = "multiply P(next word | word) over all nine pairs, <s> the ... . </s>; which of them are not 1?"
    close(work.probability_of_a_patchwork(), 1 / 9, message)


@task("1.1")
def test_the_new_pair(work):
    equal(work.probability_of_a_new_pair(), 0, "what is c(mira sees)? and what does one such factor do to a product?")


@task("1.1")
def test_how_many_sentences(work):
    message = "5 words of a vocabulary of 2: how many choices are there at each place?"
    equal(work.how_many_sentences(2, 5), 2 * 2 * 2 * 2 * 2, message)


@task("1.1")
def test_how_many_parameters(work):
    message = "V = 6, n = 3: how many contexts of n-1 words, and how many words after each?"
    equal(work.how_many_parameters(6, 3), 6 * 6 * 6, message)
