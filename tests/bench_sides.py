"""What is asked of the two sides of every benchmark of a language model: that they are the same function."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.batching import Batch, make_batch
from tools.bench.sentences import LanguageModelSide

WORDS = 25


def ragged_batch() -> Batch:
    """Five sentences of 1 to 7 words, so that there is padding."""
    rng = np.random.default_rng(3)
    sentences = [rng.integers(1, WORDS, size=length).tolist() for length in (7, 1, 4, 6, 2)]
    return make_batch(sentences, range(5))


def check_loss_and_gradients(ours: LanguageModelSide, theirs) -> None:
    """The loss of a ragged batch, and its gradient for every parameter."""
    from tools.bench.twins import swap_gates

    batch = ragged_batch()
    dy.renew_cg()
    loss, twins_loss = ours.loss(batch), theirs.loss(batch)
    assert twins_loss.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    loss.backward()
    twins_loss.backward()
    expected = gradients_by_update(ours)
    tensors = theirs.twin.named()
    assert tensors.keys() == expected.keys()
    for name, gradient in expected.items():
        gradient = swap_gates(gradient) if name.startswith("layer") else gradient
        assert np.abs(gradient).max() > 1e-3, f"{name}: nothing to compare"
        np.testing.assert_allclose(tensors[name].grad.numpy(), gradient, rtol=2e-3, atol=2e-4, err_msg=name)


def gradients_by_update(side: LanguageModelSide) -> dict[str, np.ndarray]:
    """The gradients that lie in the model, as the difference that a step of size 1 makes."""
    before = {name: array.copy() for name, array in side.parameters().items()}
    trainer = dy.SimpleSGDTrainer(side.model.collection, learning_rate=1.0)
    trainer.set_clip_threshold(0)
    trainer.update()
    return {name: before[name] - after for name, after in side.parameters().items()}


def check_steps(ours: LanguageModelSide, theirs) -> None:
    """Three training steps with clipping in effect: as the losses stay the same, updates and clipping are the same."""
    batch = ragged_batch()
    losses = [ours.train_batch(batch) for _ in range(3)]
    assert losses[0] - losses[2] > 0.1
    assert [theirs.train_batch(batch) for _ in range(3)] == pytest.approx(losses, rel=1e-4)
    assert theirs.evaluate_batch(batch) == pytest.approx(ours.evaluate_batch(batch), rel=1e-4)
    assert theirs.loss_without_dropout(batch) == pytest.approx(ours.loss_without_dropout(batch), rel=1e-4)


def check_generation(ours: LanguageModelSide, theirs) -> None:
    """Step by step the same distributions of the next word, and in the end the same words, going on after `</s>`."""
    import torch

    batch = ragged_batch()
    steps, rows = batch.inputs.shape
    with theirs.inference():
        state, twins_state = ours.model.start(rows), theirs.twin.start(rows)
        for words in batch.inputs:
            state, log_probs = ours.model.advance(state, words.tolist())
            twins_state, scores = theirs.twin.advance(twins_state, torch.as_tensor(words))
            np.testing.assert_allclose(torch.log_softmax(scores, dim=-1).numpy(), log_probs, rtol=1e-4, atol=1e-4)
    state, words, total = ours.model.start(1), [0], 0.0
    for _ in range(steps):
        state, log_probs = ours.model.advance(state, words)
        words = [int(log_probs[0].argmax())]
        total += log_probs[0, words[0]]
    assert ours.decode_batch(batch) == pytest.approx(rows * total, rel=1e-5)
    assert theirs.decode_batch(batch) == pytest.approx(rows * total, rel=1e-5)


def check_evaluation(ours: LanguageModelSide) -> None:
    """log P of a batch is that of its sentences, each alone."""
    batch = ragged_batch()
    total = 0.0
    for column, length in enumerate(batch.mask.sum(axis=0).astype(int)):
        alone = make_batch([batch.inputs[1:length, column].tolist()], [0])
        total += ours.model.log_probs(alone).sum()
    assert ours.evaluate_batch(batch) == pytest.approx(total, rel=1e-5)
