"""What chapter 8's lesson computes and records, beside the course's own functions."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch08_draw, ch08_record
from book.figures.recorded import recorded
from book.labs.views.ch08 import made_local
from book.lessons.cells import namespace
from chapters.attention.attention_penalties import Fertility
from chapters.attention.attention_priors import MarkovBias, PositionBias
from chapters.attention.attention_variants import one_word
from common.nn.softmax import tied_logits
from common.nn.source_attention import Memory, MLPScore, Score, attention_weights, context
from common.nn.source_scores import BilinearScore, DotScore
from common.text.alignment import alignment_figures, links_of
from tests.attention_reference import softmax
from tests.recorded_form import cut_pairs, keys, tiny_record

LESSON, WINDOW, PRIORS = namespace("08"), namespace("08", 2), namespace("08", 3)
"""Of the lesson, of part 2 with its windows, and of part 3 with hard attention and priors."""
ROWS, QUERY = LESSON["h"], LESSON["to_galin"]
COLLECTION = dy.ParameterCollection()
"""It lives as long as the parameters in it are used: DyNet frees them with it."""


def values(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue(), dtype=float).ravel()


def score(name: str) -> Score:
    """One of the course's scores with the parameters of the lesson."""
    if name == "bilinear":
        made = BilinearScore(COLLECTION, 2, 2, 0.1)
        made.W_a.set_value(LESSON["W_a"])
    elif name == "mlp":
        made = MLPScore(COLLECTION, 2, 2, 2, 0.1)
        for parameter, value in ((made.W_query, np.eye(2)), (made.W_source, np.eye(2)), (made.w, [LESSON["w_a2"]])):
            parameter.set_value(value)
    return DotScore() if name == "dot" else made


@pytest.mark.equation("neubig2017", 72, 74, 75, 77, 78, 79, 80)
@pytest.mark.parametrize(
    ("name", "query", "scores"),
    [
        ("dot", "to_mirena", "mirena_scores"),
        ("dot", "to_galin", "galin_scores"),
        ("bilinear", "to_galin", "bilinear"),
        ("mlp", "to_galin", "mlp"),
    ],
)
def test_the_steps_are_the_courses(name: str, query: str, scores: str) -> None:
    dy.renew_cg()
    memory = Memory.of(score(name), dy.inputTensor(ROWS.T), np.array([3]))
    weights = attention_weights(score(name), memory, dy.inputTensor(LESSON[query]))
    np.testing.assert_allclose(values(weights), softmax(LESSON[scores]), atol=1e-6)
    np.testing.assert_allclose(values(context(memory, weights)), softmax(LESSON[scores]) @ ROWS, atol=1e-6)


@pytest.mark.equation("neubig2017", 76)
def test_the_prediction_is_the_courses() -> None:
    dy.renew_cg()
    matrix = dy.inputTensor(np.hstack([LESSON["for_state"], LESSON["for_context"]]))
    both = dy.inputTensor(np.concatenate([QUERY, LESSON["galin_context"]]))
    logits = tied_logits(matrix, dy.inputTensor(np.zeros(3)), both)
    np.testing.assert_allclose(values(dy.softmax(logits)), LESSON["probs"], atol=1e-6)


def test_what_the_lesson_says_of_the_scores() -> None:
    """mlp is bounded and bilinear is not; with a query of zero bilinear has no preference and mlp has one."""

    def scores(name: str, query: np.ndarray) -> np.ndarray:
        dy.renew_cg()
        chosen = score(name)
        return values(chosen.scores(chosen.keys(dy.inputTensor(ROWS.T)), dy.inputTensor(query)))

    assert np.abs(scores("mlp", 1000 * QUERY)).max() <= 2 < np.abs(scores("bilinear", 1000 * QUERY)).max()
    assert not scores("bilinear", 0 * QUERY).any() and np.ptp(scores("mlp", 0 * QUERY)) > 1


def test_the_gradients_are_dynets() -> None:
    dy.renew_cg()
    rows = COLLECTION.add_parameters((2, 3), init=dy.NumpyInitializer(ROWS.T))
    state = COLLECTION.add_parameters(2, init=dy.NumpyInitializer(QUERY))
    added = COLLECTION.add_parameters((3, 1), init=0)
    memory = Memory.of(DotScore(), rows, np.array([3]))
    loss = dy.dot_product(
        dy.inputTensor(LESSON["g"]), context(memory, attention_weights(DotScore(), memory, state, added))
    )
    loss.scalar_value()
    loss.backward()
    np.testing.assert_allclose(added.grad_as_array().ravel(), LESSON["slopes"], atol=1e-6)
    np.testing.assert_allclose(rows.grad_as_array().T, LESSON["by_mean"] + LESSON["by_score"], atol=1e-6)
    np.testing.assert_allclose(state.grad_as_array(), LESSON["slopes"] @ ROWS, atol=1e-6)


