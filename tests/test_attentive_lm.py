"""The attentive language model equals its equations and never looks ahead, however its sentences are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.evaluation.perplexity import sentence_log_probs
from common.text.batching import make_batch
from tests import attentive_reference as reference
from tests.attentive_models import ATTENTIVE, SCORES, advance_through, distributions, gradients, loss_of, make_model
from tests.small_models import LONG, SENTENCES, H, V, column, whole_batch

# --- the equations


@pytest.mark.equation("salton2017", 1)
@pytest.mark.parametrize("score", SCORES)
def test_a_sentence_costs_what_the_chain_rule_says(score: str) -> None:
    model, batch = make_model(score), whole_batch()
    weights, found = reference.weights_of(model), model.log_probs(whole_batch())
    expected = [reference.sentence_log_probs(score, weights, sentence) for sentence in SENTENCES]
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, batch) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@pytest.mark.equation("salton2017", 2)
@pytest.mark.parametrize("layers", [1, 3])
def test_states_run_through_all_layers(layers: int) -> None:
    model = make_model("single", layers)
    states = model.states(column(LONG))
    assert states.dim() == ((H, len(LONG)), 1)
    expected = [step["h"] for step in reference.run("single", reference.weights_of(model), LONG)]
    np.testing.assert_allclose(states.npvalue().T, expected, atol=1e-6)


@pytest.mark.equation("salton2017", 3, 4, 5, 6)
@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_model_attends_with_the_score_it_is_told(score: str) -> None:
    model = make_model(score)
    steps = reference.run(score, reference.weights_of(model), LONG)
    states = model.states(column(LONG))
    found = model.weights(states).npvalue()
    for t, step in enumerate(steps):
        np.testing.assert_allclose(found[:t, t], step["a"], atol=1e-6)
    other = reference.run("single" if score == "combined" else "combined", both_scores(model), LONG)
    assert np.abs(found[:6, 6] - other[6]["a"]).max() > 1e-3, "the two scores must differ for this test to tell"


def both_scores(model) -> dict[str, np.ndarray]:
    """The model's weights, with a W_q where it has none."""
    return {"W_q": np.random.default_rng(8).normal(size=(H, H)), **reference.weights_of(model)}


@pytest.mark.equation("salton2017", 7, 8)
@pytest.mark.parametrize("score", SCORES)
def test_output_merges_state_and_context(score: str) -> None:
    model = make_model(score)
    weights, rng = reference.weights_of(model), np.random.default_rng(9)
    merged = rng.normal(size=(H if score == "none" else 2 * H, 4))
    found = model.output(dy.inputTensor(merged)).npvalue()
    for t in range(4):
        h_prime = np.tanh(
            [sum(weights["W_c"][j, k] * merged[k, t] for k in range(len(merged))) + weights["b_c"][j] for j in range(H)]
        )
        expected = [sum(weights["embedding"][k, j] * h_prime[j] for j in range(H)) for k in range(V)] + weights["b"]
        np.testing.assert_allclose(found[:, t], expected, atol=1e-5)


@pytest.mark.equation("salton2017", 1, 2, 3, 4, 5, 6, 7, 8)
@pytest.mark.parametrize("score", SCORES)
def test_stepwise_and_batched_distributions_are_those_of_the_equations(score: str) -> None:
    model = make_model(score)
    inputs = np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    batched, (_, stepwise) = distributions(model, inputs), advance_through(model, inputs)
    weights = reference.weights_of(model)
    for sentence in range(2):
        expected = [step["log_probs"] for step in reference.run(score, weights, inputs[:, sentence].tolist())]
        np.testing.assert_allclose(batched[:, :, sentence].T, expected, atol=1e-5)
        np.testing.assert_allclose(stepwise[:, :, sentence].T, expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(batched).sum(axis=0), 1, atol=1e-5)
    np.testing.assert_allclose(np.exp(stepwise).sum(axis=0), 1, atol=1e-5)


# --- memory and causality


