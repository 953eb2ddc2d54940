"""What lab 1 shows: mixtures, EM, discounts and next words, against the chapter's evaluation and plain counting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.counted import village
from book.labs.views import ch01 as views
from chapters.ngram_lm import smoothing
from common.errors import UserError


@pytest.mark.parametrize("split", ["dev", "test"])
def test_perplexity_at_given_weights_is_that_of_the_chapters_evaluation(split: str) -> None:
    vocab, levels, *_ = village()
    alpha2, alpha3 = 0.2, 0.45
    weights = smoothing.fixed_weights([views.em_weights()[0], alpha2, alpha3])
    lm = smoothing.interpolate(vocab, levels[:3], smoothing.order_zero(len(vocab), False), weights)
    assert math.isclose(views.perplexity(split, alpha2, alpha3), views.of(lm, split).perplexity, rel_tol=1e-9)


def test_the_estimated_discount_is_the_chapters() -> None:
    vocab, levels, *_ = village()
    own = smoothing.estimate_discounts(levels[1].counts, 1)[0]
    absolute, ours = views.trained("absolute", 2), views.discounted(own)
    for mine, theirs in zip(ours.tables(), absolute.tables(), strict=True):
        for own_table, other in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(own_table, other, rtol=1e-12)
    probs = np.exp(views.discounted(0.3).distributions([np.array([vocab.ids["hen"]])])[0])
    assert math.isclose(probs.sum(), 1, rel_tol=1e-9)


@pytest.mark.parametrize("method", ["kneser-ney", "witten-bell", "fixed-weights"])
def test_next_words_and_surprises_agree(method: str) -> None:
    """The probability of a word after a history is exp of minus what the word costs in its sentence."""
    sentence = "the hen of mira"
    costs = views.surprises(sentence, method, 3)
    history = ""
    for word, cost in zip(sentence.split(), costs, strict=False):
        probs = views.next_probs(history, method, 3)
        assert math.isclose(probs.sum(), 1, rel_tol=1e-9)
        assert math.isclose(probs[views.village()[0].ids[word]], math.exp(-cost), rel_tol=1e-9)
        history = f"{history} {word}".strip()
    assert len(costs) == 5


def test_the_grammars_bars_stand_beside_the_models() -> None:
    figure = views.next_words("the goat that belongs to dora", "kneser-ney", 3)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    truth = dict(zip(names, widths[len(names) :], strict=True))
    assert truth["waits"] == pytest.approx(1) and truth.get("wait", 0) == 0


@pytest.mark.parametrize("alphas", [(0.5, 0.5), (0.0, 0.0)])
def test_the_bars_of_the_splits_are_their_perplexities(alphas: tuple[float, float]) -> None:
    right = views.weights(*alphas).axes[1]
    heights = [bar.get_height() for bar in right.patches]
    expected = [views.perplexity(split, *alphas) for split in views.SPLITS]
    assert heights == [perplexity if math.isfinite(perplexity) else 0 for perplexity in expected]
    assert sum(text.get_text() == "infinite" for text in right.texts) == sum(map(math.isinf, expected))


@pytest.mark.slow
def test_the_other_pictures_follow_their_state() -> None:
    assert list(views.em(0.9, 3).axes[0].lines[1].get_xdata()) == views.em_path(0.9, 3)
    left = views.discount(0.5, "until").axes[0]
    assert "'until'" in left.get_title()
    with pytest.raises(UserError, match="'wombat' is not in the vocabulary"):
        views.discount(0.5, "wombat")
    views.next_words("the $ \\foo $", "kneser-ney", 3).canvas.draw()
    bars = views.surprise("the wombat .", "kneser-ney", 3).axes[0].patches
    np.testing.assert_allclose([bar.get_height() for bar in bars], views.surprises("the wombat .", "kneser-ney", 3))
