"""A text read as streams: nothing is lost or counted twice, and the state goes on where it stopped."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.evaluation import streaming
from common.evaluation.perplexity import UNKNOWN_WORD_TYPES
from common.nn.arrays import detach
from common.text import streams
from tests import rnn_reference as reference
from tests.rnn_models import KINDS, loss_of, make_model
from tests.small_models import SENTENCES, TEXT, WORDS

bounded = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@bounded
@given(
    sentences=st.lists(st.lists(st.integers(1, 9), max_size=9), min_size=1, max_size=12),
    number=st.integers(1, 8),
    steps=st.integers(1, 9),
)
def test_every_prediction_of_a_text_is_made_once(sentences: list[list[int]], number: int, steps: int) -> None:
    batches = streams.make_streams(sentences, number, steps)
    text = [word for sentence in sentences for word in [*sentence, 0]]
    inputs, targets, mask = (
        np.concatenate([getattr(batch, part) for batch in batches]) for part in ("inputs", "targets", "mask")
    )
    real = mask.T.ravel() > 0
    assert targets.T.ravel()[real].tolist() == text
    assert inputs.T.ravel()[real].tolist() == [0, *text[:-1]]
    assert sum(batch.predictions for batch in batches) == len(text)
    assert all(len(batch.inputs) <= steps and batch.inputs.shape[1] == number for batch in batches)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [1, 4, 50])
def test_one_stream_is_the_whole_text_in_one_go(kind: str, steps: int) -> None:
    """However long the pieces: each word is predicted from all words before it, across sentences."""
    model = make_model(kind)
    weights = reference.weights_of(reference.parameters_of(kind, model))
    _, distributions, _ = reference.run_model(kind, weights, [0, *TEXT[:-1]])
    expected = [log_probs[target] for log_probs, target in zip(distributions, TEXT, strict=True)]
    actual = streaming.stream_log_probs(model, WORDS, streams=1, steps=steps)
    assert [len(log_probs) for log_probs in actual] == [len(sentence) + 1 for sentence in SENTENCES]
    np.testing.assert_allclose(np.concatenate(actual), expected, atol=1e-5)


def test_streams_begin_with_an_empty_state() -> None:
    model = make_model()
    first, second = TEXT[:8], TEXT[8:]
    weights = reference.weights_of(reference.parameters_of("lstm", model))
    expected = []
    for read, requests in (([0, *first[:-1]], first), ([first[-1], *second[:-1]], second)):
        _, distributions, _ = reference.run_model("lstm", weights, read)
        expected += [log_probs[target] for log_probs, target in zip(distributions, requests, strict=True)]
    actual = np.concatenate(streaming.stream_log_probs(model, WORDS, streams=2, steps=3))
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_the_accounting_is_that_of_every_evaluation() -> None:
    """Sentences of n words are n+1 predictions, and an unknown word is spelt on top."""
    model = make_model()
    words = [["w2", "zebra"], ["w3"]]
    plain, spelt = (streaming.stream_log_probs(model, words, unk) for unk in ("token", "uniform"))
    assert spelt[0][1] == pytest.approx(plain[0][1] - math.log(UNKNOWN_WORD_TYPES))
    result = streaming.evaluate_stream(model, words, "uniform")
    assert (result.sentences, result.predictions, result.unknown) == (2, 5, 1)
    assert result.log_prob == pytest.approx(sum(log_probs.sum() for log_probs in spelt))


@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on_from_the_carried_state(kind: str) -> None:
    model = make_model(kind)
    (whole,) = streams.make_streams(SENTENCES, 2, 100)
    pieces = streams.make_streams(SENTENCES, 2, 3)
    carried, total = None, 0.0
    for batch in pieces:
        dy.renew_cg()
        loss, states = model.loss(batch, carried)
        total += loss.scalar_value()
        carried = detach(states)
    assert total == pytest.approx(loss_of(model, whole), rel=1e-5)
    assert sum(loss_of(model, batch) for batch in pieces) != pytest.approx(total, rel=1e-3)


def test_a_gradient_ends_where_its_piece_begins() -> None:
    """Truncated back-propagation through time: with the state carried as numbers, earlier words get no gradient."""
    model = make_model("lstm", tied=False)
    first, second = streams.make_streams([[2, 3, 2], [4, 5]], 1, 4)
    dy.renew_cg()
    carried = detach(model.loss(first)[1])
    model.embedding.scale_gradient(0)
    dy.renew_cg()
    loss, _ = model.loss(second, carried)
    loss.backward()
    rows = np.abs(model.embedding.grad_as_array()).max(axis=1) > 0
    assert np.flatnonzero(rows).tolist() == [0, 4, 5]
