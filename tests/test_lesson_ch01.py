"""The cells of chapter 1 compute what the chapter's own counting and smoothing do."""

from __future__ import annotations

import numpy as np
import pytest

from book.counted import by_hand, village
from book.lessons.cells import namespace
from chapters.ngram_lm import counts, smoothing
from common.evaluation.perplexity import UNKNOWN_WORD_TYPES

LESSON = namespace("01")
VOCAB, LEVELS = by_hand()


def course_probs(alpha: float) -> np.ndarray:
    """P of each word of the new sentence and of `</s>`, alpha of it from the unigrams: (6,)."""
    model = smoothing.interpolate(VOCAB, LEVELS, np.zeros(len(VOCAB)), smoothing.fixed_weights([0.0, alpha]))
    inputs, targets = counts.join([VOCAB.encode(LESSON["new"][:-1])])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.exp(model.score(model.contexts(inputs), targets))


@pytest.mark.parametrize(("name", "alpha"), [("bigram", 0.0), ("unigram", 1.0), ("mixture", 0.2)])
def test_probabilities_are_the_course_s(name: str, alpha: float) -> None:
    np.testing.assert_allclose(LESSON[name], course_probs(alpha))


def test_counts_of_the_village_are_the_course_s() -> None:
    vocab, levels, *_ = village()
    pairs = {(vocab.words[key // len(vocab)], vocab.words[key % len(vocab)]): n
             for key, n in zip(levels[1].keys.tolist(), levels[1].counts.tolist(), strict=True)}  # fmt: skip
    ours = {("</s>" if h == "<s>" else h, w): n for (h, w), n in LESSON["village_pairs"].items()}
    assert ours == pairs
    fits = smoothing.continuation_counts(levels)[0].counts
    for word in ("then", "quietly"):
        assert LESSON["places"][word] == fits[vocab.ids[word]]
    assert LESSON["D"] == pytest.approx(smoothing.estimate_discounts(levels[1].counts, 1)[0])
    assert round(1 / 1e-7) == UNKNOWN_WORD_TYPES


def test_kneser_ney_by_hand_is_the_course_s() -> None:
    changed = smoothing.continuation_counts(LEVELS)
    assert LESSON["discount"](LESSON["pairs"]) == pytest.approx(smoothing.estimate_discounts(LEVELS[1].counts, 1)[0])
    own, mass = smoothing.absolute(1)(2, changed[1], len(VOCAB))
    girl, here = VOCAB.ids["girl"], changed[1].contexts == VOCAB.ids["girl"]
    probs = mass[girl] * changed[0].counts / changed[0].counts.sum()
    probs[changed[1].keys[here] % len(VOCAB)] += own[here]
    np.testing.assert_allclose(LESSON["parts"].sum(axis=1), [probs[VOCAB.ids[word]] for word in LESSON["fits"]])
    assert len(LESSON["fits"]) == np.count_nonzero(probs)
