"""What the attentional model adds to an encoder-decoder (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import pytest

from common.nn.dropout import Dropout
from common.nn.source_attention import ContextDecoder
from tests.attention_models import H, loss_of, make_model, whole_batch


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


@pytest.mark.parametrize(("layers", "different"), [(1, 1), (2, 3)])
def test_the_decoder_drops_out_between_its_layers_alone(layers: int, different: int) -> None:
    """Never what goes from one step to the next, nor what a single layer shows. It wants every context."""
    collection = dy.ParameterCollection()
    decoder = ContextDecoder(collection, "lstm", H, layers, 0.5, [5])
    word, context = decoder.project(dy.ones((H, 1))), dy.ones(5)

    def last_state(*contexts: dy.Expression) -> bytes:
        states = [layer.state_type(dy.zeros(H), dy.zeros(H)) for layer in decoder.layers]
        for _ in range(2):
            states = decoder.step(dy.pick(word, 0, dim=1), contexts, states, Dropout(0.5))
        return states[-1].hidden.npvalue().tobytes()

    assert len({last_state(context) for _ in range(3)}) == different
    with pytest.raises(ValueError):
        last_state()
