"""The reference model in PyTorch: the same function as chapter 6's model, trained by PyTorch."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from common.evaluation.perplexity import evaluate
from common.nn.optimiser import make_optimiser
from common.text.batching import make_batches
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.programs import call_and_kill, comparable, metrics_of
from tools import reference_lm

SMALL = ["--hidden-size", 8, "--batch-size", 8, "--learning-rate", 0.05]
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")


@pytest.fixture
def call(corpus: Path, run_main: Callable) -> Callable[..., str]:
    """Runs the program in this process: call(*flags)."""
    return partial(run_main, reference_lm.main, "--corpus", corpus)


def both_models(corpus: Path, **options: object) -> tuple[reference_lm.ReferenceLM, object, reference_lm.Settings]:
    """The reference model and chapter 6's, with the same parameters."""
    settings = reference_lm.Settings(hidden_size=8, init_scale=0.7, **options)
    vocab = Vocabulary.from_sentences(load_corpus(str(corpus)).train)
    reference = reference_lm.ReferenceLM(vocab, settings, np.linspace(-3, 0, len(vocab)))
    ours = chapter_module("06_attentive_lm", "model").AttentiveLM.from_settings(settings, vocab)
    for name, parameter in parameters_of(ours).items():
        parameter.set_value(reference.side.model.arranged(name, reference.side.model.named()[name].detach().numpy()))
    return reference, ours, settings


def parameters_of(model: object) -> dict:
    from tools.bench.language_models import Attentive

    return Attentive(model).named()


@needs_torch
@pytest.mark.parametrize("score", ["none", "single", "combined"])
def test_the_loss_is_chapter_6s(corpus: Path, score: str) -> None:
    """Of every prediction, and so in both accountings; first words, ends and unknown words included."""
    reference, ours, _ = both_models(corpus, score=score, layers=2, merge_init="uniform")
    test = load_corpus(str(corpus)).test
    for batch in make_batches([ours.vocab.encode(sentence) for sentence in test], 4):
        real = batch.mask > 0
        np.testing.assert_allclose(reference.log_probs(batch)[real], ours.log_probs(batch)[real], rtol=1e-4, atol=1e-5)
        assert (reference.log_probs(batch)[~real] == 0).all()
    theirs, own = (evaluate(model, test, "uniform") for model in (reference, ours))
    assert theirs.perplexity == pytest.approx(own.perplexity, rel=1e-5)
    assert theirs.salton2017_perplexity == pytest.approx(own.salton2017_perplexity, rel=1e-5)
    assert theirs.perplexity > 1.1 * theirs.salton2017_perplexity


@needs_torch
@pytest.mark.parametrize("optimiser, rate", [("sgd", 0.5), ("adam", 0.01)])
@pytest.mark.parametrize("clip", [0, 0.5])
def test_steps_are_chapter_6s(corpus: Path, optimiser: str, rate: float, clip: float) -> None:
    """Three steps of either optimiser, with and without a limit for the gradient: the losses stay the same."""
    import dynet as dy

    reference, ours, settings = both_models(corpus, optimiser=optimiser, learning_rate=rate, clip=clip, dropout=0.0)
    train = load_corpus(str(corpus)).train
    batch = make_batches([ours.vocab.encode(sentence) for sentence in train], 8)[-1]
    reference.side.optimiser = reference_lm.optimisers()[optimiser](reference.side.trained, settings)
    trainer = make_optimiser(optimiser, ours.collection, clip)
    trainer.learning_rate = rate
    actual, expected = [], []
    for _ in range(4):
        actual.append(reference.side.train_batch(batch))
        dy.renew_cg()
        loss = ours.loss(batch)
        expected.append(loss.scalar_value())
        mean_loss = loss * (1 / len(batch.indices))
        mean_loss.backward()
        trainer.update()
    assert actual == pytest.approx(expected, rel=1e-3)
    assert expected[0] - expected[3] > 1


@pytest.mark.trains
@needs_torch
def test_a_short_run_learns_and_explains_itself(call: Callable, tmp_path: Path) -> None:
    call(*SMALL, "--epochs", 12, "--run-dir", tmp_path)
    metrics = metrics_of(tmp_path)
    perplexities = [record["dev_perplexity"] for record in metrics["epochs"]]
    assert min(perplexities) < 0.75 * perplexities[0]
    assert metrics["dev"]["perplexity"] == min(perplexities)
    assert 1 < metrics["test"]["salton2017_perplexity"] < metrics["test"]["perplexity"]
    assert metrics["chapter"] == "reference_lm" and metrics["versions"]["torch"]
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert f"{metrics['test']['perplexity']:.2f}" in log and f"{metrics['test']['salton2017_perplexity']:.2f}" in log
    assert all(f"dev {figure:8.2f}" in log for figure in perplexities)


@needs_torch
def test_a_resumed_run_has_the_same_figures(call: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = [*SMALL, "--epochs", 3, "--schedule", "plateau"]
    call(*flags, "--run-dir", tmp_path / "whole")
    call_and_kill(lambda _, *flags: call(*flags), monkeypatch, *flags, "--run-dir", tmp_path / "killed")
    call("--resume", "--run-dir", tmp_path / "killed")
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "whole")


@needs_torch
def test_the_first_weights_are_chapter_6s(corpus: Path) -> None:
    """The output bias and the identity of W_c included."""
    reference, _, _ = both_models(corpus, merge_init="identity")
    weights = reference.side.model.named()
    assert np.array_equal(weights["W_c"].detach().numpy(), np.eye(8, 16))
    np.testing.assert_allclose(weights["b"].detach().numpy(), np.linspace(-3, 0, len(reference.vocab)), rtol=1e-6)
    assert 0.6 < np.abs(weights["embedding"].detach().numpy()).max() <= 0.7


OTHERS = ("--device gpu", "--from exercises", "--dropout-kind variational", "--weight-decay 0.01", "--average-epochs 2")


@pytest.mark.parametrize("flags", [flags.split() for flags in OTHERS], ids=OTHERS)
def test_flags_of_chapter_6_that_make_no_sense_here(
    refuse_main: Callable, corpus: Path, tmp_path: Path, flags: list[object]
) -> None:
    line = refuse_main(reference_lm.main, "--corpus", corpus, *flags, "--run-dir", tmp_path / "run")
    assert "PyTorch" in line or "leave them out" in line
    assert not (tmp_path / "run").exists()


def test_without_torch_one_line(refuse_main: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find(name))
    assert "pip install torch" in refuse_main(reference_lm.main, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()
