"""What the attentional model adds to an encoder-decoder (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.search.searches import Decoding, translate
from tests.attention_models import (
    SCORES,
    H,
    loss_of,
    make_model,
    whole_batch,
)

each_score = pytest.mark.parametrize("score", SCORES)


@pytest.mark.parametrize("softmax, rank", [("tied", 2), ("untied", 4)])
def test_the_rank_of_the_output_matrix(softmax: str, rank: int) -> None:
    """Of W_hs (5, 4): tied it is at most the size of an embedding, 2; untied it is full."""
    model, both = make_model(hidden_size=2, softmax=softmax), np.random.default_rng(3).normal(size=(4, 30))
    dy.renew_cg()
    logits = model.logits(dy.inputTensor(both, batched=True)).npvalue() - model.b_s.as_array()[:, None]
    assert np.linalg.matrix_rank(logits, tol=1e-4) == rank


def test_all_that_is_lost_by_a_bottleneck_is_in_sight() -> None:
    """With the same first state, context and word, a decoder still sees which source it is."""
    model = make_model(layers=1)
    dy.renew_cg()
    states = [model.encode([source]) for source in ([2, 3, 4], [2, 3, 5])]
    actual = [model.advance(state._replace(layers=states[0].layers), [0])[1] for state in states]
    assert np.abs(actual[0] - actual[1]).max() > 1e-3


def test_dropout_is_on_what_goes_from_part_to_part() -> None:
    """Words, annotations, and what the softmax reads; never on attention weights, nor from step to step."""
    seen = []

    class Recorder(Dropout):
        def __call__(self, expression: dy.Expression) -> dy.Expression:
            seen.append(expression.dim())
            return expression

    model, batch = make_model(layers=1), whole_batch([0, 1, 2])
    (S, B), T = batch.source.shape, len(batch.target.inputs)
    model.dropout = Recorder()
    loss_of(model, batch)
    words, annotations, output = ((H, S), B), ((H, S), B), ((2 * H,), T * B)
    assert sorted(map(str, seen)) == sorted(map(str, [words, words, annotations, ((H, T), B), output]))


def test_unknown_source_words_are_all_alike() -> None:
    """Two of them give the same translation; and a source of nothing but one has one."""
    model = make_model()
    for first, other in ((["yak", "ox"], ["emu", "ox"]), (["yak"], ["emu"])):
        actual = translate(model, [first, other], Decoding(beam=3))
        assert [hypothesis.words for hypothesis in actual[0]] == [hypothesis.words for hypothesis in actual[1]]
        assert all(hypothesis.attention.shape[1] == len(first) for hypothesis in actual[0])
