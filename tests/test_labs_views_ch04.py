"""What lab 4 shows: neighbours, maps, predictions, dropout and sampling, against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.counted import distribution
from book.labs.views import ch04 as views
from book.lessons.cells import namespace
from common.errors import UserError

LAST = views.EPOCHS


@pytest.mark.trains
@pytest.mark.slow
def test_training_gathers_words_by_kind() -> None:
    """Verbs as they are read and things as they are predicted; the other two vectors tell another story."""
    trained = views.trained()
    assert len(trained.vectors) == LAST + 1 and trained.perplexities == sorted(trained.perplexities, reverse=True)
    assert views.own_kind("verbs", "input", LAST) > 0.9 > 0.3 > views.own_kind("verbs", "output", LAST)
    assert views.own_kind("nouns", "output", LAST) > 0.9 > 0.3 > views.own_kind("nouns", "input", LAST)
    assert max(views.own_kind(group, side, 0) for group in views.kinds() for side in views.SIDES) < 0.2
    np.testing.assert_array_equal(trained.vectors[LAST]["input"], trained.model.embedding.as_array())


@pytest.mark.slow
def test_next_words_of_the_network_are_drawn() -> None:
    history = "mira translates a strange"
    bars = views.next_words(history).axes[1].patches
    best = np.sort(distribution(views.trained().model, history.split()))[::-1][:6]
    np.testing.assert_allclose([bar.get_width() for bar in bars], best)


@pytest.mark.slow
@pytest.mark.parametrize("side", views.SIDES)
def test_neighbours_have_the_largest_cosines(side: str) -> None:
    vectors = views.trained().vectors[LAST][side]
    own = vectors[views.number_of("reads")]
    cosines = {}
    for word, vector in list(zip(views.village()[0].words, vectors, strict=True))[2:]:
        cosines[word] = float(vector @ own / math.sqrt((vector @ vector) * (own @ own)))
    del cosines["reads"]
    best = sorted(cosines, key=cosines.get, reverse=True)[:5]
    neighbours = views.nearest("reads", side, LAST, 5)
    assert [word for word, _ in neighbours] == best
    np.testing.assert_allclose([cosine for _, cosine in neighbours], [cosines[word] for word in best], rtol=1e-9)
    panel = views.two_answers("reads", LAST, 5).axes[list(views.SIDES).index(side)]
    np.testing.assert_allclose([bar.get_width() for bar in panel.patches], [cosines[word] for word in best])


def test_an_unknown_word_is_refused_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "trained", None)
    with pytest.raises(UserError, match="'wombat' is not in the vocabulary"):
        views.two_answers("wombat", LAST)


@pytest.mark.slow
def test_the_map_shows_the_plane_of_a_group() -> None:
    places, names, kinds, share = views.plane("verbs", "input", LAST)
    axes = views.word_map("verbs", "input", LAST, False).axes[0]
    points = np.concatenate([line.get_xydata() for line in axes.lines])
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(places, axis=0))
    assert axes.get_xlabel().startswith(f"{share:.0%}")
    assert kinds[names.index("reads")] == kinds[names.index("recites")] == views.kind_of("reads")[1]


def test_one_observation_follows_finite_differences() -> None:
    lesson = namespace("04")
    forward, offers, old = lesson["forward"], lesson["x"]["offers"], lesson["millhand"]
    moves = 1e-5 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    losses = [-math.log(forward(old + move, offers)[-1][0]) for move in moves]
    slopes = (np.array(losses[::2]) - losses[1::2]) / 2e-5
    new, sells, buys = views.observed(0.3)
    np.testing.assert_allclose(new, old - 0.3 * slopes, atol=1e-8)
    assert sells > views.observed(0.0)[1] and buys > views.observed(0.0)[2]
    right = views.observation(0.3).axes[1].patches
    np.testing.assert_allclose([bar.get_height() for bar in right[2:]], [sells, buys])


def test_dropout_keeps_the_mean() -> None:
    values = views.dropped(0.0, 1)
    draws = np.array([views.dropped(0.4, draw) for draw in range(3000)])
    assert abs((draws == 0).mean() - 0.4) < 0.01
    np.testing.assert_allclose(draws.max(axis=0)[values > 0], values[values > 0] / 0.6)
    np.testing.assert_allclose(draws.mean(axis=0), values, atol=4 * np.abs(values).max() * math.sqrt(2 / 3 / 3000))
    third = views.dropout(0.4, 1).axes[1].patches
    np.testing.assert_allclose([bar.get_height() for bar in third], views.dropped(0.4, 1))


@pytest.mark.slow
def test_the_mean_logarithm_of_estimates_is_too_small_and_comes_nearer() -> None:
    means = {}
    for samples in (4, 64, 1024):
        lines = views.sampling(samples).axes[0].lines
        means[samples] = float(lines[1].get_xdata()[0])
        assert math.isclose(means[samples], views.data.estimates(samples)[0].mean()) and lines[0].get_xdata()[0] == 0
    assert means[4] < means[64] < means[1024] < 0
