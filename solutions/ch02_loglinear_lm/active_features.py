"""Exercise 2.2: feature functions. Which properties of the context help to predict the next word?

Words are ids from 0 to V - 1; id 0 is the boundary, which also fills the positions before the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence


def previous_words(before: Sequence[int], distances: int) -> list[int]:
    """The words 1, 2, ... `distances` places before the next one, the nearest first; 0 for places before the sentence.

    before: the words of the sentence so far, without <s>.

    previous_words([7, 4, 9], 2) == [9, 4], and previous_words([7], 3) == [7, 0, 0]
    """
    # BEGIN SOLUTION 2.2
    padded = [0] * distances + list(before)
    return padded[: -distances - 1 : -1]
    # END SOLUTION


def active_features(before: Sequence[int], distances: int, vocabulary_size: int) -> dict[int, float]:
    """phi(context): which features are active, and their x_j (Neubig 2017, section 4.1). All others are zero.

    There are two kinds. Each feature function has a separate range of V ids, one range after another:

        word d places back, d = 1 ... distances     its one-hot vector: x = 1
        bag of words                                how often each word occurs in the sentence so far

    The boundary is a feature of the first kind (the sentence has just begun), but is not in the bag.

    active_features([5, 2, 5], 2, 10) == {5: 1, 12: 1, 25: 2, 22: 1}: 5 is one place back, 2 is two places back,
    and the bag, whose ids begin at 20, contains 5 twice and 2 once.
    """
    # BEGIN SOLUTION 2.2
    features = {place * vocabulary_size + word: 1.0 for place, word in enumerate(previous_words(before, distances))}
    for word in before:
        bag = distances * vocabulary_size + word
        features[bag] = features.get(bag, 0.0) + 1.0
    return features
    # END SOLUTION