@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_memory_holds_all_past_states(score: str) -> None:
    model, inputs = make_model(score), np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    all_states = model.states(inputs).npvalue()
    states, _ = advance_through(model, inputs)
    assert [len(state.memory) for state in states] == list(range(len(LONG) + 1))
    for t, held in enumerate(states[-1].memory):
        np.testing.assert_allclose(held.npvalue(), all_states[:, t], atol=1e-6)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_every_past_state_is_attended_to(score: str) -> None:
    model = make_model(score)
    weights = model.weights(model.states(column(LONG))).npvalue()
    past = np.triu(np.ones((len(LONG), len(LONG)), dtype=bool), k=1)
    assert (weights[past] > 0).all() and (weights[~past] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=0), [0] + [1] * (len(LONG) - 1), atol=1e-6)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_first_context_is_zero(score: str) -> None:
    model = make_model(score)
    assert (model.context([], model.states(column([0]))).npvalue() == 0).all()
    before = distributions(model, column(LONG))
    W_c = reference.weights_of(model)["W_c"]
    W_c[:, H:] += 1
    reference.set_weights(model, {"W_c": W_c})
    after = distributions(model, column(LONG))
    np.testing.assert_allclose(after[:, 0], before[:, 0], atol=1e-6)
    assert (np.abs(after[:, 1:] - before[:, 1:]).max(axis=0) > 1e-3).all()


@pytest.mark.parametrize("score", SCORES)
def test_a_future_word_never_changes_a_past_prediction(score: str) -> None:
    model = make_model(score)
    before = distributions(model, column(LONG))
    for changed in range(1, len(LONG)):
        words = LONG.copy()
        words[changed] = 1 + words[changed] % (V - 1)
        after = distributions(model, column(words))
        np.testing.assert_allclose(after[:, :changed], before[:, :changed], rtol=0, atol=1e-6)
        assert (np.abs(after[:, changed:] - before[:, changed:]).max(axis=0) > 1e-5).all()


def test_no_score_is_a_context_that_counts_for_nothing() -> None:
    plain, attentive = make_model("none"), make_model("single")
    shared = reference.weights_of(plain)
    W_c = np.concatenate([shared.pop("W_c"), np.zeros((H, H))], axis=1)
    reference.set_weights(attentive, {**shared, "W_c": W_c})
    batch = whole_batch()
    np.testing.assert_allclose(attentive.log_probs(batch), plain.log_probs(batch), atol=1e-6)
    assert loss_of(attentive, batch) == pytest.approx(loss_of(plain, batch), rel=1e-6)


@pytest.mark.parametrize("score", ATTENTIVE)
@pytest.mark.parametrize(("time", "batch"), [(1, 1), (1, 3), (7, 1), (7, 2)])
def test_the_attention_to_look_at_is_the_attention_computed(score: str, time: int, batch: int) -> None:
    model, inputs = make_model(score), np.array([LONG, LONG[::-1], LONG]).T[:time, :batch]
    found = model.attention(inputs)
    assert found.shape == (time, time, batch)
    for sentence in range(batch):
        steps = reference.run(score, reference.weights_of(model), inputs[:, sentence].tolist())
        for t, step in enumerate(steps):
            np.testing.assert_allclose(found[:, t, sentence], [*step["a"], *[0] * (time - t)], atol=1e-6)


# --- batches


@pytest.mark.parametrize("score", SCORES)
def test_a_batch_is_the_sum_of_its_sentences(score: str) -> None:
    model = make_model(score)
    alone = [make_batch(SENTENCES, [number]) for number in range(len(SENTENCES))]
    assert loss_of(model, whole_batch()) == pytest.approx(sum(loss_of(model, batch) for batch in alone), rel=1e-6)
    together = gradients(model, whole_batch())
    each = [gradients(model, batch) for batch in alone]
    for name, gradient in together.items():
        np.testing.assert_allclose(gradient, sum(one[name] for one in each), rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("score", SCORES)
def test_padding_changes_nothing(score: str) -> None:
    model, batch = make_model(score), whole_batch()
    garbled = batch._replace(
        inputs=np.where(batch.mask > 0, batch.inputs, 5), targets=np.where(batch.mask > 0, batch.targets, 3)
    )
    real = batch.mask > 0
    np.testing.assert_allclose(model.log_probs(garbled)[real], model.log_probs(batch)[real], atol=1e-6)
    assert loss_of(model, garbled) == pytest.approx(loss_of(model, batch), rel=1e-6)
    before, after = gradients(model, batch), gradients(model, garbled)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=1e-5, err_msg=name)


words = st.integers(2, V - 1).map(lambda number: f"w{number}")
sentence_lists = st.lists(st.lists(words, max_size=9), min_size=1, max_size=8)


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(sentences=sentence_lists, batch_size=st.integers(1, 8))
def test_sorting_and_batching_never_change_a_log_probability(
    score: str, sentences: list[list[str]], batch_size: int
) -> None:
    model = make_model(score)
    for sentence, found in zip(sentences, sentence_log_probs(model, sentences, batch_size=batch_size), strict=True):
        (alone,) = sentence_log_probs(model, [sentence])
        assert found.shape == (len(sentence) + 1,)
        np.testing.assert_allclose(found, alone, atol=1e-5)
