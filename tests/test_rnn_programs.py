"""The programs of the recurrent chapter measure what they say that they measure."""

from __future__ import annotations

import dataclasses
import json
import math

import dynet as dy
import numpy as np
import pytest

from chapters.rnn_lm.presets import PRESETS
from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation import streaming
from common.evaluation.perplexity import evaluate
from common.programs.chapters import load_run
from common.search.ensemble import Ensemble
from common.text.batching import make_batch
from common.text.corpus import load_corpus
from common.training.schedules import Schedule
from tests import rnn_reference as reference
from tests.programs import metrics_of, run_program
from tests.rnn_models import CHAPTER, KINDS, RecurrentLM, gradients, make_model
from tests.small_models import SENTENCES, CountingCollection, vocabulary

settings = chapter_module(CHAPTER, "settings")
gradient_program = chapter_module(CHAPTER, "gradients")
comparison = chapter_module(CHAPTER, "compare_batching")
TINY = ["--hidden-size", 8, "--batch-size", 8]


# --- gradients.py


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_norms_are_those_of_finite_differences(kind: str) -> None:
    """Of the last prediction, with respect to each part of each state, by a change of that part in NumPy."""
    model = make_model(kind, layers=1)
    weights = reference.weights_of(reference.parameters_of(kind, model))
    inputs, targets = np.array([[0, 4, 2, 6, 3], [0, 3, 3, 5, 2]]).T, [5, 1]
    actual = gradient_program.gradient_norms(model, inputs, targets)
    assert set(actual) == ({"h", "c"} if "lstm" in kind else {"h"})
    for sentence, target in enumerate(targets):
        words = inputs[:, sentence].tolist()
        for t in range(len(words)):
            tops, _, (state,) = reference.run_model(kind, weights, words[: t + 1])
            for part, name in enumerate(actual):
                slope = [
                    (loss(kind, weights, words[t + 1 :], state, part, j, 1e-5, target)
                     - loss(kind, weights, words[t + 1 :], state, part, j, -1e-5, target)) / 2e-5
                    for j in range(len(tops[0]))
                ]  # fmt: skip
                assert actual[name][t, sentence] == pytest.approx(np.linalg.norm(slope), rel=2e-3, abs=1e-6)


def loss(kind, weights, words: list[int], state, part: int, j: int, change: float, target: int) -> float:
    """-log P(target) where one number of a state is changed before the rest of the words is read.

    A change of the cell changes what is shown at that very step, too; a change of what is shown leaves the cell.
    """
    parts = [array.copy() for array in state]
    parts[part][j] += change
    if part == 1:
        gate = state[0][j] / math.tanh(state[1][j])
        parts[0][j] = gate * math.tanh(parts[1][j])
    if words:
        _, log_probs, _ = reference.run_model(kind, weights, words, states=[tuple(parts)])
        return -log_probs[-1][target]
    logits = weights["embedding"] @ parts[0] + weights["b_s"]
    return float(np.log(np.exp(logits).sum()) - logits[target])


def test_the_beginnings_of_long_sentences() -> None:
    inputs, targets = gradient_program.beginnings([[2, 3], [4, 5, 6, 2], [3, 3, 3], [5, 5, 5]], 3, 2)
    assert inputs.T.tolist() == [[0, 4, 5], [0, 3, 3]] and targets == [6, 3]
    with pytest.raises(UserError, match="--steps 9"):
        gradient_program.beginnings(SENTENCES, 9, 2)


@pytest.mark.slow
def test_gradients_before_training_do_not_depend_on_the_runs_beside(tmp_path, corpus, call, refused, capsys) -> None:
    runs = [tmp_path / "a" / "001", tmp_path / "b" / "001"]
    for run, cell in zip(runs, ("rnn", "lstm"), strict=True):
        call("train", "--corpus", corpus, *TINY, "--epochs", 1, "--cell", cell, "--run-dir", run)
    rows = []
    for order in (runs, runs[::-1]):
        capsys.readouterr()
        call("gradients", "--steps", 2, *(part for run in order for part in ("--run", run)))
        rows.append(sorted(line for line in capsys.readouterr().out.splitlines() if " training, " in line))
    assert rows[0] == rows[1] and len(rows[0]) == 6
    assert all(
        sum(line.startswith(str(run)) for line in rows[0]) == number for run, number in zip(runs, (2, 4), strict=True)
    )
    assert "--run: the same run is given twice" in refused("gradients", "--run", runs[0], "--run", runs[0])


