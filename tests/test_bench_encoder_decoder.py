"""The benchmark of the encoder-decoder compares like with like, on the corpus that it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import pair_twins
from tests.pairs import write_pairs
from tools.bench.encoder_decoder import Settings, flops_per_token, make_workload, parameters_of
from tools.bench.pairs import Workload


def make_model(layers: int = 2, **options):
    return pair_twins.make_model("07_encoder_decoder", "EncoderDecoder", layers=layers, **options)


@pytest.mark.parametrize("layers", [1, 2])
def test_twin_has_the_same_loss_and_gradients(layers: int) -> None:
    pytest.importorskip("torch")
    from tools.bench.encoder_decoder_torch import Twin

    pair_twins.check_loss_and_gradients(make_model(layers), parameters_of, Twin, layers)


def test_both_sides_take_the_same_steps_and_find_the_same_words() -> None:
    pytest.importorskip("torch")
    from tools.bench.encoder_decoder_torch import Twin

    pair_twins.check_steps(make_model(), parameters_of, Twin)


def test_both_sides_drop_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from tools.bench.encoder_decoder_torch import Twin

    pair_twins.check_dropout(make_model(dropout=0.5), parameters_of, Twin, monkeypatch)


def test_a_twin_of_another_model_is_refused() -> None:
    pytest.importorskip("torch")
    from tools.bench.encoder_decoder_torch import Twin

    parameters = {name: parameter.as_array() for name, parameter in parameters_of(make_model()).items()}
    with pytest.raises(ValueError, match="b_s"):
        Twin({name: array.shape for name, array in parameters.items()}, 1, 0.0).take(parameters)


def test_operations_of_a_hand_counted_model() -> None:
    """2 units, 1 layer: a word costs 4 gates * 2 * (2 + 2) on either side, a target word 2 * V more."""
    products = 7 * 32 + 5 * (32 + 2 * pair_twins.WORDS)
    flops = flops_per_token(Settings(layers=1, hidden_size=2), pair_twins.small_workload())
    assert flops == pytest.approx(6 * products / 5)


def test_the_real_corpus_is_read_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert make_workload(Settings(batches=1)).source == "pairs of village_pairs"
    write_pairs(tmp_path / "multi30k")
    workload = make_workload(Settings(batches=3))
    assert workload.source == "pairs of multi30k"
    assert sum(batch.source.shape[1] for batch in workload.batches) == 80
    assert make_workload(Settings(batches=1, corpus="village_pairs")).source == "pairs of village_pairs"


def test_workload_is_fixed_by_the_seed_and_spread_over_the_lengths() -> None:
    settings = Settings(batches=6, corpus="village_pairs")
    workload, again = make_workload(settings), make_workload(settings)
    for batch, same in zip(workload.batches, again.batches, strict=True):
        assert (batch.source == same.source).all() and (batch.target.inputs == same.target.inputs).all()
    assert len({batch.target.inputs.shape[0] for batch in workload.batches}) > 3


def test_predictions_are_counted_with_and_without_padding() -> None:
    """Targets of 3, 2, 0, 6 and 6 words, and one more prediction each."""
    workload = Workload([pair_twins.ragged_batch()], "invented pairs", (1, 1))
    assert (workload.predictions, workload.positions) == (22, 35)


def test_program_prints_every_task(tmp_path: Path) -> None:
    pair_twins.check_program("encoder_decoder", tmp_path)
