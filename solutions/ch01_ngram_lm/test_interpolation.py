"""Graders of interpolation.py."""

from solutions.checks import close, task

COUNTS = [
    {("a",): 5, ("b",): 3, ("c",): 2},
    {("a", "b"): 3, ("a", "c"): 1, ("b", "a"): 4, ("c", "b"): 2},
    {("b", "a", "c"): 2, ("b", "a", "b"): 3, ("c", "b", "a"): 1},
]


@task("1.4")
def test_one_order_by_hand(work):
    probability = work.interpolated(COUNTS[:1], [0.2], (), "b", 50)
    close(probability, 0.8 * 0.3 + 0.2 / 50, "P(b) of 1-grams with c(b) = 3 of 10, alpha = 0.2, and 1/V with V = 50")


@task("1.4")
def test_three_orders_by_hand(work):
    bigram = 0.75 * (1 / 4) + 0.25 * (0.9 * 0.2 + 0.1 / 20)
    probability = work.interpolated(COUNTS, [0.1, 0.25, 0.6], ("b", "a"), "c", 20)
    close(probability, 0.4 * (2 / 5) + 0.6 * bigram, "P(c | b a) of 3-grams, 2-grams, 1-grams, 1/V")
