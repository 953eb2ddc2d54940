"""The benchmark compares like with like: the PyTorch twin is the same function, and the batches are PTB-like."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from common.batching import make_batch
from common.chapters import load_chapter_module
from common.errors import UserError
from common.vocab import Vocabulary
from tools import bench, bench_attentive_lm
from tools.bench_attentive_lm import (
    PTB_LONGEST,
    PTB_MEAN,
    PTB_SPREAD,
    DyNetSide,
    Settings,
    flops_per_token,
    make_workload,
    parameters_of,
    random_sentences,
)

ROOT = Path(__file__).resolve().parents[1]
SCORES = ("single", "combined", "none")
SMALL = {"hidden_size": 16, "vocabulary": 30, "batch_size": 4, "batches": 2, "rounds": 2}


@pytest.fixture
def no_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no real corpus were installed."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def make_model(score: str, size: int = 12, words: int = 25):
    """Chapter 6's model without dropout, its weights large enough for every one of them to matter."""
    vocab = Vocabulary(f"word{number}" for number in range(2, words))
    model = load_chapter_module("06_attentive_lm", "model")
    return model.AttentiveLM(vocab, size, 2, score, dropout=0.0, init_scale=0.7, merge="uniform")


def ragged_batch(words: int = 25):
    """Five sentences of 1 to 7 words, so that there is padding."""
    rng = np.random.default_rng(3)
    sentences = [rng.integers(1, words, size=length).tolist() for length in (7, 1, 4, 6, 2)]
    return make_batch(sentences, range(5))


@pytest.mark.parametrize("score", SCORES)
def test_twin_has_the_same_loss_and_gradients(score: str) -> None:
    pytest.importorskip("torch")
    import dynet as dy

    from tools.bench_attentive_lm_torch import TorchSide, Twin, swap_gates

    model, batch = make_model(score), ragged_batch()
    before = parameters_of(model)
    side = TorchSide(Twin(25, 12, 2, score, 0.0), before, learning_rate=1.0, clip=1e9)
    dy.renew_cg()
    loss = model.loss(batch)
    theirs = side.loss(batch)
    assert theirs.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    loss.backward()
    theirs.backward()
    gradients = {name: tensor.grad.numpy() for name, tensor in side.twin.named().items()}
    dynet_gradients = gradients_by_update(model, before)
    assert gradients.keys() == dynet_gradients.keys()
    for name, gradient in dynet_gradients.items():
        expected = swap_gates(gradient) if name.startswith("layer") else gradient
        assert np.abs(expected).max() > 1e-3, f"{name}: nothing to compare"
        np.testing.assert_allclose(gradients[name], expected, rtol=2e-3, atol=2e-4, err_msg=name)


