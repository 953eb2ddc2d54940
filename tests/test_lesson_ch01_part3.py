"""Part 3 of chapter 1: its worked examples are plain arithmetic, and its figures show what the course computes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from book.counted import by_hand, village
from book.figures.ch01_part3_data import running_text
from book.lessons.cells import namespace
from chapters.ngram_lm import pruning, running, smoothing, tuning

BIGRAM = np.array([1, 1 / 3, 0, 1, 1, 1])
UNIGRAM = np.array([3, 1, 1, 1, 3, 3]) / 16
ESTIMATES = {1: smoothing.maximum_likelihood, 2: smoothing.absolute(1)}
ONCE = [2, 3, 4]
"""The predictions of *the son feeds ponies .* whose histories (son, feeds, ponies) were seen once."""


LESSON = namespace("01", 3)


def test_counts_of_histories_are_those_of_the_course() -> None:
    vocab, levels, *_ = village()
    for name, counts in (("seen", levels[1].counts), ("kinds", levels[1].counts > 0)):
        by_history = smoothing.total(levels[1], counts, len(vocab))
        for word in ("hen", "miss", "the"):
            assert LESSON[name][word] == by_history[vocab.ids[word]]
    seen = smoothing.total(levels[2], levels[2].counts, len(levels[1].keys))
    assert (len(LESSON["two_words"]), LESSON["two_words"].count(1)) == ((seen > 0).sum(), (seen == 1).sum())


def test_rounds_of_em_are_those_of_the_course() -> None:
    """The course's formula of a round, without its imagined predictions."""
    kinds = np.where(LESSON["once"], 0, 1)
    for (gamma, alpha), (_, before) in zip(LESSON["rounds"][1:50], LESSON["rounds"], strict=False):
        np.testing.assert_allclose(gamma, before * UNIGRAM / ((1 - before) * BIGRAM + before * UNIGRAM))
        whole = tuning.mean_by_class(kinds, gamma, np.ones(6), np.zeros(2))
        plain = (whole * (2 + np.bincount(kinds)) - 1) / np.bincount(kinds)
        np.testing.assert_allclose(alpha, plain[kinds], atol=1e-12)
    assert [place for place, once in enumerate(LESSON["once"]) if once] == ONCE


def test_the_caches_are_those_of_the_course() -> None:
    text = running_text(LESSON["sentences"])
    unigram, bigram = (running.cache_probs(text, order, 10) for order in (1, 2))
    mixed = np.exp(running.adapted(text, [running.Cache(order, 10, 0.2) for order in (1, 2)]))
    for t, (word, _, cache, same, mixture) in enumerate(LESSON["rows"], start=6):
        assert cache == pytest.approx(unigram[t]) and mixture == pytest.approx(mixed[t])
        assert word == "reads" and np.isnan(bigram[t]) if same == "none" else same == pytest.approx(bigram[t])


def test_pruning_is_that_of_the_course() -> None:
    """After *the*: the own parts, the mass and the probabilities of a whole and of a pruned model."""
    vocab, levels = by_hand()
    whole = LESSON["own"] + LESSON["mass"] * LESSON["share"]
    pruned = LESSON["pruned"] + LESSON["pruned_mass"] * LESSON["share"]
    for threshold, mass, expected in ((0, LESSON["mass"], whole), (1, LESSON["pruned_mass"], pruned)):
        marked = smoothing.continuation_counts(pruning.mark(levels, [0, threshold]) if threshold else levels)
        model = pruning.interpolate_kept(
            vocab, marked, np.zeros(len(vocab)), lambda order, *rest: ESTIMATES[order](order, *rest)
        )
        _, log_probs = model.advance(model.start(1), [vocab.ids["the"]])
        np.testing.assert_allclose(np.exp(log_probs[0])[[vocab.ids[word] for word in LESSON["names"]]], expected)
        masses = pruning.give_back(marked[1], *smoothing.absolute(1)(2, marked[1], len(vocab)))[1]
        assert masses[vocab.ids["the"]] == pytest.approx(mass)


def test_long_n_grams_are_counted_in_the_text() -> None:
    train = namespace("01")["train"]
    for order, counts in ((3, LESSON["trigrams"]), (5, LESSON["fivegrams"])):
        seen: Counter[tuple[str, ...]] = Counter()
        for line in train:
            words = ["<s>", *line, "</s>"]
            seen.update(tuple(words[start : start + order]) for start in range(len(words) - order + 1))
        assert (len(seen), list(seen.values()).count(1)) == (len(counts), (counts == 1).sum())
