"""The benchmark of word attention compares like with like: the PyTorch twin is the same function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import pair_twins
from tools.bench.pairs import DyNetSide
from tools.bench.word_attention import Settings, flops_per_token, parameters_of

VARIANTS = ("rnnsearch", "word", "gates")


def make_model(variant: str, layers: int = 2, **options):
    return pair_twins.make_model("09_word_attention", "WordAttentionModel", variant=variant, layers=layers, **options)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("layers", [1, 2])
def test_twin_has_the_same_loss_and_gradients(variant: str, layers: int) -> None:
    pytest.importorskip("torch")
    from tools.bench.word_attention_torch import Twin

    pair_twins.check_loss_and_gradients(make_model(variant, layers), parameters_of, Twin, layers)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_sides_take_the_same_steps_and_find_the_same_words(variant: str) -> None:
    pytest.importorskip("torch")
    from tools.bench.word_attention_torch import Twin

    pair_twins.check_steps(make_model(variant), parameters_of, Twin)


def test_both_sides_drop_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from tools.bench.word_attention_torch import Twin

    pair_twins.check_dropout(make_model("gates", dropout=0.5), parameters_of, Twin, monkeypatch)


def test_decoding_goes_on_to_the_length_of_the_batch() -> None:
    """Greedy search for 7 steps, of the side and one sentence at a time: the same sum of log-probabilities."""
    import dynet as dy

    from tools.bench.decoding import greedy_steps

    model, batch = make_model("gates"), pair_twins.ragged_batch()
    total = 0.0
    for column, length in zip(batch.source.T, batch.source_mask.sum(axis=0).astype(int), strict=True):
        dy.renew_cg()
        total += greedy_steps(model, model.encode([column[:length].tolist()]), 1, 7)
    assert batch.target.inputs.shape[0] == 7
    assert DyNetSide(model, parameters_of).decode_batch(batch) == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize(
    ("variant", "attentions", "a_word"), [("rnnsearch", 1, 48 + 8 + 12), ("gates", 2, 64 + 16 + 16 + 16)]
)
def test_operations_of_a_hand_counted_model(variant: str, attentions: int, a_word: int) -> None:
    """2 units, 1 layer: a source word 2 * 4 * (2 + 1) and its keys, the bridge 4; a look 2 + 2.

    a_word: decoder, query, gate where there is one, and W_g; the output is 2 * V more.
    """
    products = 7 * (24 + 4 * attentions) + 2 * 4 + 5 * (a_word + 2 * pair_twins.WORDS) + 18 * 4 * attentions
    flops = flops_per_token(Settings(variant=variant, layers=1, hidden_size=2), pair_twins.small_workload())
    assert flops == pytest.approx(6 * products / 5)


def test_program_prints_every_task(tmp_path: Path) -> None:
    pair_twins.check_program("word_attention", tmp_path, "--variant", "word")
