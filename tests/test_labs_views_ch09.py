"""The views of lab 9: the gate set from outside against NumPy float64, and at its own value against the model."""

from __future__ import annotations

import numpy as np
import pytest

from book.labs.views import ch09 as views
from common.errors import UserError
from common.search.attending import force
from common.search.translation import target_log_probs
from common.text.pairs import Pair
from tests import word_attention_reference as reference
from tests.attention_reference import context
from tests.word_attention_models import OUTPUT_CONTEXTS, Twin, make_model

PAIR = Pair("hen sees ox hen".split(), "do ku ba".split())
SOURCE, INPUTS = [2, 4, 3, 2], [0, 3, 4, 2]
"""Their ids, as the models of the tests number words; the target's words behind <s>."""


def by_hand(model, step: int, gate, monkeypatch: pytest.MonkeyPatch) -> reference.Step:
    """A step of the NumPy model whose gate is what we say, after steps with its own."""
    twin, number, own = Twin(model), [0], reference.contextual_gate

    def chosen(weights, y, *rest):
        number[0] += 1
        return np.broadcast_to(gate, y.shape) if number[0] == step else own(weights, y, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(reference, "contextual_gate", chosen)
        return twin.steps(SOURCE, INPUTS[:step])[-1]


@pytest.mark.parametrize("output_contexts", OUTPUT_CONTEXTS)
@pytest.mark.parametrize("step", [1, 3, 4])
def test_at_its_own_value_the_gate_gives_the_models_own_distribution(output_contexts: str, step: int) -> None:
    model = make_model(output_contexts=output_contexts)
    own = views.step_of(model, PAIR, step)
    again = views.step_of(model, PAIR, step, own.gate)
    for before, after in zip(own[2:], again[2:], strict=True):
        np.testing.assert_allclose(after, before, atol=1e-5)
    state, log_probs = model.encode([SOURCE]), None
    for word in INPUTS[:step]:
        state, (log_probs,) = model.advance(state, [word])
    np.testing.assert_allclose(np.log(own.probabilities), log_probs, atol=1e-4)
    (forced,) = force(model, [PAIR.source], [PAIR.target])
    np.testing.assert_allclose(own.weights, [forced.attention[step - 1], forced.word_attention[step - 1]], atol=1e-5)
    assert np.isclose(own.share, forced.gates[step - 1], atol=1e-5)
    np.testing.assert_allclose(own.weights.sum(axis=1), 1, atol=1e-5)
    right = model.vocab.encode([own.right])[0] if own.right != "</s>" else 0
    expected = target_log_probs(model, [PAIR])[0][step - 1]
    assert np.isclose(np.log(own.probabilities[right]), expected, atol=1e-4)


@pytest.mark.parametrize("gate", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("output_contexts", OUTPUT_CONTEXTS)
def test_a_gate_that_is_set_is_numpys(gate: float, output_contexts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model(output_contexts=output_contexts)
    annotations, words, _ = Twin(model).read(SOURCE)
    for step in (1, 2, 4):
        result, expected = views.step_of(model, PAIR, step, gate), by_hand(model, step, gate, monkeypatch)
        np.testing.assert_allclose(np.log(result.probabilities), expected.log_probs, atol=1e-4)
        plain = [context(annotations, expected.alpha), context(words, expected.beta)]
        np.testing.assert_allclose(result.plain, plain, atol=1e-5)
        np.testing.assert_allclose(result.gated, [gate * plain[0], (1 - gate) * plain[1]], atol=1e-5)
        assert np.isclose(result.share, 1 - gate, atol=1e-6)


def test_a_set_gate_serves_batches_and_leaves_the_model_alone() -> None:
    model = make_model()
    own = target_log_probs(model, [PAIR])[0]
    forced = views.with_gate(model, 0.25)
    pairs = [PAIR, Pair(["ox"], ["ba"]), PAIR]
    log_probs = target_log_probs(forced, pairs)
    alone = target_log_probs(forced, [PAIR])[0]
    np.testing.assert_allclose(log_probs[0], alone, atol=1e-5)
    np.testing.assert_allclose(log_probs[2], alone, atol=1e-5)
    assert np.isclose(alone[0], np.log(views.step_of(model, PAIR, 1, 0.25).probabilities[INPUTS[1]]), atol=1e-4)
    assert np.abs(alone - own).max() > 0.01
    np.testing.assert_array_equal(target_log_probs(model, [PAIR])[0], own)
    assert views.with_gate(model, None) is model


def test_figures_show_the_numbers() -> None:
    model = make_model()
    own, changed = views.step_of(model, PAIR, 2), views.step_of(model, PAIR, 2, 0.8)
    figure = views.overridden(model, PAIR, 2, 0.8)
    for place, axes in enumerate(figure.axes[:2]):
        stems = [container.markerline.get_ydata() for container in axes.containers]
        np.testing.assert_allclose(stems, [own.gated[place], changed.gated[place]], atol=1e-6)
    right = figure.axes[2]
    ids = [model.vocab.ids[label.get_text()] for label in right.get_yticklabels()]
    for container, probabilities in zip(right.containers, (own.probabilities, changed.probabilities), strict=True):
        np.testing.assert_allclose(container.datavalues, probabilities[ids], atol=1e-6)
    axes = views.from_0_to_1(model, PAIR, 2, 3).axes[0]
    curves = [line for line in axes.lines if len(line.get_xdata()) == 3]
    assert curves[0].get_label() == "ku" == own.right
    expected = [views.step_of(model, PAIR, 2, gate).probabilities[model.vocab.ids["ku"]] for gate in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose(curves[0].get_ydata(), expected, atol=1e-6)
    heights = [bar.get_height() for bar in views.gate_numbers(model, PAIR, 2).axes[0].patches]
    np.testing.assert_allclose(heights, sorted(own.gate), atol=1e-6)
    maps = views.two_maps(model, PAIR, {(0, 0)}).axes
    np.testing.assert_allclose(maps[1].images[0].get_array()[1], own.weights[1], atol=1e-5)
    assert np.isclose(maps[2].patches[1].get_width(), own.share, atol=1e-5)
    with pytest.raises(UserError, match="steps 1 to 4"):
        views.overridden(model, PAIR, 5, 0.5)


def test_similarities_of_annotations() -> None:
    model = make_model()
    pairs = [PAIR, Pair(["ox", "waits"], []), Pair(["sees", "hen"], [])]
    similarities = views.similarities(model, pairs, "ox")
    rows = {number: Twin(model).read(model.source_vocab.encode(pair.source))[0] for number, pair in enumerate(pairs)}
    own = rows[0][2]
    expected = [own @ row / np.linalg.norm(own) / np.linalg.norm(row) for number in (1, 2) for row in rows[number]]
    np.testing.assert_allclose([row[0] for row in similarities], sorted(expected, reverse=True), atol=1e-5)
    assert {row[1:] for row in similarities} >= {("ox", "ox waits"), ("hen", "sees hen")}
    with pytest.raises(UserError, match="contains 'goat'"):
        views.similarities(model, pairs, "goat")
