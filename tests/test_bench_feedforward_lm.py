"""The benchmark of the feed-forward language model compares like with like: the PyTorch twin is the same function."""

from __future__ import annotations

import numpy as np
import pytest

from common.chapters import load_chapter_module
from common.vocab import Vocabulary
from tests.bench_sides import (
    WORDS,
    check_evaluation,
    check_generation,
    check_loss_and_gradients,
    check_steps,
    ragged_batch,
)
from tools.bench.feedforward_lm import CHAPTER, DyNetSide, Settings, flops_per_token
from tools.bench.sentences import Workload

SIZE = 12
SHAPES = [(1, 2), (1, 5), (2, 3)]
"""Layers and order."""


def make_side(layers: int, order: int, learning_rate: float = 1.0, clip: float = 1e9) -> DyNetSide:
    """Chapter 4's model without dropout, its weights large enough for every one of them to matter."""
    vocab = Vocabulary(f"word{number}" for number in range(2, WORDS))
    settings = load_chapter_module(CHAPTER, "settings").Settings(
        layers=layers, order=order, hidden_size=SIZE, dropout=0.0, init_scale=0.7
    )
    unigram = np.log(np.random.default_rng(2).dirichlet(np.ones(WORDS)))
    return DyNetSide(load_chapter_module(CHAPTER, "model").FeedForwardLM(vocab, settings, unigram), learning_rate, clip)


def make_twin(layers: int, order: int, ours: DyNetSide, learning_rate: float = 1.0, clip: float = 1e9):
    pytest.importorskip("torch")
    from tools.bench.feedforward_lm_torch import Twin
    from tools.bench.twins import TorchSide

    return TorchSide(Twin(WORDS, SIZE, layers, order, 0.0), ours.parameters(), learning_rate, clip)


@pytest.mark.parametrize(("layers", "order"), SHAPES)
def test_twin_has_the_same_loss_and_gradients(layers: int, order: int) -> None:
    ours = make_side(layers, order)
    check_loss_and_gradients(ours, make_twin(layers, order, ours))


def test_both_sides_take_the_same_steps() -> None:
    ours = make_side(1, 5, 0.5, 0.3)
    check_steps(ours, make_twin(1, 5, ours, 0.5, 0.3))


@pytest.mark.parametrize(("layers", "order"), SHAPES)
def test_both_sides_generate_the_same_words(layers: int, order: int) -> None:
    ours = make_side(layers, order)
    check_generation(ours, make_twin(layers, order, ours))


def test_evaluation_leaves_padding_out() -> None:
    check_evaluation(make_side(1, 5))


def test_operations_of_a_hand_counted_model() -> None:
    """2 units, 10 words: 3 embeddings read by 2 units 12, a second layer 4; the output 20."""
    settings = Settings(order=4, layers=2, hidden_size=2, vocabulary=10)
    assert flops_per_token(settings, Workload([ragged_batch()], "invented")) == pytest.approx(6 * (12 + 4 + 20))
