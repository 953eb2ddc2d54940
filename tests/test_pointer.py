"""The pointer sentinel mixture equals its equations, word by word, and is a distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from common.chapters import chapter_module
from common.text.batching import make_batch
from tests import rnn_reference as reference
from tests.rnn_models import CHAPTER, advance_through, distributions, gradients, loss_of, make_model
from tests.small_models import LONG, SENTENCES, V, check_gradients, column, whole_batch

PointerLM = chapter_module(CHAPTER, "pointer").PointerLM
POINTER = ("W_q", "b_q", "s")


def make_pointer(kind: str = "lstm", **options):
    return make_model(kind, layers=1, model_class=PointerLM, **options)


def parameters_of(kind: str, model) -> dict:
    return {**reference.parameters_of(kind, model), **{name: getattr(model, name) for name in POINTER}}


def mixture(kind: str, weights, inputs: list[int]) -> list[np.ndarray]:
    """P(next word) after each input, by hand: one softmax over q.h_i of the words read and q.s of the sentinel."""
    cell_weights = {name: array for name, array in weights.items() if name not in POINTER}
    hidden, log_probs, _ = reference.run_model(kind, cell_weights, inputs)
    found = []
    for t in range(len(inputs)):
        query = np.tanh(weights["W_q"] @ hidden[t] + weights["b_q"])
        positions = range(1, t + 1)  # the first input is <s>, at which nothing points
        scores = [query @ hidden[i] for i in positions] + [query @ weights["s"][0]]
        exponents = [math.exp(score - max(scores)) for score in scores]
        shares = [value / sum(exponents) for value in exponents]
        probs = shares[-1] * np.exp(log_probs[t])
        for i, share in zip(positions, shares, strict=False):
            probs[inputs[i]] += share
        found.append(probs)
    return found


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_batched_and_stepwise_mixtures_are_those_of_the_equations(kind: str) -> None:
    model = make_pointer(kind)
    weights = reference.weights_of(parameters_of(kind, model))
    inputs = np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    batched, stepwise = distributions(model, inputs), advance_through(model, inputs)
    for sentence in range(2):
        expected = mixture(kind, weights, inputs[:, sentence].tolist())
        np.testing.assert_allclose(np.exp(batched[:, :, sentence]).T, expected, atol=1e-5)
        np.testing.assert_allclose(np.exp(stepwise[:, :, sentence]).T, expected, atol=1e-5)
    for found in (batched, stepwise):
        np.testing.assert_allclose(np.exp(found).sum(axis=0), 1, atol=1e-5)


def test_a_single_sentence_and_a_single_step() -> None:
    model = make_pointer()
    weights = reference.weights_of(parameters_of("lstm", model))
    for inputs in ([0], LONG):
        found = distributions(model, column(inputs))[:, :, 0]
        np.testing.assert_allclose(np.exp(found).T, mixture("lstm", weights, inputs), atol=1e-5)
        np.testing.assert_allclose(advance_through(model, column(inputs))[:, :, 0], found, atol=1e-5)


def test_the_loss_is_that_of_the_mixture() -> None:
    model = make_pointer()
    weights = reference.weights_of(parameters_of("lstm", model))
    expected = 0.0
    for sentence in SENTENCES:
        for probs, target in zip(mixture("lstm", weights, [0, *sentence]), [*sentence, 0], strict=True):
            expected -= math.log(probs[target])
    assert loss_of(model, whole_batch()) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["rnn", "lstm"])
def test_gradients_are_those_of_finite_differences(kind: str) -> None:
    model, sentences = make_pointer(kind, tied=False), [[2, 3, 2, 3, 4], [5, 5]]
    parameters = parameters_of(kind, model)
    weights = reference.weights_of(parameters)
    found = gradients(model, make_batch(sentences, [0, 1]), parameters)

    def loss() -> float:
        return -sum(
            math.log(probs[target])
            for sentence in sentences
            for probs, target in zip(mixture(kind, weights, [0, *sentence]), [*sentence, 0], strict=True)
        )

    check_gradients(found, weights, loss)


def test_what_was_never_read_cannot_be_pointed_at() -> None:
    """With the sentinel shut out, all probability is on words read before; at first there is only the softmax."""
    model = make_pointer()
    model.s.set_value(-100 * np.sign(model.b_q.as_array())[None] * (1 + 0 * model.s.as_array()))
    model.W_q.set_value(0 * model.W_q.as_array())
    found = np.exp(distributions(model, column([0, 4, 2, 4]))[:, :, 0])
    never = [word for word in range(V) if word not in (2, 4)]
    assert found[never, 0].min() > 1e-6
    np.testing.assert_allclose(found[never, 2:], 0, atol=1e-6)
    np.testing.assert_allclose(found[4, 1], 1, atol=1e-6)
    np.testing.assert_allclose(found[[2, 4], 3].sum(), 1, atol=1e-6)


def test_padding_and_batching_change_nothing() -> None:
    model, batch = make_pointer(), whole_batch()
    alone = [make_batch(SENTENCES, [number]) for number in range(len(SENTENCES))]
    assert loss_of(model, batch) == pytest.approx(sum(loss_of(model, one) for one in alone), rel=1e-6)
    together, each = gradients(model, batch), [gradients(model, one) for one in alone]
    for name, gradient in together.items():
        np.testing.assert_allclose(gradient, sum(one[name] for one in each), rtol=1e-4, atol=1e-5, err_msg=name)
    real = batch.mask > 0
    garbled = batch._replace(inputs=np.where(real, batch.inputs, 5), targets=np.where(real, batch.targets, 3))
    np.testing.assert_allclose(model.log_probs(garbled)[real], model.log_probs(batch)[real], atol=1e-5)


def test_a_future_word_never_changes_a_past_prediction() -> None:
    model = make_pointer()
    before = distributions(model, column(LONG))
    for changed in range(1, len(LONG)):
        ids = LONG.copy()
        ids[changed] = 1 + ids[changed] % (V - 1)
        after = distributions(model, column(ids))
        np.testing.assert_allclose(after[:, :changed], before[:, :changed], rtol=0, atol=1e-5)
        assert (np.abs(after[:, changed:] - before[:, changed:]).max(axis=0) > 1e-6).all()
