"""Graders of kneser_ney.py."""

from solutions.checks import close, equal, task


@task("1.6")
def test_discounts_by_hand(work):
    discounts, share = work.discounts([1] * 6 + [2] * 3 + [3] * 2 + [4, 7, 9]), 6 / (6 + 2 * 3)
    expected = [1 - 2 * share * 3 / 6, 2 - 3 * share * 2 / 3, 3 - 4 * share * 1 / 2]
    close(discounts, expected, "D_1, D_2, D_3 with n_1 to n_4 = 6, 3, 2, 1")


@task("1.6")
def test_continuations_by_hand(work):
    longer = {("<s>", "a"): 5, ("b", "a"): 2, ("a", "b"): 9, ("b", "c"): 1, ("b", "</s>"): 4}
    contexts = work.continuation_counts({("a",): 7, ("b",): 9, ("c",): 1}, longer)
    equal(contexts, {("a",): 2, ("b",): 1, ("c",): 1}, "how many different words came before a, b and c")
    longer = {("<s>", "a", "b"): 5, ("<s>", "b", "a"): 2, ("c", "b", "a"): 1}
    contexts = work.continuation_counts({("<s>", "a"): 5, ("b", "a"): 3}, longer)
    equal(contexts, {("<s>", "a"): 5, ("b", "a"): 2}, "nothing comes before <s>, so `<s> a` keeps its count")


@task("1.6")
def test_two_orders_by_hand(work):
    counts = [{("a",): 5, ("b",): 3, ("c",): 1}, {("a", "b"): 4, ("a", "c"): 1, ("a", "a"): 2, ("b", "a"): 1}]
    unigram = (3 - 1.1) / 9 + (1.1 + 1.1 + 0.3) / 9 / 20
    expected = (4 - 1.4) / 7 + (1.4 + 0.6 + 0.9) / 7 * unigram
    probability = work.kneser_ney(counts, [(0.3, 0.8, 1.1), (0.6, 0.9, 1.4)], ("a",), "b", 20)
    close(probability, expected, "P(b | a) of bigrams and unigrams and 1/V")