def test_the_weights_of_the_batch_are_the_courses() -> None:
    dy.renew_cg()
    rows = np.stack([ROWS.T, LESSON["padded"].T], axis=-1)
    query = dy.inputTensor(np.stack([QUERY] * 2, axis=-1), batched=True)
    memory = Memory.of(DotScore(), dy.inputTensor(rows, batched=True), LESSON["lengths"])
    weights = values(attention_weights(DotScore(), memory, query))
    np.testing.assert_allclose(sorted(weights), sorted(LESSON["batch_weights"].ravel()), atol=1e-6)
    assert LESSON["batch_weights"][1, 2] == 0


def test_hard_attention_reads_one_word_and_learns_as_if_it_were_soft() -> None:
    dy.renew_cg()
    added = COLLECTION.add_parameters((3, 1), init=0)
    memory = Memory.of(DotScore(), dy.inputTensor(ROWS.T), np.array([3]))
    chosen = context(memory, one_word(attention_weights(DotScore(), memory, dy.inputTensor(QUERY), added)))
    loss = dy.dot_product(dy.inputTensor(PRIORS["g"]), chosen)
    loss.scalar_value()
    loss.backward()
    np.testing.assert_allclose(values(chosen), PRIORS["hard_context"], atol=1e-6)
    np.testing.assert_allclose(added.grad_as_array().ravel(), PRIORS["slopes"], atol=1e-6)
    assert np.isclose(PRIORS["slopes"].sum(), 0) and PRIORS["mistaken"][2] == 0 < PRIORS["mistaken"].sum()


def test_local_attention_is_the_courses() -> None:
    (expected,), _ = made_local(softmax(WINDOW["galin_scores"])[None], [WINDOW["m"]], WINDOW["D"])
    np.testing.assert_allclose(WINDOW["local"], expected, atol=1e-5)


def test_the_drawn_step_is_turned_into_weights_three_ways() -> None:
    _, soft, hard, local, _ = ch08_draw.three_ways()
    assert np.isclose(soft.sum(), 1, atol=1e-3) and hard.sum() == 1 == hard[soft.argmax()]
    (expected,), _ = made_local(soft[None], [ch08_draw.PLACE], ch08_draw.WINDOW)
    np.testing.assert_allclose(local, expected, atol=2e-4)


def test_the_priors_are_the_courses() -> None:
    position, markov = PositionBias(COLLECTION, 1.0), MarkovBias(COLLECTION, 1)
    position.strength.set_value([[PRIORS["eta"]]])
    markov.jumps.set_value([[0, 0, 1]])
    dy.renew_cg()
    np.testing.assert_allclose(values(position.scores(3, PRIORS["t"] - 1)), PRIORS["diagonal"], atol=1e-6)
    moved = markov.matrix(3) * dy.inputTensor(PRIORS["mirena_weights"])
    np.testing.assert_allclose(values(moved), PRIORS["markov"], atol=1e-6)


def test_the_price_of_fertility_is_the_courses() -> None:
    """With parameters that make every fertility one."""
    dy.renew_cg()
    weights = np.array([PRIORS["mirena_weights"], PRIORS["galin_weights"]])
    fertility, masks = Fertility(COLLECTION, 2), (np.ones((3, 1)), np.ones((2, 1)))
    penalty = fertility.penalty(dy.inputTensor(weights.T), dy.inputTensor(ROWS.T), *masks)
    assert np.isclose(PRIORS["price"].sum(), penalty.scalar_value(), atol=1e-5)


def test_the_error_rate_by_hand_is_the_courses() -> None:
    found, true = LESSON["found"], LESSON["true"]
    assert found == links_of(np.array(LESSON["pair"]["weights"]["default"]))
    figures = alignment_figures([found], [true])
    rates = [figures[name] for name in ("precision", "recall", "error_rate")]
    np.testing.assert_allclose((LESSON["precision"], LESSON["recall"], LESSON["AER"]), rates)


@pytest.mark.slow
def test_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give all that the figures read, in the same form, and weights that sum to one."""
    cut_pairs(monkeypatch)
    told = tiny_record(ch08_record, monkeypatch, tmp_path, "--hidden-size", 4, "--epochs", 1, SEEDS=(1,))
    published = recorded(ch08_record.CHAPTER)
    assert keys(told, 1).keys() == published.keys() - {"command", "settings"}
    assert told["long"]["weights"].keys() == published["long"]["weights"].keys() == {"default", *ch08_record.VARIANTS}
    for part in ("phenomena", "unknown", "example", "short"):
        assert told[part].keys() <= published[part].keys()
    for rows in (*told["long"]["weights"].values(), *told["short"]["weights"].values()):
        np.testing.assert_allclose(np.sum(rows, axis=1), 1, atol=1e-5)
    unknown = told["unknown"]
    assert unknown["replaced"][0] > 0 and unknown["none"][0] < 100
