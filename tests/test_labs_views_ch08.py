"""The views of lab 8 against NumPy float64, against the model's own attention, and its small sentence pairs."""

from __future__ import annotations

import numpy as np
import pytest

from book.labs.views import ch08 as views, small
from common.errors import UserError
from common.search.searches import translate
from common.text.alignment import links_of, true_alignments
from common.text.pairs import Pair, load_pairs
from tests.attention_models import SOURCES, TARGETS, AttentionalModel, make_model

WEIGHTS = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.3, 0.35, 0.25], [0.25, 0.25, 0.4, 0.1]])


def pairs_of(model) -> list[Pair]:
    decode = [model.source_vocab.words, model.vocab.words]
    return [Pair(*([words[i] for i in ids] for words, ids in zip(decode, sides, strict=True)))
            for sides in zip(SOURCES, TARGETS, strict=True)]  # fmt: skip


def by_hand(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("window", [1, 2, 3])
def test_local_is_a_softmax_in_the_window_times_a_bell(window: int) -> None:
    places, words = [1.4, 2.2, 3.3], np.arange(1, 5)
    local, bells = views.made_local(WEIGHTS, places, window)
    for row, place, weights, bell in zip(WEIGHTS, places, local, bells, strict=True):
        inside = np.abs(words - place) < window
        share = np.where(inside, row, 0) / row[inside].sum()
        expected = np.exp(-((words - place) ** 2) / (2 * (window / 2) ** 2))
        np.testing.assert_allclose(bell, expected, atol=1e-5)
        np.testing.assert_allclose(weights, share * expected, atol=1e-5)
        assert weights.sum() < 1


def test_a_bias_and_a_sharpness_change_scores() -> None:
    distance = np.abs(np.arange(4) - 0.8 * np.arange(3)[:, None])
    with np.errstate(divide="ignore"):
        scores = np.log(WEIGHTS)
    np.testing.assert_allclose(views.biased(WEIGHTS, 0.6, 0.8), by_hand(scores - 0.6 * distance), atol=1e-5)
    np.testing.assert_allclose(views.biased(WEIGHTS, 0.0, 0.8), WEIGHTS, atol=1e-6)
    np.testing.assert_allclose(views.sharpened(WEIGHTS, 2.0), WEIGHTS**2 / (WEIGHTS**2).sum(axis=1)[:, None], atol=1e-5)
    np.testing.assert_allclose(views.sharpened(WEIGHTS, 0.0), 0.25, atol=1e-6)


def test_links_above_a_threshold() -> None:
    assert views.links_above(WEIGHTS, 0.22) == {(0, 0), (1, 1), (2, 1), (3, 1)}
    assert views.links_above(WEIGHTS, 0.34) == {(0, 0), (2, 1)} == links_of(WEIGHTS)
    true = [{(0, 0), (1, 1), (2, 1)}]
    assert views.error_line([links_of(WEIGHTS)], true) == "AER 0.200 precision 1.000 recall 0.667"
    axes = views.thresholds([WEIGHTS], true, 0.22).axes[0]
    assert axes.get_title() == "AER 0.143 precision 0.750 recall 1.000"
    lines = {line.get_label(): np.array(line.get_ydata()) for line in axes.lines}
    hits, totals = [], []
    for threshold in axes.lines[0].get_xdata():
        above = {(i, j) for j in range(2) for i in range(4) if WEIGHTS[j, i] > threshold}
        hits.append(len(above & true[0]))
        totals.append(len(above))
    np.testing.assert_allclose(lines["recall"], np.array(hits) / 3)
    np.testing.assert_allclose(lines["error rate"], 1 - 2 * np.array(hits) / (np.array(totals) + 3))


def test_figures_show_the_numbers() -> None:
    pair, true = Pair(["hen", "ox", "sees", "hen"], ["ba", "do"]), {(0, 0), (1, 1)}
    figure = views.maps({"soft": WEIGHTS, "hard": views.made_hard(WEIGHTS)}, pair, true)
    np.testing.assert_allclose(figure.axes[0].images[0].get_array(), WEIGHTS[:2])
    assert "AER 0.500" in figure.axes[0].get_title()
    (cross,) = figure.axes[0].lines
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (2, 1)
    panels = views.three_ways(WEIGHTS, pair, 2, 2.0, 2).axes
    heights = [[bar.get_height() for bar in axes.patches] for axes in panels]
    np.testing.assert_allclose(heights[0], WEIGHTS[1])
    np.testing.assert_allclose(heights[2], views.made_local(WEIGHTS[[1]], [2.0], 2)[0][0], atol=1e-6)
    assert heights[1] == [0, 0, 1, 0] and panels[1].get_title() == "hard (sum 1.00)"
    with pytest.raises(UserError, match="steps 1 to 3"):
        views.three_ways(WEIGHTS, pair, 4, 2.0, 2)


@pytest.mark.parametrize("kind", ["hard", "local"])
def test_another_attention_starts_from_the_same_numbers(kind: str) -> None:
    soft, other = make_model(), make_model(seed=9, attention=kind)
    before = None if kind == "hard" else other.attention.local.W.as_array()
    views.same_start(soft, other)
    np.testing.assert_array_equal(other.embedding.as_array(), soft.embedding.as_array())
    np.testing.assert_array_equal(other.score.w.as_array(), soft.score.w.as_array())
    if kind == "local":
        np.testing.assert_array_equal(other.attention.local.W.as_array(), before)
    first, second = (views.attended(model, pairs_of(soft))[0] for model in (soft, other))
    if kind == "hard":  # the first step has the same query
        np.testing.assert_array_equal(second[0], np.eye(len(first[0]))[first[0].argmax()])
    assert isinstance(other, AttentionalModel)


def test_a_translation_says_what_it_attended_to() -> None:
    model = make_model()
    model.b_s.set_value([0.0, 2.0, 0.0, 0.0, 0.0])  # so that it writes <unk> now and then
    (hypothesis,) = translate(model, [["hen", "goat", "ox"]])[0]
    assert "<unk>" in hypothesis.words
    head, *lines, copied = views.translated(model, "hen goat ox").split("\n")
    assert head.split() == hypothesis.words and len(lines) == len(hypothesis.attention)
    for line, row in zip(lines, hypothesis.attention, strict=True):
        _, word, weight = line.split()
        assert word == ["hen", "goat", "ox"][int(row.argmax())] and float(weight) == round(float(row.max()), 2)
    expected = ["hen goat ox".split()[int(row.argmax())] if word == "<unk>" else word
              for word, row in zip(hypothesis.words, hypothesis.attention, strict=False)]  # fmt: skip
    assert copied.split()[1:] == expected
    with pytest.raises(UserError, match="this one has 0"):
        views.translated(model, " ")


def test_short_pairs_keep_their_links() -> None:
    corpus, people = load_pairs("village_pairs"), small.pairs_people(2)
    short = small.short_pairs(corpus, "dev", people, 7)
    rows = zip(corpus.dev, true_alignments(corpus, "dev"), strict=True)
    candidates = [(pair, links) for pair, links in rows if len(pair.source) <= 7]
    expected = [row for row in candidates if len({people.get(w, w) for w in row[0].source}) == len(set(row[0].source))]
    assert 100 < len(short.pairs) == len(expected) < len(candidates)
    for pair, links, (old, true) in zip(*short, expected, strict=True):
        assert links == true and pair.source == [people.get(w, w) for w in old.source]
        for i, j in links:  # a name is copied before and after
            assert (pair.source[i] == pair.target[j]) == (old.source[i] == old.target[j])
    part = short.first(3)
    assert part.pairs == short.pairs[:3] and part.links == short.links[:3]


def test_encoded_pairs() -> None:
    pairs = [Pair(["a", "b"], ["x"]), Pair(["a"], ["x", "y"])]
    data = small.Encoded.of(pairs)
    assert data.source_vocab.words == ["</s>", "<unk>", "a"] and data.vocab.words == ["</s>", "<unk>", "x"]
    assert data.sources == [[2, 1], [2]] and data.targets == [[2], [2, 1]]
