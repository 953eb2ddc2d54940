"""Graders of active_features.py."""

from solutions.checks import close, equal, task


@task("2.2")
def test_the_words_before_by_hand(work):
    equal(work.previous_words([7, 4, 9, 3], 2), [3, 9], "the two words before the next one, after 7 4 9 3")
    equal(work.previous_words([7, 4], 3), [4, 7, 0], "three words back, after 7 4: the third is before the sentence")


@task("2.2")
def test_features_by_hand(work):
    expected = {6: 1, 8 + 3: 1, 16 + 3: 1, 16 + 6: 1}
    close(work.active_features([3, 6], 2, 8), expected, "the features after 3 6, with V = 8 and two places")
    expected = {4: 1, 7 + 4: 2, 7 + 2: 1}
    close(work.active_features([4, 2, 4], 1, 7), expected, "the features after 4 2 4, with V = 7 and one place")
    message = "the features before the first word, with V = 8 and two places: nothing is in the bag"
    close(work.active_features([], 2, 8), {0: 1, 8: 1}, message)
