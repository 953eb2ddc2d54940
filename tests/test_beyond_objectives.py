"""Chapter 10's objectives and their gradients, against float64, and against all sentences of a tiny vocabulary."""

from __future__ import annotations

import math
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest
import sacrebleu
from hypothesis import given, strategies as st

from tests import beyond_models as tiny
from tests.attention_models import Twin
from tests.beyond_models import SETTINGS, SOURCES, TARGETS, batch, make_model, of_chapter
from tests.small_models import numeric_gradient

objectives, sampling, mixing = of_chapter("objectives"), of_chapter("sampling"), of_chapter("mixing")
CHECKED = ("W_o", "b_s", "source_embedding")
"""Parameters whose gradients are compared: the last ones and the first."""
LIMIT = 4  # twice the longest reference's 3 predictions would be 6; the samples of a test are cut here


def sampled(model, number: int = 3, limit: int = LIMIT) -> list[list[list[int]]]:
    samples = sampling.draw_sentences(model, SOURCES, number, limit)
    return [samples[:number], samples[number:]]


# --- BLEU of a sentence


@given(*[st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)] * 2)
def test_sentence_bleu_is_sacrebleus(hypothesis: list[str], reference: list[str]) -> None:
    expected = sacrebleu.sentence_bleu(
        " ".join(hypothesis), [" ".join(reference)], smooth_method="add-k", smooth_value=1, tokenize="none"
    )
    assert of_chapter("rewards").sentence_bleu(hypothesis, reference) == pytest.approx(expected.score / 100)


def test_bleu_of_nothing_and_of_unknown_words() -> None:
    assert of_chapter("rewards").sentence_bleu([], ["a"]) == 0
    assert objectives.cost_of([2, 3, 0], [2, 3, 0]) == 0
    assert objectives.cost_of([2, 1, 0], [2, 1, 0]) == pytest.approx(1 - 0.25**0.25), "<unk> translates nothing"
    assert objectives.cost_of([2, 3], [2, 3, 0]) == 0, "a sentence that was cut"


# --- sampling


def test_sentences_are_drawn_as_often_as_they_are_probable() -> None:
    model = make_model()
    twin, number, limit = Twin(model), 4000, 2
    every = tiny.all_predictions(3, limit)
    for source, samples in zip(SOURCES, sampled(model, number, limit), strict=True):
        assert len(samples) == number
        expected = np.exp([tiny.log_prob(twin, source, item) for item in every])
        assert expected.sum() == pytest.approx(1)
        actual = np.array([samples.count(item) for item in every]) / number
        assert actual.sum() == 1
        assert (np.abs(actual - expected) <= 4 * np.sqrt(expected * (1 - expected) / number)).all()


# --- what the objectives compute


