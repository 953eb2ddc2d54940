"""Chapter 5 in PyTorch computes what the course's functions do."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.arrays import detach
from common.nn.cells import RNN
from common.nn.recurrent import LSTM, LSTMState
from common.text.streams import make_streams
from tests.rnn_models import make_model

torch = pytest.importorskip("torch")
from book.pytorch import ch05  # noqa: E402
from tests.torch_twins import batched, lstm, table, tensor  # noqa: E402

T, B, H, V = 4, 3, 5, 6


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_the_states_of_the_rnn_are_the_course_s(rng: np.random.Generator) -> None:
    collection = dy.ParameterCollection()
    layer, cell = RNN(collection, H, H, 0.8, [0.3]), torch.nn.RNNCell(H, H)
    parameters = (layer.W_x, layer.W_h, layer.b)
    cell.weight_ih, cell.weight_hh, cell.bias_ih = (torch.nn.Parameter(tensor(part)) for part in parameters)
    torch.nn.init.zeros_(cell.bias_hh)
    inputs = rng.normal(size=(T, B, H)).astype(np.float32)
    dy.renew_cg()
    ours = layer.run(dy.inputTensor(inputs.transpose(2, 0, 1), batched=True)).npvalue()
    with torch.no_grad():
        theirs = ch05.rnn_states(cell, torch.tensor(inputs))
    np.testing.assert_allclose(theirs.numpy(), ours.transpose(1, 2, 0), atol=1e-5)


def test_a_step_of_the_lstm_is_the_course_s(rng: np.random.Generator) -> None:
    collection = dy.ParameterCollection()
    layer = LSTM(collection, H, H, 0.8)
    projected, h, c = (rng.normal(size=(B, size)).astype(np.float32) for size in (4 * H, H, H))
    dy.renew_cg()
    before = LSTMState(batched(h), batched(c))
    ours = layer.cell(batched(projected), before)
    theirs = ch05.lstm_step(*(torch.tensor(part).float() for part in (projected, layer.W_h.as_array(), h, c)))
    for new, old in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(new.numpy(), old.npvalue().T, rtol=1e-5, atol=1e-5)


def test_truncated_back_propagation_moves_the_weights_as_the_course_does(rng: np.random.Generator) -> None:
    model = make_model("lstm", layers=1)
    text = [rng.integers(1, len(model.vocab), size=size).tolist() for size in (5, 3, 6, 5)]
    batches = make_streams(text, 2, 3)
    assert len(batches) > 2 and not batches[-1].mask.all()
    (layer,) = model.stack.layers
    embedding, twin, bias = table(model.embedding), lstm(layer), torch.nn.Parameter(tensor(model.b_s))

    trainer, carried = dy.SimpleSGDTrainer(model.collection, 0.1), None
    trainer.set_clip_threshold(5)
    for batch in batches:
        dy.renew_cg()
        loss, states = model.loss(batch, carried)
        (loss * (1 / len(batch.indices))).backward()
        trainer.update()
        carried = detach(states)
    optimiser = torch.optim.SGD([*embedding.parameters(), *twin.parameters(), bias], lr=0.1)
    ch05.train_in_order(batches, embedding, twin, bias, optimiser)
    for theirs, ours in ((embedding, table(model.embedding)), (twin, lstm(layer))):
        for moved, expected in zip(theirs.parameters(), ours.parameters(), strict=True):
            np.testing.assert_allclose(moved.detach(), expected.detach(), atol=1e-5)
