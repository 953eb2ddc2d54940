"""Graders of active_features.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import close, equal, task

MUTANTS = [
    ("2.2", "return padded[: -distances - 1 : -1]", "return padded[-distances:]"),
    ("2.2", "[0] * distances + list(before)", "list(before)"),
    ("2.2", "[0] * distances + list(before)", "list(before)[:-1] + [0] * distances"),
    ("2.2", "place * vocabulary_size + word: 1.0", "word: 1.0"),
    ("2.2", "place * vocabulary_size + word: 1.0", "place * (vocabulary_size + 1) + word: 1.0"),
    ("2.2", "bag = distances * vocabulary_size + word", "bag = word"),
    ("2.2", "features.get(bag, 0.0) + 1.0", "1.0"),
    ("2.2", "for word in before:", "for word in [0, *before]:"),
    ("2.2", "for word in before:", "for word in before[-distances:]:"),
]


@task("2.2")
def test_the_words_before_by_hand(work):
    equal(work.previous_words([7, 4, 9, 3], 2), [3, 9], "the two words before the next one, after 7 4 9 3")
    equal(work.previous_words([7, 4, 9, 3], 1), [3], "one word before the next one, after 7 4 9 3")


@task("2.2")
def test_the_words_before_the_beginning(work):
    equal(work.previous_words([7, 4], 3), [4, 7, 0], "three words back, after 7 4: the third is before the sentence")
    equal(work.previous_words([], 2), [0, 0], "two words back, before the first word")


@task("2.2")
def test_features_by_hand(work):
    expected = {6: 1, 8 + 3: 1, 16 + 3: 1, 16 + 6: 1}
    close(work.active_features([3, 6], 2, 8), expected, "the features after 3 6, with V = 8 and two places")
    expected = {4: 1, 7 + 4: 2, 7 + 2: 1}
    close(work.active_features([4, 2, 4], 1, 7), expected, "the features after 4 2 4, with V = 7 and one place")


@task("2.2")
def test_features_at_the_beginning(work):
    message = "the features before the first word, with V = 8 and two places: nothing is in the bag"
    close(work.active_features([], 2, 8), {0: 1, 8: 1}, message)


@task("2.2")
def test_the_bag_remembers_everything(work):
    expected = {2: 1, 6 + 3: 1, 12 + 5: 2, 12 + 4: 1, 12 + 3: 1, 12 + 2: 1}
    message = "the features after 5 5 4 3 2, with V = 6 and two places: the bag is of the whole sentence"
    close(work.active_features([5, 5, 4, 3, 2], 2, 6), expected, message)


@task("2.2")
def test_the_chapter_agrees(work):
    from chapters.loglinear_lm.features import FeatureSet

    vocab = Vocabulary(["goat", "hen", "sees", "the"])
    features = FeatureSet("word1,word2,bag", vocab, np.zeros(len(vocab), dtype=int), {})
    sentence = [5, 3, 4, 5, 2, 1, 5]
    ids, values = features.active(np.array([[0, *sentence]]).T)
    for place in range(len(sentence) + 1):
        expected = np.zeros(features.size)
        np.add.at(expected, ids[place, 0], values[place, 0])
        found = np.zeros(features.size)
        for number, value in work.active_features(sentence[:place], 2, len(vocab)).items():
            found[number] = value
        close(found, expected, f"x after {sentence[:place]}, V = {len(vocab)}, two places, as chapter 2 has it")