@pytest.mark.parametrize("with_reference", [False, True])
def test_risk_and_its_gradient_are_those_of_the_definition(
    with_reference: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a sample that comes twice, one that was cut, and one that is the reference."""
    model = make_model()
    sets = [[[2, 2, 0], [2, 2, 0], [1, 2, 1, 2]], [[0], [2, 1, 0], [2, 0]]]
    monkeypatch.setattr(objectives, "draw_sentences", lambda *_: [item for own in sets for item in own])
    settings = SimpleNamespace(**{**vars(SETTINGS), "samples_only": not with_reference})
    cost = objectives.risk(model, settings, batch(), 0.0, np.random.default_rng(1))
    twin = Twin(model)

    def expected() -> float:
        total = 0.0
        for source, target, own in zip(SOURCES, TARGETS, sets, strict=True):
            candidates = [*([[*target, 0]] if with_reference else []), *own]
            distinct = [item for i, item in enumerate(candidates) if item not in candidates[:i]]
            costs = [objectives.cost_of(item, [*target, 0]) if item != [*target, 0] or item in own else 0.0
                     for item in distinct]  # fmt: skip
            if with_reference:
                costs[0] = 0.0
            total += tiny.expected_cost([tiny.log_prob(twin, source, item) for item in distinct], costs, SETTINGS.alpha)
        return total

    assert cost.total.scalar_value() == pytest.approx(expected(), rel=1e-5)
    loss = -sum(tiny.log_prob(twin, s, [*t, 0]) for s, t in zip(SOURCES, TARGETS, strict=True))
    assert cost.loss.scalar_value() == pytest.approx(loss, rel=1e-5)
    expect_gradient(model, twin, cost.total, expected)


def expect_gradient(model, twin: Twin, expression: dy.Expression, function) -> None:
    """That of an expression is the one of the function of the twin's weights."""
    for parameter in model.collection.parameters_list():
        parameter.scale_gradient(0)
    expression.forward()
    expression.backward()
    for name in CHECKED:
        result = twin.parameters[name].grad_as_array()
        expected = numeric_gradient(function, twin.weights[name]).reshape(result.shape)
        assert np.abs(expected).max() > 1e-5, f"{name} takes part"
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=2e-6, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("baseline", ["others", "none"])
def test_reinforce_and_its_gradient_are_those_of_the_definition(baseline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model()
    sets = [[[2, 2, 0], [2, 2, 0], [1, 2, 1, 2]], [[0], [2, 1, 0], [2, 0]]]
    monkeypatch.setattr(objectives, "draw_sentences", lambda *_: [item for own in sets for item in own])
    settings = SimpleNamespace(**{**vars(SETTINGS), "baseline": baseline})
    cost = objectives.reinforce(model, settings, batch(), 0.0, np.random.default_rng(1))
    twin = Twin(model)

    def expected() -> float:
        total = 0.0
        for source, target, own in zip(SOURCES, TARGETS, sets, strict=True):
            costs = [objectives.cost_of(item, [*target, 0]) for item in own]
            for c, item in enumerate(own):
                others = [value for place, value in enumerate(costs) if place != c]
                advantage = costs[c] - (sum(others) / len(others) if baseline == "others" else 0)
                total += advantage * tiny.log_prob(twin, source, item) / len(own)
        return total

    assert cost.total.scalar_value() == pytest.approx(expected(), rel=1e-5)
    expect_gradient(model, twin, cost.total, expected)


def test_likelihood_is_the_models_own_loss() -> None:
    model = make_model(dropout=0.3)
    dy.reset_random_seed(7)
    cost = objectives.likelihood(model, SETTINGS, batch(), 0.0, np.random.default_rng(1))
    actual = cost.total.scalar_value()
    dy.reset_random_seed(7)
    dy.renew_cg()
    assert actual == model.loss(batch()).scalar_value()


# --- scheduled sampling


def test_without_own_words_scheduled_sampling_is_likelihood() -> None:
    """Digit for digit, dropout included."""
    model = make_model(dropout=0.4)
    actual = []
    for objective in (objectives.likelihood, objectives.scheduled):
        dy.reset_random_seed(3)
        settings = SimpleNamespace(**{**vars(SETTINGS), "own_words": 0.0})
        actual.append(objective(model, settings, batch(), 0.7, np.random.default_rng(1)).total.scalar_value())
    assert actual[0] == actual[1]


def test_own_words_are_drawn_after_what_was_read_so_far() -> None:
    """With nothing but own words: each follows the model's distribution after the words before it in the inputs."""
    model = make_model()
    twin, number = Twin(model), 3000
    pairs = objectives.batch_of([SOURCES[0]] * number, [[[2, 2, 2, 0]]] * number)
    inputs = mixing.mixed_inputs(model, pairs, 1.0, np.random.default_rng(1))
    assert inputs.shape == (4, number) and (inputs[0] == 0).all() and (inputs[1:] > 0).all()
    for first in (1, 2):
        expected = np.exp(twin.steps(SOURCES[0], [0, first])[1].log_probs)
        after = inputs[2][inputs[1] == first]
        ones = expected[1]  # at </s> the reference's word stays, which is 2
        assert abs((after == 1).mean() - ones) < 4 * math.sqrt(ones * (1 - ones) / len(after))


def test_scheduled_sampling_costs_what_its_prefixes_say() -> None:
    """The references' words, after own words that no gradient goes through."""
    model = make_model()
    dy.reset_random_seed(1)
    inputs = mixing.mixed_inputs(model, batch(), 0.9, np.random.default_rng(2))
    assert (inputs != batch().target.inputs).any()
    dy.reset_random_seed(1)
    settings = SimpleNamespace(**{**vars(SETTINGS), "own_words": 0.9})
    cost = objectives.scheduled(model, settings, batch(), 0.0, np.random.default_rng(2))
    twin = Twin(model)

    def expected() -> float:
        total = 0.0
        for number, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
            steps = twin.steps(source, inputs[: len(target) + 1, number].tolist())
            total -= sum(float(step.log_probs[word]) for step, word in zip(steps, [*target, 0], strict=True))
        return total

    assert cost.total.scalar_value() == pytest.approx(expected(), rel=1e-5)
    expect_gradient(model, twin, cost.total, expected)


@pytest.mark.parametrize("kind", ["linear", "exponential", "sigmoid", "constant"])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.25, 0.9])
def test_the_share_of_the_references_words(kind: str, share: float) -> None:
    actual = [getattr(mixing, objectives.MIXINGS[kind])(share, progress) for progress in np.linspace(0, 1, 11)]
    assert actual[-1] == pytest.approx(1 - share)
    assert all(before >= after for before, after in zip(actual[:-1], actual[1:], strict=True))
    starts = {"linear": 1, "exponential": 1, "sigmoid": max(1 - share, 8 / 9) if share > 1 / 9 else 1 - share}
    assert actual[0] == pytest.approx(starts.get(kind, 1 - share))
    k = 1 - share
    middle = {"linear": 1 - share / 2, "exponential": math.sqrt(k), "constant": k}
    if kind in middle:
        assert actual[5] == pytest.approx(middle[kind])
    elif share > 1 / 9:
        i = 8 * math.log(8 * share / k) / 2
        assert actual[5] == pytest.approx(8 / (8 + math.exp(i / 8)))
