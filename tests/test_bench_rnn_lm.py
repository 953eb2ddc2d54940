"""The benchmark of the recurrent language model compares like with like: the PyTorch twin is the same function."""

from __future__ import annotations

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
from tools.bench.rnn_lm import DyNetSide, Settings, flops_per_token
from tools.bench.sentences import Workload

SIZE = 12


def make_side(layers: int, learning_rate: float = 1.0, clip: float = 1e9) -> DyNetSide:
    """Chapter 5's model without dropout, its weights large enough for every one of them to matter."""
    vocab = Vocabulary(f"word{number}" for number in range(2, WORDS))
    model = load_chapter_module("05_rnn_lm", "model")
    return DyNetSide(model.RecurrentLM(vocab, "lstm", SIZE, layers, init_scale=0.7), learning_rate, clip)


def make_twin(layers: int, ours: DyNetSide, learning_rate: float = 1.0, clip: float = 1e9):
    pytest.importorskip("torch")
    from tools.bench.rnn_lm_torch import Twin
    from tools.bench.twins import TorchSide

    return TorchSide(Twin(WORDS, SIZE, layers, 0.0), ours.parameters(), learning_rate, clip)


@pytest.mark.parametrize("layers", [1, 2])
def test_twin_has_the_same_loss_and_gradients(layers: int) -> None:
    ours = make_side(layers)
    check_loss_and_gradients(ours, make_twin(layers, ours))


def test_both_sides_take_the_same_steps() -> None:
    ours = make_side(2, 0.5, 0.3)
    check_steps(ours, make_twin(2, ours, 0.5, 0.3))


@pytest.mark.parametrize("layers", [1, 2])
def test_both_sides_generate_the_same_words(layers: int) -> None:
    ours = make_side(layers)
    check_generation(ours, make_twin(layers, ours))


def test_evaluation_leaves_padding_out() -> None:
    check_evaluation(make_side(2))


def test_operations_of_a_hand_counted_model() -> None:
    """2 units, 10 words: in each layer W_x 16 and W_h 16; the output 20."""
    settings = Settings(layers=3, hidden_size=2, vocabulary=10)
    assert flops_per_token(settings, Workload([ragged_batch()], "invented")) == pytest.approx(6 * (3 * 32 + 20))
