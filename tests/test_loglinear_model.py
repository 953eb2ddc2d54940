"""The log-linear model computes its equations, forwards and backwards, and both engines are the same model."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.text.batching import make_batch
from tests import loglinear_reference as reference
from tests.loglinear_reference import (
    CHAPTER,
    SENTENCES,
    SPEC,
    Active,
    V,
    feature_set,
    model_module,
    random_active,
    random_model,
    whole_batch,
)
from tests.small_models import numeric_gradient

sparse = chapter_module(CHAPTER, "sparse")
toy = chapter_module(CHAPTER, "toy")
dynet_model = chapter_module(CHAPTER, "dynet_model")
select = model_module.select

TARGETS = np.array([2, 0, 9, 2, 5, 1, 7])


# --- forwards


@pytest.mark.equation("neubig2017", 17, 18, 26)
def test_sums_of_columns_are_products_with_dense_vectors() -> None:
    model, active = random_model(), random_active(feature_set().size, 7)
    x = reference.dense(active, model.features.size)
    expected = [reference.scores(model.W, model.b, row) for row in x]
    np.testing.assert_allclose(model.scores(sparse.by_position(active)), expected, rtol=1e-12)
    np.testing.assert_allclose(expected[-1], model.b), "no feature is active: the bias alone"


@pytest.mark.equation("neubig2017", 41)
@pytest.mark.parametrize("spec", ["word1,word2", "word2,word1"])
def test_with_the_two_words_before_it_is_the_trigram_model(spec: str) -> None:
    """s = W1[:, e_{t-1}] + W2[:, e_{t-2}] + b, p = softmax(s): after every two words, and at the start."""
    model = random_model(spec)
    blocks = dict(zip(spec.split(","), np.split(model.W.T, 2, axis=1), strict=True))
    W1, W2 = blocks["word1"], blocks["word2"]
    assert W1.shape == W2.shape == (V, V) and np.linalg.matrix_rank(W1) == np.linalg.matrix_rank(W2) == V
    for first in range(1, V):
        for second in range(1, V):
            state = model.start(1)
            for before, last in ((0, 0), (0, first), (first, second)):  # e_{t-2} and e_{t-1}; 0 is <s>
                state, log_probs = model.advance(state, [last])
                s = np.array([W1[word, last] + W2[word, before] + model.b[word] for word in range(V)])
                np.testing.assert_allclose(np.exp(log_probs[0]), np.exp(s) / np.exp(s).sum(), rtol=1e-12)


@pytest.mark.equation("neubig2017", 19, 20, 27)
def test_softmax_is_its_definition_and_survives_large_scores() -> None:
    s = np.random.default_rng(1).normal(0, 3, (4, 6))
    np.testing.assert_allclose(np.exp(model_module.log_softmax(s.copy())), [reference.softmax(row) for row in s])
    large = np.array([[1000.0, 0.0, -1000.0]], dtype=np.float32)
    np.testing.assert_allclose(model_module.log_softmax(large), [[0, -1000, -2000]])


@pytest.mark.equation("neubig2017", 21, 22, 28)
def test_the_loss_is_minus_the_log_likelihood() -> None:
    model, active = random_model(), random_active(feature_set().size, 7)
    x = reference.dense(active, model.features.size)
    loss, _ = model.loss_and_gradients(active, TARGETS)
    assert loss == pytest.approx(reference.loss(model.W, model.b, x, TARGETS), rel=1e-12)
    batch = whole_batch()
    assert model.loss_and_gradients(*select(model.features, batch))[0] == pytest.approx(-model.log_probs(batch).sum())


# --- backwards


@pytest.mark.equation("neubig2017", 23, 29, 30, 31, 32)
def test_gradients_are_those_of_finite_differences() -> None:
    """Of a loss computed with plain loops and dense vectors; with values that are not 1, and a feature twice."""
    model, active = random_model("word1,class1"), random_active(feature_set("word1,class1").size, 7)
    x = reference.dense(active, model.features.size)
    _, actual = model.loss_and_gradients(active, TARGETS)
    W, b = model.W.copy(), model.b.copy()
    dense_W = np.zeros_like(W)
    dense_W[actual.features] = actual.W
    np.testing.assert_allclose(dense_W, numeric_gradient(lambda: reference.loss(W, b, x, TARGETS), W), atol=1e-8)
    np.testing.assert_allclose(actual.b, numeric_gradient(lambda: reference.loss(W, b, x, TARGETS), b), atol=1e-8)
    assert actual.features.tolist() == np.flatnonzero(np.abs(x).sum(axis=0)).tolist(), "the rows touched, once each"


# --- DyNet


@pytest.fixture
def both():
    """The same random parameters in both engines."""
    by_hand = random_model(dtype=np.float32)
    on_dynet = dynet_model.DynetLogLinearLM(by_hand.features)
    on_dynet.set_arrays(by_hand.arrays())
    return by_hand, on_dynet


def test_engines_agree_on_loss_and_gradients(both) -> None:
    by_hand, on_dynet = both
    active, targets = select(by_hand.features, whole_batch())
    for values in (active.values, np.random.default_rng(2).normal(size=active.values.shape) * (active.values != 0)):
        loss, expected = by_hand.loss_and_gradients(Active(active.ids, values), targets)
        dy.renew_cg()
        on_dynet.W.scale_gradient(0), on_dynet.b.scale_gradient(0)
        graph = on_dynet.loss(Active(active.ids, values), targets)
        assert graph.scalar_value() == pytest.approx(loss, rel=1e-5)
        graph.backward()
        np.testing.assert_allclose(on_dynet.b.grad_as_array(), expected.b, atol=1e-5)
        actual = on_dynet.W.grad_as_array()
        np.testing.assert_allclose(actual[expected.features], expected.W, atol=1e-5)
        assert not np.delete(actual, expected.features, axis=0).any()


@pytest.mark.trains
@pytest.mark.parametrize("kind", ["sgd", "adagrad"])
def test_engines_learn_alike(kind: str) -> None:
    """Three steps of each learner from the same start end at the same parameters."""
    settings_module, learners = (chapter_module(CHAPTER, name) for name in ("settings", "learners"))
    settings = settings_module.Settings(features=SPEC, optimiser=kind)
    ends = []
    for learner_class_of in learners.LEARNERS.values():
        learner = learner_class_of()(settings, feature_set())
        learner.begin_epoch()
        for indices in ([0, 1], [2, 3], [0, 3]):
            learner.step(make_batch(SENTENCES, indices), 0.3)
        ends.append(learner.model.arrays())
    for by_hand, on_dynet in zip(*ends, strict=True):
        assert np.abs(by_hand).max() > 0.1
        np.testing.assert_allclose(on_dynet, by_hand, atol=1e-5)


# --- what sums cannot say (section 5.1)


def test_figure_6_is_no_sum_of_words() -> None:
    """The best sum is at a minimum (no gradient), above the truth; pairs reach the truth."""
    additive, pairs = (toy.best_fit(toy.FIGURE_6, spec) for spec in ("word1,word2", "pair21"))
    truth = toy.cost(toy.FIGURE_6)
    assert truth == pytest.approx(-(0.8 * np.log(0.8) + 0.2 * np.log(0.1)))
    assert toy.cost(toy.FIGURE_6, pairs) == pytest.approx(truth, abs=2e-3)
    assert toy.cost(toy.FIGURE_6, additive) > truth + 0.1
    gaps = {
        place: np.mean(
            [(toy.probabilities(additive, c)["hay"] - toy.FIGURE_6[c]["hay"]) for c in toy.FIGURE_6 if place in c]
        )
        for place in ("farmers", "cows", "eat", "grow")
    }
    assert max(map(abs, gaps.values())) < 1e-3, "at the minimum every feature expects hay as often as it comes"
