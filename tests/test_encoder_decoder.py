"""What every encoder reads, and what searching finds with them (their laws: test_model_laws.py)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.search.beams import beam_search
from common.search.searches import Decoding, translate
from common.search.translation import Conditional, target_log_probs
from common.text.pairs import Pair
from tests.attention_models import whole_batch
from tests.encoder_models import (
    ENCODERS,
    SOURCES,
    WORDS,
    make_model,
)
from tests.learning import learn

each_encoder = pytest.mark.parametrize("name", ENCODERS)


# --- batches


@each_encoder
@pytest.mark.parametrize("kind", ["zaremba", "variational"])
def test_dropout_is_in_every_encoder(name: str, kind: str) -> None:
    model = make_model(name, layers=1)
    source = Source.of(model.source_embedding, SOURCES)
    actual = {model.encoder.start(source, Dropout(0.5, kind))[0].hidden.npvalue().tobytes() for _ in range(3)}
    assert len(actual) == 3


# --- translations


def every_target(longest: int) -> list[list[str]]:
    return [list(words) for size in range(longest + 1) for words in itertools.product(["<unk>", *WORDS], repeat=size)]


@pytest.mark.equation("neubig2017", 2)
@each_encoder
def test_a_beam_as_wide_as_the_space_finds_the_best_there_is(name: str) -> None:
    """Of all 341 targets of at most four words: the search ends where the sum of all their probabilities is known."""
    model, targets = make_model(name, seed=7), every_target(4)
    model.b_s.set_value(model.b_s.as_array() + np.array([3, 0, 0, 0, 0]))  # so that the best end early
    for source in (["hen", "sees", "ox"], ["waits"]):
        scored = np.array(
            [log_probs.sum() for log_probs in target_log_probs(model, [Pair(source, t) for t in targets])]
        )
        order = np.argsort(-scored)[:10]
        (actual,) = beam_search(Conditional(model, [source]), 1, 2000, 5)
        ended = [hypothesis for hypothesis in actual if hypothesis.finished and len(hypothesis.words) <= 4]
        assert [hypothesis.words for hypothesis in ended[:10]] == [targets[index] for index in order]
        np.testing.assert_allclose([hypothesis.log_prob for hypothesis in ended[:10]], scored[order], atol=1e-5)
        greedy = translate(model, [source], Decoding())[0][0]
        assert greedy.log_prob <= actual[0].log_prob + 1e-6


@pytest.mark.trains
@pytest.mark.parametrize("name", ["recursive", "treelstm"])
def test_translations_can_be_learnt_by_heart(name: str) -> None:
    """The other encoders do the same as all models (`test_model_laws`)."""
    model, batch = make_model(name, scale=0.1, hidden_size=12, layers=1), whole_batch()
    real = batch.target.mask > 0
    learn(model, lambda: model.loss(batch), lambda: np.exp(model.log_probs(batch)[real]).min() > 0.8, budget=400)
