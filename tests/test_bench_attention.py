"""The benchmark of attention compares like with like: the PyTorch twin is the same function of the same batches."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from common.batching import PairBatch, make_pair_batches
from common.chapters import load_chapter_module
from common.vocab import Vocabulary
from tools.bench_attention import DyNetSide, Settings, flops_per_token, make_workload, parameters_of

ROOT = Path(__file__).resolve().parents[1]
VARIANTS = ("rnnsearch", "word", "gates")
WORDS = 13


def make_model(variant: str, layers: int = 2, size: int = 6):
    """Chapter 9's model without dropout, its weights large enough for every one of them to matter."""
    vocabularies = [Vocabulary(f"{side}{number}" for number in range(2, WORDS)) for side in "fe"]
    settings = load_chapter_module("09_word_attention", "settings").Settings
    chosen = settings(variant=variant, layers=layers, hidden_size=size, dropout=0.0, init_scale=1.0)
    return load_chapter_module("09_word_attention", "model").WordAttentionModel(*vocabularies, chosen)


def ragged_batch() -> PairBatch:
    """Five pairs with 1 to 7 source words and 0 to 6 target words, so that either side is padded."""
    rng = np.random.default_rng(3)
    sources, targets = (
        [rng.integers(1, WORDS, size=length).tolist() for length in lengths]
        for lengths in ((7, 1, 4, 6, 2), (3, 2, 0, 6, 6))
    )
    (batch,) = make_pair_batches(sources, targets, 5)
    return batch


def make_twin(variant: str, parameters: dict[str, np.ndarray], layers: int = 2):
    from tools.bench_attention_torch import Twin

    return Twin(parameters, layers, variant, 0.0)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("layers", [1, 2])
def test_twin_has_the_same_loss_and_gradients(variant: str, layers: int) -> None:
    pytest.importorskip("torch")
    import dynet as dy

    from tools.bench_attention_torch import TorchSide, swap_gates

    model, batch = make_model(variant, layers), ragged_batch()
    before = {name: array.copy() for name, array in parameters_of(model).items()}
    side = TorchSide(make_twin(variant, before, layers), learning_rate=1.0, clip=1e9)
    dy.renew_cg()
    loss = model.loss(batch)
    theirs = side.loss(batch)
    assert theirs.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    loss.backward()
    theirs.backward()
    trainer = dy.SimpleSGDTrainer(model.collection, learning_rate=1.0)
    trainer.set_clip_threshold(0)
    trainer.update()
    tensors = side.twin.named()
    assert tensors.keys() == before.keys()
    for name, after in parameters_of(model).items():
        expected = before[name] - after
        assert np.abs(expected).max() > 1e-4, f"{name}: nothing to compare"
        expected = swap_gates(expected) if "ward" in name else expected
        np.testing.assert_allclose(tensors[name].grad.numpy(), expected, rtol=2e-3, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_sides_take_the_same_steps_and_find_the_same_words(variant: str) -> None:
    pytest.importorskip("torch")
    from tools.bench_attention_torch import TorchSide

    batch = ragged_batch()
    dynet = DyNetSide(make_model(variant), learning_rate=0.3, clip=0.5)
    torch = TorchSide(make_twin(variant, dynet.parameters()), learning_rate=0.3, clip=0.5)
    ours = [dynet.train_batch(batch) for _ in range(3)]
    theirs = [torch.train_batch(batch) for _ in range(3)]
    assert ours[0] - ours[2] > 0.1
    assert theirs == pytest.approx(ours, rel=1e-4)
    assert torch.loss_without_dropout(batch) == pytest.approx(dynet.loss_without_dropout(batch), rel=1e-4)
    assert torch.decode_batch(batch) == pytest.approx(dynet.decode_batch(batch), rel=1e-4)


def test_decoding_goes_on_to_the_length_of_the_batch() -> None:
    """Greedy search for 7 steps, of the side and written out: the same sum of log-probabilities."""
    import dynet as dy

    model, batch = make_model("gates"), ragged_batch()
    total = 0.0
    for column, length in zip(batch.source.T, batch.source_mask.sum(axis=0).astype(int), strict=True):
        dy.renew_cg()
        state, word = model.encode([column[:length].tolist()]), Vocabulary.boundary
        for _ in range(7):
            state, log_probs = model.advance(state, [word])
            word = int(log_probs[0].argmax())
            total += log_probs[0, word]
    assert batch.target.inputs.shape[0] == 7
    assert DyNetSide(model, 0.1, 1.0).decode_batch(batch) == pytest.approx(total, rel=1e-5)


def test_operations_of_a_hand_counted_model() -> None:
    """2 units, 1 layer: a source word 2 * 4 * (2 + 1) and its keys, the bridge 4; a target word as counted below."""
    for variant, attentions in (("rnnsearch", 1), ("gates", 2)):
        settings = Settings(variant=variant, layers=1, hidden_size=2, batches=1, batch_size=1)
        workload = make_workload(settings)
        (batch,) = workload.batches
        source, target = batch.source_mask.sum(), batch.target.predictions
        V = workload.vocabularies[1]
        a_word = {"rnnsearch": 48 + 8 + 12 + 2 * V, "gates": 64 + 16 + 16 + 16 + 2 * V}[variant]
        products = source * (24 + 4 * attentions) + 4 + target * a_word + source * target * 4 * attentions
        assert flops_per_token(settings, workload) == pytest.approx(6 * products / target)


def test_program_prints_both_tasks(tmp_path: Path) -> None:
    flags = ["--hidden-size", "8", "--batches", "2", "--batch-size", "4", "--rounds", "2", "--layers", "1"]
    command = [sys.executable, "-m", "tools.bench", "attention", *flags, "--json", str(tmp_path / "bench.json")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert result.returncode == 0, result.stderr
    figures = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert list(figures["tasks"]) == ["training", "decoding"]
    for task, found in figures["tasks"].items():
        speed = found["sides"]["DyNet"]["tokens_per_second"]["median"]
        assert task in result.stdout and f"{speed:.0f}" in result.stdout
