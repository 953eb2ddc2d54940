"""The benchmark of attention compares like with like: the PyTorch twin is the same function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import pair_twins
from tools.bench.attention import Settings, flops_per_token, parameters_of


def make_model(layers: int = 2, **options):
    return pair_twins.make_model("08_attention", "AttentionalModel", layers=layers, **options)


@pytest.mark.parametrize("layers", [1, 2])
def test_twin_has_the_same_loss_and_gradients(layers: int) -> None:
    pytest.importorskip("torch")
    from tools.bench.attention_torch import Twin

    pair_twins.check_loss_and_gradients(make_model(layers), parameters_of, Twin, layers)


def test_both_sides_take_the_same_steps_and_find_the_same_words() -> None:
    pytest.importorskip("torch")
    from tools.bench.attention_torch import Twin

    pair_twins.check_steps(make_model(), parameters_of, Twin)


def test_both_sides_drop_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from tools.bench.attention_torch import Twin

    pair_twins.check_dropout(make_model(dropout=0.5), parameters_of, Twin, monkeypatch)


def test_operations_of_a_hand_counted_model() -> None:
    """2 units, 1 layer: a source word 2 directions * 4 gates * (2 + 1) and its keys 2 * 2, the bridge 2 * 2 a pair.

    A target word: decoder 4 gates * 2 * (2 + 2 + 2), query 2 * 2, W_o 2 * 4, output 2 * V; a look: score 2, context 2.
    """
    products = 7 * (24 + 4) + 2 * 4 + 5 * (48 + 4 + 8 + 2 * pair_twins.WORDS) + 18 * 4
    flops = flops_per_token(Settings(layers=1, hidden_size=2), pair_twins.small_workload())
    assert flops == pytest.approx(6 * products / 5)


def test_program_prints_every_task(tmp_path: Path) -> None:
    pair_twins.check_program("attention", tmp_path)
