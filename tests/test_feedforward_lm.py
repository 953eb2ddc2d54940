"""The feed-forward language model equals its equations, and sees the n-1 words before a prediction and nothing else."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn import full_softmax
from common.text.batching import make_batch
from common.text.histories import histories
from tests import feedforward_reference as reference
from tests.feedforward_models import (
    UNIGRAM,
    advance_through,
    arrays,
    loss_of,
    make_model,
    parameters_of,
    set_array,
)
from tests.learning import learn
from tests.small_models import LONG, SENTENCES, V, whole_batch

SOFTMAXES = ("full", "class", "hierarchical", "sampled", "nce")

# --- the equations


def test_without_hidden_layers_it_is_a_log_linear_trigram_model_of_low_rank() -> None:
    """s = W1[:, e_{t-1}] + W2[:, e_{t-2}] + b as in Neubig's Eq. 41, but W1 and W2 have the rank of an embedding."""
    model = make_model(order=3, layers=0)
    weights = arrays(parameters_of(model))
    second, first = np.split(weights["W_hs"], 2, axis=1)
    W1, W2 = first @ weights["M"].T, second @ weights["M"].T
    assert max(np.linalg.matrix_rank(matrix, tol=1e-6) for matrix in (W1, W2)) == weights["M"].shape[1] < V
    for sentence in SENTENCES:
        actual = advance_through(model, np.array([[0, *sentence]]).T)[:, 0]
        e = [0, 0, *sentence]
        for t in range(len(sentence) + 1):
            s = np.array([W1[word, e[t + 1]] + W2[word, e[t]] + weights["b_s"][word] for word in range(V)])
            np.testing.assert_allclose(actual[t], reference.log_softmax(s), atol=1e-5)


# --- what it sees


@pytest.mark.parametrize("order", [2, 3, 5])
def test_contexts_by_hand(order: int) -> None:
    inputs = np.array([[0, 4, 2, 6], [0, 5, 3, 3]]).T
    actual = histories(inputs, order)
    assert actual.shape == (order - 1, 4, 2)
    expected = {2: [2], 3: [4, 2], 5: [0, 0, 4, 2]}
    assert actual[:, 2, 0].tolist() == expected[order]
    assert actual[:, 0, 1].tolist() == [0] * (order - 1)
    assert actual[-1].tolist() == inputs.tolist()


@pytest.mark.parametrize("softmax", SOFTMAXES)
@pytest.mark.parametrize("order", [2, 4])
def test_exactly_the_last_words_matter(softmax: str, order: int) -> None:
    """A future word never changes a prediction, nor does a word n or more back; each of the n-1 between does."""
    model, sentence = make_model(order=order, softmax=softmax), LONG[1:]
    before = model.log_probs(make_batch([sentence], [0]))[:, 0]
    for changed, word in enumerate(sentence):
        other = sentence.copy()
        other[changed] = 1 + word % (V - 1)
        after = model.log_probs(make_batch([other], [0]))[:, 0]
        sees_it = np.arange(changed + 1, min(changed + order, len(before)))
        its_target_stays = np.delete(np.arange(len(before)), [changed, *sees_it])
        np.testing.assert_allclose(after[its_target_stays], before[its_target_stays], rtol=0, atol=1e-6)
        assert (np.abs(after[sees_it] - before[sees_it]) > 1e-5).all()


# --- batches


def test_scoring_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a large vocabulary an evaluation does not hold the scores of a whole batch at once."""
    model = make_model()
    whole = model.log_probs(whole_batch())
    monkeypatch.setattr(full_softmax, "SCORES_AT_ONCE", 3 * V)
    np.testing.assert_allclose(model.log_probs(whole_batch()), whole, atol=1e-6)


# --- settings


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_dropout_is_on_the_embeddings_and_every_hidden_layer(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    rates = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    loss_of(make_model(layers=layers, dropout=0.3), whole_batch())
    assert rates == [0.3] * (layers + 1)


@pytest.mark.parametrize("softmax", ["full", "sampled", "nce"])
def test_tied_embeddings_are_one_set_of_numbers(softmax: str) -> None:
    tied, separate = make_model(tied=True, softmax=softmax), make_model(softmax=softmax, hidden_size=2)
    assert tied.softmax.W is tied.embedding and separate.softmax.W is not separate.embedding
    before = tied.log_probs(whole_batch())
    set_array(tied.embedding, arrays(parameters_of(tied))["M"] * 2)
    assert np.abs(tied.log_probs(whole_batch()) - before).max() > 1e-2


@pytest.mark.parametrize("softmax", SOFTMAXES)
@pytest.mark.parametrize(("bias", "expected"), [("unigram", UNIGRAM), ("zero", np.full(V, -np.log(V)))])
def test_training_starts_at_the_unigram_distribution(softmax: str, bias: str, expected: np.ndarray) -> None:
    """With weights near zero, that is what every softmax knows, or with --bias zero nothing at all."""
    model = make_model(scale=0, softmax=softmax, bias=bias, init_scale=1e-6)
    actual = advance_through(model, np.array([LONG]).T)
    np.testing.assert_allclose(actual[:, 0], np.tile(expected, (len(LONG), 1)), atol=1e-4)


@pytest.mark.trains
def test_a_hidden_layer_learns_what_no_sum_can_say() -> None:
    """The third word is decided by the first two together and by neither alone, as in XOR."""
    sentences = [[2, 4, 1], [2, 5, 6], [3, 4, 6], [3, 5, 1]]
    batch = make_batch(sentences, range(4))

    def third_word(layers: int, least: float) -> np.ndarray:
        """Its log P in each sentence, after training until none is below log `least`."""
        model = make_model(scale=0, order=3, layers=layers, embedding_size=8, hidden_size=16, init_scale=0.8)
        rng = np.random.default_rng(1)
        learn(model, lambda: model.loss(batch, rng), lambda: model.log_probs(batch)[2].min() > np.log(least), 600)
        return model.log_probs(batch)[2]

    third_word(layers=1, least=0.9)
    assert third_word(layers=0, least=0.45).mean() <= np.log(0.5) + 1e-6, "the best that a sum can do"
