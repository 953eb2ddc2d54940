"""Part 2 of chapter 1: its cells compute what the chapter's own smoothing does, and its figures show it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.counted import by_hand, two_opinions, village
from book.figures import ch01_part2
from book.lessons.cells import namespace
from chapters.ngram_lm import katz, smoothing, tuning

LESSON = namespace("01", 2)


def test_counts_divided_by_their_sum_are_the_course_s_most_likely_estimate() -> None:
    vocab, levels, *_ = village()
    here = levels[1].contexts == vocab.ids["hen"]
    own = smoothing.maximum_likelihood(2, levels[1], len(vocab))[0][here]
    assert sorted(LESSON["estimates"]["c(hw) / c(h)"]) == pytest.approx(sorted(own))
    assert max(LESSON["likelihoods"]) == LESSON["likelihoods"][0]
    rng = np.random.default_rng(1)
    for _ in range(100):
        other = rng.dirichlet(np.ones(5))
        assert (LESSON["seen"] * np.log(other)).sum() < LESSON["likelihoods"][0]


def test_a_round_of_em_follows_the_bound_of_the_figure() -> None:
    alphas = np.linspace(0.05, 0.95, 181)
    for old in (0.2, 0.5, 0.9):
        gamma = LESSON["responsibility"](old)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = ch01_part2.bound(alphas, gamma, LESSON["bigram"], LESSON["unigram"])
            touching = ch01_part2.bound(np.array([old]), gamma, LESSON["bigram"], LESSON["unigram"])
        assert (bound <= [LESSON["log_likelihood"](alpha) + 1e-12 for alpha in alphas]).all()
        assert touching[0] == pytest.approx(LESSON["log_likelihood"](old))
        assert alphas[bound.argmax()] == pytest.approx(gamma.mean(), abs=0.005)
    assert LESSON["hand"] == tuning.tune_weight(LESSON["bigram"], LESSON["unigram"])


def test_dev_and_the_discounts_are_the_course_s() -> None:
    _, levels, _, dev = village()
    assert LESSON["dev_pairs"].total() == len(two_opinions("dev")[0]) == sum(len(line) + 1 for line in dev)
    assert LESSON["D"] == smoothing.estimate_discounts(levels[1].counts, 1)[0]
    n = smoothing.counts_of_counts(levels[1].counts)
    assert (1 - LESSON["D"]) / LESSON["D"] == pytest.approx(2 * n[2] / n[1])
    ratio = katz.good_turing_ratios(levels[1].counts)[1]
    common = 6 * np.count_nonzero(levels[1].counts == 6) / n[1]  # Katz's correction, for counts up to 5
    assert ratio == pytest.approx((2 * n[2] / n[1] - common) / (1 - common))


def test_back_off_by_hand_gives_probabilities() -> None:
    """With β the words after *girl* sum to one, by the plain unigrams."""
    words, girl = LESSON["words"], LESSON["girl"]
    unseen = sum(words[word] for word in by_hand()[0].words if word not in girl and word in words)
    assert math.isclose(sum(LESSON["own"].values()) + LESSON["beta"] * unseen / LESSON["predictions"], 1)
