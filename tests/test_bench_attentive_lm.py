"""The benchmark of the attentive language model compares like with like: the PyTorch twin is the same function."""

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
from tools.bench.attentive_lm import DyNetSide, Settings, flops_per_token, parameters_of
from tools.bench.sentences import Workload

SCORES = ("single", "combined", "none")
SIZE = 12


def make_side(score: str, learning_rate: float = 1.0, clip: float = 1e9) -> DyNetSide:
    """Chapter 6's model without dropout, its weights large enough for every one of them to matter."""
    vocab = Vocabulary(f"word{number}" for number in range(2, WORDS))
    model = load_chapter_module("06_attentive_lm", "model")
    return DyNetSide(
        model.AttentiveLM(vocab, SIZE, 2, score, dropout=0.0, init_scale=0.7, merge="uniform"), learning_rate, clip
    )


def make_twin(score: str, ours: DyNetSide, learning_rate: float = 1.0, clip: float = 1e9):
    pytest.importorskip("torch")
    from tools.bench.attentive_lm_torch import Twin
    from tools.bench.twins import TorchSide

    return TorchSide(Twin(WORDS, SIZE, 2, score, 0.0), ours.parameters(), learning_rate, clip)


@pytest.mark.parametrize("score", SCORES)
def test_twin_has_the_same_loss_and_gradients(score: str) -> None:
    ours = make_side(score)
    check_loss_and_gradients(ours, make_twin(score, ours))


@pytest.mark.parametrize("score", SCORES)
def test_both_sides_take_the_same_steps(score: str) -> None:
    ours = make_side(score, 0.5, 0.3)
    check_steps(ours, make_twin(score, ours, 0.5, 0.3))


@pytest.mark.parametrize("score", SCORES)
def test_both_sides_generate_the_same_words(score: str) -> None:
    ours = make_side(score)
    check_generation(ours, make_twin(score, ours))


def test_evaluation_leaves_padding_out() -> None:
    check_evaluation(make_side("single"))


def test_a_twin_of_another_score_is_refused() -> None:
    pytest.importorskip("torch")
    from tools.bench.attentive_lm_torch import Twin

    with pytest.raises(ValueError, match="W_q"):
        Twin(WORDS, SIZE, 2, "combined", 0.0).take(parameters_of(make_side("single").model))


def test_operations_of_a_hand_counted_model() -> None:
    """One layer of 2 units, 10 words: W_x 16, W_h 16, output 20, W_c 4 or 8, W_s 4, W_q 4, v_s 2 or 2T, context 2T."""
    workload, time = Workload([ragged_batch()], "invented"), 8
    counts = {"none": 56, "single": 52 + 8 + 4 + 2 + 2 * time, "combined": 52 + 8 + 2 * 4 + 2 * time + 2 * time}
    for score, multiplications in counts.items():
        settings = Settings(score=score, layers=1, hidden_size=2, vocabulary=10)
        assert flops_per_token(settings, workload) == pytest.approx(6 * multiplications)
