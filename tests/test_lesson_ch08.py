"""What chapter 8's lesson computes and records, beside plain arithmetic in NumPy."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch08_data, ch08_record
from book.figures.recorded import record, recorded
from book.worked import ch08 as worked, ch08_more as more, ch08_priors as priced
from common.chapters import chapter_module
from common.text.alignment import links_of
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN, Vocabulary
from tests import encoder_models
from tests.attention_models import AttentionalModel
from tests.attention_reference import softmax

Fertility = chapter_module(worked.CHAPTER, "attention_penalties").Fertility

ROWS, QUERY = worked.ANNOTATIONS, worked.QUERIES["galin"]


def plain_scores(query: np.ndarray, name: str) -> np.ndarray:
    """The scores in float64, from the numbers that the lesson names."""
    if name == "mlp":
        return np.tanh(query + ROWS).sum(axis=1)
    return ROWS @ (np.diag([1.0, 2.0]) @ query if name == "bilinear" else query)


@pytest.mark.equation("neubig2017", 72, 74, 75, 77, 78, 79, 80)
@pytest.mark.parametrize("name", ["dot", "bilinear", "mlp"])
@pytest.mark.parametrize("query", worked.QUERIES.values())
def test_the_worked_steps_are_plain_arithmetic(query: np.ndarray, name: str) -> None:
    expected = plain_scores(query, name)
    weights, mean = worked.look(query, name)
    np.testing.assert_allclose(worked.scores(query, name), expected, atol=1e-6)
    np.testing.assert_allclose(weights, softmax(expected), atol=1e-6)
    np.testing.assert_allclose(mean, softmax(expected) @ ROWS, atol=1e-6)


@pytest.mark.equation("neubig2017", 76)
def test_the_worked_prediction_is_plain_arithmetic() -> None:
    mean = softmax(ROWS @ QUERY) @ ROWS
    scores = worked.FOR_STATE @ QUERY + worked.FOR_CONTEXT @ mean
    told = list(worked.prediction())
    np.testing.assert_allclose(told[7:-1:8], softmax(scores), atol=1e-6)
    assert np.isclose(told[-1], softmax(worked.FOR_STATE @ QUERY)[2]) and softmax(scores)[2] > told[-1]


def test_what_the_lesson_says_of_the_scores() -> None:
    """mlp is bounded and bilinear is not; with a query of zero bilinear has no preference and mlp has one."""
    large = 1000 * QUERY
    assert np.abs(plain_scores(large, "mlp")).max() <= 2 < np.abs(plain_scores(large, "bilinear")).max()
    np.testing.assert_allclose(worked.scores(2 * QUERY, "bilinear"), 2 * worked.scores(QUERY, "bilinear"), atol=1e-6)
    assert not worked.scores(0 * QUERY, "bilinear").any()
    assert np.ptp(worked.scores(0 * QUERY, "mlp")) > 1


def loss(rows: np.ndarray, query: np.ndarray) -> float:
    return float(worked.GRADIENT @ (softmax(rows @ query) @ rows))


def test_the_gradients_are_the_derivation_and_the_finite_differences() -> None:
    by_score, by_row, by_query = worked.gradients()
    weights = softmax(ROWS @ QUERY)
    use = ROWS @ worked.GRADIENT
    slopes = weights * (use - weights @ use)
    np.testing.assert_allclose(by_score.ravel(), slopes, atol=1e-6)
    np.testing.assert_allclose(by_row.T, np.outer(weights, worked.GRADIENT) + np.outer(slopes, QUERY), atol=1e-6)
    np.testing.assert_allclose(by_query, slopes @ ROWS, atol=1e-6)
    for place in np.ndindex(ROWS.shape):
        step = np.zeros(ROWS.shape)
        step[place] = 1e-5
        slope = (loss(ROWS + step, QUERY) - loss(ROWS - step, QUERY)) / 2e-5
        assert np.isclose(by_row.T[place], slope, atol=1e-6)


def test_padding_gets_nothing_and_leaves_the_others_as_they_were() -> None:
    found, weights = worked.batch()
    np.testing.assert_allclose(weights[:2, 1], softmax(found[:2, 1]), atol=1e-6)
    np.testing.assert_allclose(weights[:, 0], softmax(ROWS @ QUERY), atol=1e-6)
    assert weights[2, 1] == 0
    assert (ch08_data.mask(found, worked.PADDED) < 0).tolist() == [[False, False], [False, False], [False, True]]


def test_hard_attention_reads_one_word_and_learns_as_if_it_were_soft() -> None:
    chosen, slopes = more.hard()
    weights, use = softmax(ROWS @ QUERY), ROWS @ worked.GRADIENT
    np.testing.assert_allclose(chosen, ROWS[2], atol=1e-7)
    np.testing.assert_allclose(slopes, weights * (use - weights @ use), atol=1e-6)
    other = weights * (use - use[2])  # with the hard context in the mean's place
    assert np.isclose(slopes.sum(), 0, atol=1e-6) and other[2] == 0 < other.sum()
    np.testing.assert_allclose([*more.straight_through()][-4:-1], other, atol=1e-6)
    moved = [ROWS[np.argmax(ROWS @ QUERY + h)] for h in np.eye(3) * 1e-3]
    assert all((row == ROWS[2]).all() for row in moved)  # a small step changes nothing: there is no gradient


def test_local_attention_by_its_equations() -> None:
    inside, bell, product = more.local()
    distance = np.abs(np.arange(1, 4) - more.PLACE)
    raised = np.where(distance < more.WINDOW, np.exp(ROWS @ QUERY), 0)
    np.testing.assert_allclose(inside, raised / raised.sum(), atol=1e-6)
    np.testing.assert_allclose(bell, np.exp(-(distance**2) / (2 * (more.WINDOW / 2) ** 2)), atol=1e-5)
    np.testing.assert_allclose(product, inside * bell, atol=1e-7)


def test_the_drawn_step_is_turned_into_weights_three_ways() -> None:
    source, soft, hard, local, bell = ch08_data.three_ways()
    assert np.isclose(soft.sum(), 1, atol=1e-3) and hard.sum() == 1 == hard[soft.argmax()]
    near = np.abs(np.arange(1, len(source) + 1) - ch08_data.PLACE) < ch08_data.WINDOW
    expected = np.where(near, soft, 0) / soft[near].sum() * bell
    np.testing.assert_allclose(local, expected, atol=2e-4)


def test_the_position_bias_is_a_price_on_the_distance() -> None:
    expected = -priced.STRENGTH * np.abs(np.arange(3) - priced.STEP)
    np.testing.assert_allclose(priced.diagonal(), expected, atol=1e-7)


def test_the_markov_prior_moves_the_last_weights_on() -> None:
    last = softmax(ROWS @ worked.QUERIES["mirena"])
    np.testing.assert_allclose(priced.moved_on(), [0, last[0], last[1]], atol=1e-6)


def test_what_priors_add_to_the_loss() -> None:
    """Fertility by the course's own penalty, all phi_j being 1; supervision by the aligned word's weight."""
    weights = np.array([softmax(ROWS @ query) for query in worked.QUERIES.values()])
    *_, total = priced.fertilities()
    assert np.isclose(total, ((weights.sum(axis=0) - 1) ** 2).sum(), atol=1e-6)
    dy.renew_cg()
    collection = dy.ParameterCollection()
    fertility, masks = Fertility(collection, 2), (np.ones((3, 1)), np.ones((2, 1)))
    penalty = fertility.penalty(dy.inputTensor(weights.T), dy.inputTensor(ROWS.T), *masks)
    assert np.isclose(total, penalty.scalar_value(), atol=1e-5)
    assert np.isclose([*priced.supervision()][-1], -np.log(weights[1, 2]), atol=1e-6)


def test_the_error_rate_by_hand_counts_links() -> None:
    source, target, weights, true = more.short_pair()
    found = {(int(np.argmax(row)), j) for j, row in enumerate(weights[: len(target)])}
    assert found == links_of(weights) and len(source) == weights.shape[1]
    *_, rate = more.aer()
    assert np.isclose(rate, 1 - 2 * len(found & true) / (len(found) + len(true)))


def tiny(vocabulary: Vocabulary, sources: Vocabulary, kind: type, **options):
    return kind(sources, vocabulary, hidden_size=4, dropout=0.0, **options)


@pytest.mark.slow
def test_what_is_recorded(tmp_path: Path) -> None:
    """Untrained models give all that the figures read, in the same form, and weights that sum to one."""
    corpus = load_pairs("village_pairs")
    sources, words = (Vocabulary.from_sentences([pair[side] for pair in corpus.train], min_count=2) for side in (0, 1))
    pairs = corpus.test[:40]
    found = [list(pair.target) for pair in pairs]
    found[0] = [UNKNOWN, *found[0][1:]]
    kinds = {"encoder-decoder": encoder_models.EncoderDecoder, "attention": AttentionalModel}
    systems = {name: [ch08_record.System(tiny(words, sources, kind), found)] for name, kind in kinds.items()}
    variants = {name: tiny(words, sources, AttentionalModel) for name in ch08_record.VARIANTS}
    told = ch08_record.measure(systems, variants, pairs)
    published = recorded(ch08_record.CHAPTER)
    assert told.keys() == published.keys() - {"command", "settings"}
    assert told["long"]["weights"].keys() == published["long"]["weights"].keys() == {"default", *ch08_record.VARIANTS}
    for part in ("phenomena", "unknown", "example", "short"):
        assert told[part].keys() <= published[part].keys()
    for rows in (*told["long"]["weights"].values(), *told["short"]["weights"].values()):
        np.testing.assert_allclose(np.sum(rows, axis=1), 1, atol=1e-5)
    unknown = told["unknown"]
    assert unknown["replaced"] == [1] and unknown["none"][0] < 100
    record(ch08_record.CHAPTER, ch08_record.COMMAND, {}, told, tmp_path)