def test_a_model_without_a_score_of_every_word(tmp_path, corpus, call, refused) -> None:
    flags = ["--corpus", corpus, *TINY, "--epochs", 1, "--softmax", "class"]
    call("train", *flags, "--run-dir", tmp_path / "run")
    assert "--softmax class does not score every word" in refused("gradients", "--run", tmp_path / "run")


# --- batching


@pytest.mark.parametrize("size", [3, 128, 200, 300])
def test_an_update_gets_the_gradient_of_all_its_sentences(size: int) -> None:
    """Accumulated piece by piece, it is the gradient of all of them at once."""
    rng = np.random.default_rng(1)
    ids = [rng.integers(1, 7, size=length).tolist() for length in rng.integers(0, 6, size=300)]
    groups = comparison.pieces(ids, size, np.random.default_rng(1))
    assert sorted(index for group in groups for batch in group for index in batch.indices) == list(range(300))
    sizes = sorted((sum(len(batch.indices) for batch in group) for group in groups), reverse=True)
    assert (
        sizes[:-1] == [size] * (len(groups) - 1) and max(len(item.indices) for group in groups for item in group) <= 128
    )
    model, group = make_model("gru", layers=1), groups[0]
    whole = gradients(model, make_batch(ids, np.concatenate([batch.indices for batch in group])))
    for parameter in model.collection.parameters_list():
        parameter.scale_gradient(0)
    for batch in group:
        dy.renew_cg()
        part, _ = model.loss(batch)
        part.forward()
        part.backward()
    for expected, parameter in zip(whole.values(), model.collection.parameters_list(), strict=True):
        np.testing.assert_allclose(parameter.grad_as_array(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_automatic_batching_and_batching_by_hand_find_the_same_loss() -> None:
    """Automatic batching in a process that starts from nothing, since DyNet reads the setting when it is imported."""
    actual = {}
    for way in ("loop", "automatic", "hand"):
        flags = ["--way", way, "--batches", "1", "--hidden-size", "8"]
        done = run_program("autobatch", *flags, chapter=CHAPTER, fresh=way == "automatic")
        assert done.returncode == 0, done.stderr
        assert ("autobatch" in done.stderr) == (way == "automatic")
        actual[way] = json.loads(done.stdout)
    for way in ("automatic", "hand"):
        assert actual[way]["loss"] == pytest.approx(actual["loop"]["loss"], rel=1e-5)
        assert actual[way]["predictions"] == actual["loop"]["predictions"]


def test_batch_sizes_are_compared(tmp_path, corpus, call, capsys) -> None:
    call("compare_batching", "--corpus", corpus, "--sizes", 16, 0, "--seconds", 0.01)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows if row[0] in ("16", "all")] == ["16", "all"]
    assert (tmp_path / "runs" / CHAPTER / "compare_batching.png").stat().st_size > 1000


# --- training and evaluating


def test_kept_state_is_trained_and_reported(tmp_path, corpus, call, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch but the first of an epoch goes on where the last one ended.

    Beside the perplexity of sentences by themselves, metrics.json has that of the text in order.
    """
    start, loss_of_batch = [], RecurrentLM.loss
    monkeypatch.setattr(
        RecurrentLM,
        "loss",
        lambda model, batch, carried, rng: start.append(carried is None) or loss_of_batch(model, batch, carried),
    )
    run = tmp_path / "kept"
    flags = ["--corpus", corpus, *TINY, "--state", "kept", "--bptt", 5]
    call("train", *flags, "--epochs", 2, "--schedule", "constant", "--run-dir", run)
    metrics, batches = metrics_of(run), len(start) // 2
    assert start == ([True] + [False] * (batches - 1)) * 2 and batches > 5
    model, _ = load_run(run, CHAPTER)
    for split in ("dev", "test"):
        sentences = getattr(load_corpus(str(corpus)), split)
        assert metrics[split]["perplexity"] == pytest.approx(evaluate(model, sentences).perplexity, rel=1e-6)
        saved = streaming.evaluate_stream(model, sentences).perplexity
        assert metrics[split]["stream_perplexity"] == pytest.approx(saved, rel=1e-6)
        assert saved != pytest.approx(metrics[split]["perplexity"], rel=1e-4)
    assert metrics["epochs"][0]["predictions"] == sum(len(s) + 1 for s in load_corpus(str(corpus)).train)
    best = min(record["dev_perplexity"] for record in metrics["epochs"])
    assert best == pytest.approx(metrics["dev"]["stream_perplexity"], rel=1e-6), "early stopping looks at the text"
    capsys.readouterr()
    call("evaluate", "--run", run)
    assert f"{metrics['test']['stream_perplexity']:.2f}" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        ["--cell", "gru", "--pointer"],
        ["--cell", "rnn", "--softmax", "untied", "--layers", 2, "--residual"],
        ["--first-state", "learnt", "--layers", 2],
    ],
)
def test_every_make_of_model_is_trained_and_loaded_again(tmp_path, corpus, call, capsys, flags: list) -> None:
    run = tmp_path / "run"
    call("train", "--corpus", corpus, *TINY, "--epochs", 1, *flags, "--run-dir", run)
    capsys.readouterr()
    call("evaluate", "--run", run, "--split", "dev")
    assert f"{metrics_of(run)['dev']['perplexity']:.2f}" in capsys.readouterr().out
    call("generate", "--run", run, "--number", 2)
    assert len(capsys.readouterr().out.splitlines()) == 2
    call("gradients", "--run", run, "--steps", 3)
    assert (run / "gradients.png").stat().st_size > 1000


def test_an_ensemble_is_evaluated_and_sampled_from(tmp_path, corpus, call, capsys) -> None:
    runs = [tmp_path / "a", tmp_path / "b"]
    for run, cell in zip(runs, ("gru", "lstm"), strict=True):
        call("train", "--corpus", corpus, *TINY, "--epochs", 1, "--cell", cell, "--run-dir", run)
    capsys.readouterr()
    call("evaluate", "--run", runs[0], "--run", runs[1])
    out = capsys.readouterr().out
    models = [load_run(run, CHAPTER)[0] for run in runs]
    expected = evaluate(Ensemble(models), load_corpus(str(corpus)).test).perplexity
    row = next(line for line in out.splitlines() if line.startswith("ensemble"))
    assert f"{expected:.2f}" in row
    call("generate", "--run", runs[0], "--run", runs[1], "--number", 2)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_runs_that_cannot_be_compared_are_refused(tmp_path, corpus, call, refused) -> None:
    for run, flags in (("a", []), ("b", ["--state", "kept"]), ("c", ["--min-count", 30])):
        call("train", "--corpus", corpus, *TINY, "--epochs", 1, *flags, "--run-dir", tmp_path / run)
    for other, reason in (("b", "different --state"), ("c", "different vocabularies")):
        assert reason in refused("evaluate", "--run", tmp_path / "a", "--run", tmp_path / other)


# --- settings


@pytest.mark.parametrize(("preset", "millions"), [("zaremba-medium", 20), ("zaremba-large", 66)])
def test_the_presets_have_the_published_sizes(monkeypatch: pytest.MonkeyPatch, preset: str, millions: int) -> None:
    monkeypatch.setattr(dy, "ParameterCollection", CountingCollection)
    make_model_of = chapter_module(CHAPTER, "variants").make_model
    model = make_model_of(vocabulary(10_000), settings.Settings(**PRESETS[preset]))
    assert model.collection.total / 1e6 == pytest.approx(millions, rel=0.02)


@pytest.mark.parametrize(
    ("preset", "rates"),
    [("zaremba-medium", {6: 1, 7: 1 / 1.2, 39: 1.2**-33}), ("zaremba-large", {14: 1, 15: 1 / 1.15, 55: 1.15**-41})],
)
def test_the_presets_have_the_published_schedule(preset: str, rates: dict[int, float]) -> None:
    """By the number of the epoch: whole for the first 6 (14), then divided by 1.2 (1.15) after each."""
    schedule = Schedule.from_settings(settings.Settings(**PRESETS[preset]))
    for epoch, rate in rates.items():
        assert schedule(epoch - 1, []) == schedule(epoch - 0.01, []) == pytest.approx(rate)
    assert dataclasses.asdict(settings.Settings(**PRESETS[preset]))["epochs"] == max(rates)
