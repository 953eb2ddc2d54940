"""Chapter 10's objectives and their gradients, against float64, and against all sentences of a tiny vocabulary."""

from __future__ import annotations

import itertools
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
augmentation = of_chapter("augmentation")
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

SETS = [[[2, 2, 0], [2, 2, 0], [1, 2, 1, 2]], [[0], [2, 1, 0], [2, 0]]]
"""Samples of two sources: one that comes twice, one that was cut, and one that is the reference."""


@pytest.mark.parametrize("with_reference", [False, True])
def test_risk_and_its_gradient_are_those_of_the_definition(
    with_reference: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model()
    monkeypatch.setattr(objectives, "draw_sentences", lambda *_: [item for own in SETS for item in own])
    settings = SimpleNamespace(**{**vars(SETTINGS), "samples_only": not with_reference})
    cost = objectives.risk(model, settings, batch(), 0.0, np.random.default_rng(1))
    twin = Twin(model)

    def expected() -> float:
        total = 0.0
        for source, target, own in zip(SOURCES, TARGETS, SETS, strict=True):
            candidates = [*([[*target, 0]] if with_reference else []), *own]
            distinct = [item for i, item in enumerate(candidates) if item not in candidates[:i]]
            costs = [objectives.cost_of(item, [*target, 0]) if item != [*target, 0] or item in own else 0.0
                     for item in distinct]  # fmt: skip
            if with_reference:
                costs[0] = 0.0
            total += tiny.expected_cost([tiny.log_prob(twin, source, item) for item in distinct], costs, SETTINGS.alpha)
        return total

    assert cost.loss.scalar_value() == pytest.approx(likelihood_loss(twin), rel=1e-5)
    expect(model, twin, cost.total, expected)


def likelihood_loss(twin: Twin) -> float:
    return -sum(tiny.log_prob(twin, source, [*target, 0]) for source, target in zip(SOURCES, TARGETS, strict=True))


def expect(model, twin: Twin, expression: dy.Expression, function) -> None:
    """An expression has the value and the gradient of the function of the twin's weights."""
    assert expression.scalar_value() == pytest.approx(function(), rel=1e-5)
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
    monkeypatch.setattr(objectives, "draw_sentences", lambda *_: [item for own in SETS for item in own])
    settings = SimpleNamespace(**{**vars(SETTINGS), "baseline": baseline})
    cost = objectives.reinforce(model, settings, batch(), 0.0, np.random.default_rng(1))
    twin = Twin(model)

    def expected() -> float:
        total = 0.0
        for source, target, own in zip(SOURCES, TARGETS, SETS, strict=True):
            costs = [objectives.cost_of(item, [*target, 0]) for item in own]
            for c, item in enumerate(own):
                others = [value for place, value in enumerate(costs) if place != c]
                advantage = costs[c] - (sum(others) / len(others) if baseline == "others" else 0)
                total += advantage * tiny.log_prob(twin, source, item) / len(own)
        return total

    expect(model, twin, cost.total, expected)


def test_likelihood_is_the_models_own_loss() -> None:
    model = make_model(dropout=0.3)
    dy.reset_random_seed(7)
    cost = objectives.likelihood(model, SETTINGS, batch(), 0.0, np.random.default_rng(1))
    actual = cost.total.scalar_value()
    dy.reset_random_seed(7)
    dy.renew_cg()
    assert actual == model.loss(batch()).scalar_value()


# --- expected risk, and its relation to REINFORCE


def everything(model) -> tuple[list[list[int]], np.ndarray, np.ndarray, Twin]:
    """All sentences, their log-probabilities in float64 for the first source, and their costs."""
    twin, every = Twin(model), tiny.all_predictions(3, 3)
    log_probs = np.array([tiny.log_prob(twin, SOURCES[0], item) for item in every])
    costs = np.array([objectives.cost_of(item, [*TARGETS[0], 0]) for item in every])
    return every, log_probs, costs, twin


def test_with_all_sentences_risk_is_the_expected_cost() -> None:
    """Of alpha 1: no renormalisation is left."""
    model = make_model()
    every, log_probs, costs, _ = everything(model)
    actual = objectives.batch_of(SOURCES[:1], [every])
    candidates = objectives.Candidates(actual, costs[None], *[np.ones((1, len(every)), bool)] * 2)
    expression = objectives.candidate_log_probs(model, candidates)
    np.testing.assert_allclose(expression.npvalue().ravel(), log_probs, atol=1e-5)
    risk = objectives.expected_cost(expression, candidates.costs, candidates.first, 1.0)
    assert risk.scalar_value() == pytest.approx(float((np.exp(log_probs) * costs).sum()), rel=1e-5)


def gradient_by_log_probs(expression_of, log_probs: np.ndarray) -> np.ndarray:
    """The gradient of an expression of log-probabilities by them."""
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(len(log_probs), init=dy.NumpyInitializer(log_probs))
    dy.renew_cg()
    expression = expression_of(dy.reshape(parameter.expr(True), (len(log_probs),), 1))
    expression.forward()
    expression.backward()
    return parameter.grad_as_array()


def test_reinforce_has_on_average_the_gradient_of_the_expected_cost() -> None:
    """The mean over all pairs of samples, each as often as it is probable, whatever the baseline."""
    _, log_probs, costs, _ = everything(make_model())
    p = np.exp(log_probs)
    exact = p * (costs - (p * costs).sum())
    for baseline in objectives.BASELINES.values():
        mean = np.zeros(len(p))
        for i in range(len(p)):
            for j in range(len(p)):
                advantages = baseline(np.array([[costs[i], costs[j]]]))
                own = gradient_by_log_probs(lambda both: objectives.policy_loss(both, advantages), log_probs[[i, j]])  # noqa: B023
                mean[i] += p[i] * p[j] * own[0]
                mean[j] += p[i] * p[j] * own[1]
        # log-probabilities are not free: what all of them have in common moves nothing
        np.testing.assert_allclose(mean - p * mean.sum(), exact, atol=1e-6)


def test_risk_becomes_reinforce_as_alpha_goes_to_zero() -> None:
    """Its gradient divided by alpha: REINFORCE's, with the mean of all samples for a baseline."""
    costs, log_probs = np.array([[0.9, 0.2, 0.4]]), np.array([-1.0, -3.0, -2.5])
    counted = np.ones((1, 3), bool)
    by_reinforce = gradient_by_log_probs(
        lambda actual: objectives.policy_loss(actual, objectives.BASELINES["others"](costs)), log_probs
    )
    advantages = costs[0] - costs[0].mean()
    np.testing.assert_allclose(by_reinforce, advantages / 2, rtol=1e-5)  # (k/(k-1)) advantage / k

    def distance_at(alpha: float) -> float:
        by_risk = gradient_by_log_probs(
            lambda actual: objectives.expected_cost(actual, costs, counted, alpha), log_probs
        )
        return np.abs(by_risk / alpha - by_reinforce * 2 / 3).max()

    distance = [distance_at(alpha) for alpha in (1.0, 0.1, 0.01)]
    assert distance[0] > distance[1] > distance[2] and distance[2] < 0.01


# --- altered references


@pytest.mark.parametrize("temperature", [0.4, 1.5])
@pytest.mark.parametrize("reference", [[2, 4], [3, 1, 3], [7, 2]])
def test_references_are_altered_in_proportion_to_their_rewards(reference: list[int], temperature: float) -> None:
    """Against the distribution over all sentences of a vocabulary of 3 words: also around `<unk>`, and around a word
    that is copied and has a number beyond the vocabulary."""
    rows, words = 30_000, 5
    every = [list(sentence) for sentence in itertools.product(*({2, 3, 4, word} for word in reference))]
    substituted = np.array([sum(a != b for a, b in zip(item, reference, strict=True)) for item in every])
    expected = np.exp(-substituted / temperature)
    expected /= expected.sum()
    targets = np.array([[*reference, 0, 0]] * rows).T
    altered = augmentation.alter(targets, words, temperature, np.random.default_rng(1))
    assert not altered[len(reference) :].any(), "</s> and padding stay"
    sentences = altered[: len(reference)].T.tolist()
    counts = np.array([sentences.count(item) for item in every])
    assert counts.sum() == rows
    assert (np.abs(counts / rows - expected) <= 4 * np.sqrt(expected * (1 - expected) / rows)).all()
    others = [3 if word in (1, 7) else 2 for word in reference]
    if len(set(others)) == 1:  # the number of substitutions: binomial coefficient times the ways to replace
        m, n = len(reference), others[0]
        ways = np.array([math.comb(m, d) * n**d * math.exp(-d / temperature) for d in range(m + 1)])
        numbers = np.array([counts[substituted == d].sum() for d in range(m + 1)]) / rows
        share = ways / ways.sum()
        assert (np.abs(numbers - share) <= 4 * np.sqrt(share * (1 - share) / rows)).all()


def test_at_its_extremes_the_temperature_alters_nothing_or_every_word_evenly() -> None:
    targets = np.full((1, 3000), 3)
    rng = np.random.default_rng(1)
    assert (augmentation.alter(targets, 5, 1e-6, rng) == 3).all()
    counts = np.bincount(augmentation.alter(targets, 5, 1e6, rng)[0], minlength=5)
    assert counts[:2].sum() == 0 and (np.abs(counts[2:] - 1000) < 4 * np.sqrt(3000 * 2 / 9)).all()


def test_raml_is_the_mean_loss_of_altered_references() -> None:
    """Their words are also what the decoder reads; and its gradient."""
    model = make_model(targets=("ba", "ku"))
    settings = SimpleNamespace(**{**vars(SETTINGS), "temperature": 2.0})
    cost = objectives.raml(model, settings, batch(), 0.0, np.random.default_rng(1))
    samples = augmentation.altered_batch(batch(), SETTINGS.samples, len(model.vocab), 2.0, np.random.default_rng(1))
    sets = [
        column[: int(length)].tolist()
        for column, length in zip(samples.target.targets.T, samples.target.mask.sum(0), strict=True)
    ]
    references = [[*target, 0] for target in TARGETS for _ in range(SETTINGS.samples)]
    assert list(map(len, sets)) == list(map(len, references)) and sets != references
    twin = Twin(model)

    def expected() -> float:
        sources = [source for source in SOURCES for _ in range(SETTINGS.samples)]
        log_probs = [tiny.log_prob(twin, source, item) for source, item in zip(sources, sets, strict=True)]
        return -sum(log_probs) / SETTINGS.samples

    assert cost.loss.scalar_value() == pytest.approx(likelihood_loss(twin), rel=1e-5)
    expect(model, twin, cost.total, expected)


def test_raml_near_temperature_zero_is_likelihood() -> None:
    model = make_model()
    settings = SimpleNamespace(**{**vars(SETTINGS), "temperature": 1e-6})
    cost = objectives.raml(model, settings, batch(), 0.0, np.random.default_rng(1))
    assert cost.total.scalar_value() == pytest.approx(cost.loss.scalar_value(), rel=1e-6)


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

    expect(model, twin, cost.total, expected)


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