def gradients_by_update(model, before: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The gradients that lie in the model, as the difference that a step of size 1 makes."""
    import dynet as dy

    before = {name: array.copy() for name, array in before.items()}
    trainer = dy.SimpleSGDTrainer(model.collection, learning_rate=1.0)
    trainer.set_clip_threshold(0)
    trainer.update()
    return {name: before[name] - after for name, after in parameters_of(model).items()}


@pytest.mark.parametrize("score", SCORES)
def test_both_sides_take_the_same_steps(score: str) -> None:
    """Three training steps with clipping in effect: the losses stay the same, so updates and clipping are the same."""
    pytest.importorskip("torch")
    from tools.bench_attentive_lm_torch import TorchSide, Twin

    model, batch = make_model(score), ragged_batch()
    dynet = DyNetSide(model, learning_rate=0.5, clip=0.3)
    torch = TorchSide(Twin(25, 12, 2, score, 0.0), dynet.parameters(), learning_rate=0.5, clip=0.3)
    assert torch.loss_without_dropout(batch) == pytest.approx(dynet.loss_without_dropout(batch), rel=1e-5)
    ours = [dynet.train_batch(batch) for _ in range(3)]
    theirs = [torch.train_batch(batch) for _ in range(3)]
    assert ours[0] - ours[2] > 0.1
    assert theirs == pytest.approx(ours, rel=1e-4)


def test_a_twin_of_another_score_is_refused() -> None:
    pytest.importorskip("torch")
    from tools.bench_attentive_lm_torch import Twin

    with pytest.raises(ValueError, match="W_q"):
        Twin(25, 12, 2, "combined", 0.0).take(parameters_of(make_model("single")))


def test_invented_lengths_resemble_ptb() -> None:
    settings = Settings(batches=64)
    sentences = random_sentences(settings, np.random.default_rng(1))
    lengths = np.array([len(sentence) for sentence in sentences])
    assert lengths.mean() == pytest.approx(PTB_MEAN, rel=0.02)
    assert lengths.std() == pytest.approx(PTB_SPREAD, rel=0.03)
    assert lengths.min() >= 1 and lengths.max() <= PTB_LONGEST
    words = np.concatenate([np.array(sentence) for sentence in sentences])
    assert words.min() == 1 and words.max() < settings.vocabulary


def test_workload_is_fixed_by_the_seed_and_spread_over_the_lengths(no_corpora: None) -> None:
    workload, again = make_workload(Settings(batches=6)), make_workload(Settings(batches=6))
    for batch, same in zip(workload.batches, again.batches, strict=True):
        assert np.array_equal(batch.inputs, same.inputs) and np.array_equal(batch.mask, same.mask)
    assert workload.predictions == sum(int(batch.mask.sum()) for batch in workload.batches) < workload.positions
    times = sorted(len(batch.inputs) for batch in workload.batches)
    assert times[0] < PTB_MEAN - 8 and times[-1] > PTB_MEAN + 8
    other = make_workload(Settings(batches=6, seed=2))
    assert any(
        not np.array_equal(one.inputs, two.inputs) for one, two in zip(workload.batches, other.batches, strict=True)
    )


def test_workload_reads_an_installed_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    (tmp_path / "ptb").mkdir()
    lines = ["often often often rare", "often seldom", "often seldom"] * 4
    (tmp_path / "ptb" / "train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    workload = make_workload(Settings(vocabulary=4, batch_size=4, batches=3))
    assert workload.source == "sentences of PTB"
    assert sorted(len(batch.inputs) for batch in workload.batches) == [3, 3, 5]
    longest = max(workload.batches, key=lambda batch: len(batch.inputs))
    assert longest.targets.T.tolist() == [[2, 2, 2, Vocabulary.unknown, Vocabulary.boundary]] * 4
    with pytest.raises(UserError, match="there are only 3"):
        make_workload(Settings(vocabulary=4, batch_size=4, batches=4))


def test_operations_of_a_hand_counted_model(no_corpora: None) -> None:
    """One layer of 2 units, 10 words: W_x 16, W_h 16, output 20, W_c 4 or 8, W_s 4, W_q 4, v_s 2 or 2T, context 2T."""
    settings = Settings(layers=1, hidden_size=2, vocabulary=10, batches=1, batch_size=1)
    workload = make_workload(settings)
    time = len(workload.batches[0].inputs)
    counts = {"none": 56, "single": 52 + 8 + 4 + 2 + 2 * time, "combined": 52 + 8 + 2 * 4 + 2 * time + 2 * time}
    for score, multiplications in counts.items():
        settings = Settings(score=score, layers=1, hidden_size=2, vocabulary=10, batches=1, batch_size=1)
        assert flops_per_token(settings, workload) == pytest.approx(6 * multiplications)


def run_bench(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, **options)


def test_program_prints_a_table_and_writes_its_figures(tmp_path: Path) -> None:
    flags = [text for name, value in SMALL.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    flags += ["--score", "combined", "--json", str(tmp_path / "bench.json")]
    result = run_bench("attentive_lm", *flags, env={**os.environ, "COURSE_DATA": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    figures = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert figures["settings"]["hidden_size"] == 16 and figures["settings"]["score"] == "combined"
    training = figures["tasks"]["training"]
    side = training["sides"]["DyNet"]
    speeds, per_processor_second = side["tokens_per_second"], side["tokens_per_processor_second"]["median"]
    assert side["gflops_per_thread"] == pytest.approx(per_processor_second * figures["flops_per_token"] / 1e9)
    assert len(speeds["rounds"]) == 2 and speeds["min"] <= speeds["median"] <= speeds["max"]
    assert f"{speeds['median']:.0f}" in result.stdout and "GFLOP/s" in result.stdout
    if "PyTorch" in training["sides"]:
        other = training["sides"]["PyTorch"]["tokens_per_second"]["rounds"]
        ratios = [ours / theirs for ours, theirs in zip(speeds["rounds"], other, strict=True)]
        assert training["ratio"]["rounds"] == pytest.approx(ratios)


def test_without_torch_dynet_is_measured_alone(no_corpora: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "has_torch", lambda: False)
    settings = Settings(**SMALL)
    table = bench.show(bench.measure(bench_attentive_lm, settings))
    assert "\nDyNet  " in table and "\nPyTorch  " not in table
    assert 'pip install -e ".[compare]"' in table


def test_what_would_spoil_the_comparison_is_an_error() -> None:
    bench.compare_losses({"DyNet": 7.0, "PyTorch": 7.0001})
    with pytest.raises(RuntimeError, match="same loss"):
        bench.compare_losses({"DyNet": 7.0, "PyTorch": 7.01})
    with pytest.raises(UserError, match="not finite"):
        bench.timed(lambda: [1.0, math.nan])


def test_a_side_that_dies_is_reported() -> None:
    with ExitStack() as stack, pytest.raises(UserError, match="the DyNet side died"):
        bench.Worker(stack, "DyNet", 1, os._exit, 1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("attentive_lm", "--rounds", "0"), "--rounds 0: must be at least 1"),
        (("attentive_lm", "--score", "triple"), "--score"),
        (("nothing",), "nothing"),
        ((), "benchmark"),
    ],
)
def test_bad_flags_get_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    result = run_bench(*arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and complaint in result.stderr
