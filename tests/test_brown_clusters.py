"""Brown clustering merges what costs the least mutual information, by a count of everything."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from chapters.loglinear_lm import clusters

V = 9


def random_text(seed: int, sentences: int = 25) -> list[list[int]]:
    """Word ids of a small language in which some words are alike."""
    rng = np.random.default_rng(seed)
    frequencies = 1 / np.arange(1, V)
    return [
        (1 + rng.choice(V - 1, rng.integers(0, 7), p=frequencies / frequencies.sum())).tolist()
        for _ in range(sentences)
    ] + [[word] for word in range(1, V)]


def mutual_information(text: list[list[int]], class_of: dict[int, object]) -> float:
    """N times the AMI of neighbouring classes, from the definition."""
    pairs = Counter(
        (class_of[first], class_of[second])
        for sentence in text
        for first, second in zip([0, *sentence], [*sentence, 0], strict=True)
    )
    left, right, total = Counter(), Counter(), sum(pairs.values())
    for (first, second), count in pairs.items():
        left[first] += count
        right[second] += count
    return sum(n * math.log(n * total / (left[a] * right[b])) for (a, b), n in pairs.items())


def brute_force_losses(text: list[list[int]], window) -> np.ndarray:
    """What every merger costs, by computing the AMI before and after it."""
    class_of = dict(enumerate(window.class_of_word.tolist()))
    before, size = mutual_information(text, class_of), window.outside
    losses = np.full((size, size), np.inf)
    for a in range(size):
        for b in range(a + 1, size):
            merged = {word: a if item == b else item for word, item in class_of.items()}
            losses[a, b] = before - mutual_information(text, merged)
    return losses


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("classes", [2, 4])
def test_every_merger_costs_what_it_is_said_to(seed: int, classes: int) -> None:
    """At every step of the algorithm, for every pair of classes, and the cheapest pair is merged."""
    text = random_text(seed)
    window = clusters.Window(clusters.bigram_counts(text, V), classes)
    while window.next_word < V:
        window.let_in()
        expected = brute_force_losses(text, window)
        np.testing.assert_allclose(window.losses(), expected, atol=1e-9)
        a, b = window.cheapest_merger()
        assert expected[a, b] == pytest.approx(expected.min(), abs=1e-9) and a < b
        members = {frozenset(np.flatnonzero(window.class_of_word == item)) for item in (a, b)}
        window.merge(a, b)
        assert frozenset.union(*members) in {
            frozenset(np.flatnonzero(window.class_of_word == item)) for item in range(classes)
        }
        assert window.class_of_word[: window.next_word].max() < classes
        recounted = counts_of(text, window)
        np.testing.assert_allclose(window.counts, recounted)


def counts_of(text: list[list[int]], window) -> np.ndarray:
    counts = np.zeros_like(window.counts)
    for sentence in text:
        for first, second in zip([0, *sentence], [*sentence, 0], strict=True):
            counts[window.class_of_word[first], window.class_of_word[second]] += 1
    return counts


@pytest.mark.parametrize("classes", [1, 3, V, V + 5])
def test_classes_are_numbered_without_gaps(classes: int) -> None:
    actual = clusters.brown_clusters(random_text(5), V, classes)
    assert actual.shape == (V,) and sorted(set(actual.tolist())) == list(range(min(classes, V)))
