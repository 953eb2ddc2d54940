"""A chapter's small translation model beside its twin in PyTorch: the same losses, gradients, steps and words."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from common.batching import PairBatch, make_pair_batches
from common.chapters import load_chapter_module
from common.vocab import Vocabulary
from tests.pairs import write_pairs
from tools.bench.pairs import DyNetSide, Workload

ROOT = Path(__file__).resolve().parents[1]
WORDS = 13


def make_model(chapter: str, name: str, **options):
    """A chapter's model without dropout unless asked for, its weights large enough for every one of them to matter."""
    vocabularies = [Vocabulary(f"{side}{number}" for number in range(2, WORDS)) for side in "fe"]
    chosen = {"layers": 2, "hidden_size": 6, "dropout": 0.0, "init_scale": 1.0} | options
    return getattr(load_chapter_module(chapter, "model"), name)(
        *vocabularies, load_chapter_module(chapter, "settings").Settings(**chosen)
    )


def make_side(
    twin_class: type,
    parameters: Mapping[str, np.ndarray],
    layers: int = 2,
    dropout: float = 0.0,
    learning_rate: float = 1.0,
    clip: float = 1e9,
):
    """The twin's side, with the parameters of the model."""
    from tools.bench.pairs_torch import PairSide

    shapes = {name: array.shape for name, array in parameters.items()}
    return PairSide(twin_class(shapes, layers, dropout), parameters, learning_rate, clip)


def ragged_batch() -> PairBatch:
    """Five pairs with 1 to 7 source words and 0 to 6 target words, so that either side is padded."""
    (batch,) = batches_of((7, 1, 4, 6, 2), (3, 2, 0, 6, 6))
    return batch


def batches_of(*lengths: Sequence[int]) -> list[PairBatch]:
    """One batch of pairs with so many source and target words."""
    rng = np.random.default_rng(3)
    sources, targets = ([rng.integers(1, WORDS, size=length).tolist() for length in side] for side in lengths)
    return make_pair_batches(sources, targets, len(sources))


def small_workload() -> Workload:
    """A batch of two pairs: 7 source words, 5 predictions, 3 * 2 + 4 * 3 = 18 looks of a prediction at a word."""
    return Workload(batches_of((3, 4), (1, 2)), "invented pairs", (WORDS, WORDS))


def check_loss_and_gradients(model, parameters_of, twin_class: type, layers: int) -> None:
    """Both sides' loss of a batch and its gradient by every parameter."""
    import dynet as dy

    from tools.bench.twins import swap_gates

    batch, found = ragged_batch(), parameters_of(model)
    assert len(found) == len(model.collection.parameters_list())
    side = make_side(twin_class, {name: parameter.as_array() for name, parameter in found.items()}, layers)
    dy.renew_cg()
    loss = model.loss(batch)
    theirs = side.loss(batch)
    assert theirs.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    loss.backward()
    theirs.backward()
    tensors = side.twin.named()
    assert tensors.keys() == found.keys()
    for name, parameter in found.items():
        expected = parameter.grad_as_array()
        assert np.abs(expected).max() > 1e-4, f"{name}: nothing to compare"
        expected = swap_gates(expected) if name.startswith(twin_class.lstm_names) else expected
        np.testing.assert_allclose(tensors[name].grad.numpy(), expected, rtol=2e-3, atol=2e-5, err_msg=name)


def check_steps(model, parameters_of, twin_class: type) -> None:
    """Three steps of training with clipping in effect, then log P of the batch and of what greedy search finds."""
    batch = ragged_batch()
    dynet = DyNetSide(model, parameters_of, learning_rate=0.3, clip=0.5)
    torch = make_side(twin_class, dynet.parameters(), learning_rate=0.3, clip=0.5)
    ours = [dynet.train_batch(batch) for _ in range(3)]
    theirs = [torch.train_batch(batch) for _ in range(3)]
    assert ours[0] - ours[2] > 0.1
    assert theirs == pytest.approx(ours, rel=1e-4)
    assert torch.evaluate_batch(batch) == pytest.approx(dynet.evaluate_batch(batch), rel=1e-4)
    assert torch.decode_batch(batch) == pytest.approx(dynet.decode_batch(batch), rel=1e-4)


def check_dropout(model, parameters_of, twin_class: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a batch without padding, as many numbers go through dropout on either side."""
    import dynet as dy
    import torch.nn.functional as F

    (batch,) = batches_of((4, 4), (3, 3))
    parameters = {name: parameter.as_array() for name, parameter in parameters_of(model).items()}
    side = make_side(twin_class, parameters, dropout=0.5)
    ours, theirs, dynets, torchs = [], [], dy.dropout, F.dropout

    def between_layers(lstm, _, found) -> None:
        """`nn.LSTM` drops from what goes from layer to layer; what the top layer shows is as much."""
        theirs.append((lstm.num_layers - 1) * getattr(found[0], "data", found[0]).numel())

    for lstm in side.twin.lstms.values():
        assert lstm.dropout == 0.5
        lstm.register_forward_hook(between_layers)
    monkeypatch.setattr(dy, "dropout", lambda part, rate: ours.append(part.npvalue().size) or dynets(part, rate))
    monkeypatch.setattr(F, "dropout", lambda part, *rest: theirs.append(part.numel()) or torchs(part, *rest))
    dy.renew_cg()
    model.loss(batch)
    side.loss(batch)
    assert sum(theirs) == sum(ours) > 0


def check_program(name: str, tmp_path: Path, *flags: str) -> None:
    """The benchmark, run as a user runs it, prints and writes what it measured of every task."""
    flags = ("--hidden-size", "8", "--batches", "2", "--batch-size", "4", "--rounds", "2", "--layers", "1", *flags)
    flags = ("--corpus", str(write_pairs(tmp_path / "farm")), "--json", str(tmp_path / "bench.json"), *flags)
    command = [sys.executable, "-m", "tools.bench", name, *flags]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert result.returncode == 0, result.stderr
    assert "pairs of farm" in result.stdout
    figures = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert list(figures["tasks"]) == ["training", "evaluation", "decoding"]
    for task, found in figures["tasks"].items():
        speed = found["sides"]["DyNet"]["tokens_per_second"]["median"]
        assert task in result.stdout and f"{speed:.0f}" in result.stdout
