"""Chapters 5 and 6 with softmaxes that score few words in training: losses, evaluation, updates, whole runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.nn import full_softmax, large_vocabulary, softmaxes
from common.nn.optimiser import make_optimiser
from common.programs.chapters import load_run
from common.text.batching import Batch, make_batch
from common.training.softmax_settings import CHEAPER
from tests import attentive_reference, model_laws, rnn_reference
from tests.programs import call_and_kill, comparable, make_call, write_corpus
from tests.small_models import SENTENCES, V, whole_batch
from tests.test_softmaxes import Layer
from tools import large_vocabulary as measuring

RNN, ATTENTIVE = "05_rnn_lm", "06_attentive_lm"
MODELS = [(chapter, softmax) for chapter in (RNN, ATTENTIVE) for softmax in CHEAPER]
EXACT = ("class", "hierarchical")
every_model = pytest.mark.parametrize("chapter, softmax", MODELS)


def make_model(chapter: str, softmax: str):
    """A small model with random parameters, as train.py makes it."""
    return model_laws.MODELS[f"{'recurrent' if chapter == RNN else 'attentive'}, {softmax}"].make()


def loss_of(model, batch: Batch) -> dy.Expression:
    """The loss of a batch in a new graph; what is sampled follows from a seed."""
    dy.renew_cg()
    result = model.loss(batch, rng=np.random.default_rng(3))
    return result[0] if isinstance(result, tuple) else result


def reference_hidden(chapter: str, model, sentence: Sequence[int]) -> list[np.ndarray]:
    """What the softmax reads at each word of a sentence and at `</s>`, in NumPy float64, word by word."""
    if chapter == ATTENTIVE:
        weights = attentive_reference.weights_of(model) | {"b": np.zeros(V)}
        return [step["h_prime"] for step in attentive_reference.run(weights, [0, *sentence])]
    layers, names = model.stack.layers, ("W_x", "W_h", "b")
    parameters = {f"{name}{number}": getattr(layer, name) for number, layer in enumerate(layers) for name in names}
    weights = rnn_reference.weights_of({"embedding": model.embedding, **parameters}) | {"b_s": np.zeros(V)}
    return rnn_reference.run_model("lstm", weights, [0, *sentence])[0]


def reference_loss(chapter: str, model, softmax: str) -> float:
    """The summed loss of all sentences in float64, by the definition of the softmax, with the same samples."""
    layer = object.__new__(Layer)
    layer.kind, layer.softmax, layer.inputs = softmax, model.softmax, model.embedding
    layer.targets = np.concatenate([[*sentence, 0] for sentence in SENTENCES])
    inputs = np.concatenate([reference_hidden(chapter, model, sentence) for sentence in SENTENCES])
    return layer.reference_loss(rnn_reference.weights_of(layer.parameters()) | {"inputs": inputs})


def test_every_cheaper_softmax_is_offered() -> None:
    built = {
        name for name, function in vars(softmaxes).items() if getattr(function, "__module__", "") == softmaxes.__name__
    }
    assert set(CHEAPER.values()) == built - {"Output"}


@every_model
def test_the_loss_is_that_of_its_definition(chapter: str, softmax: str) -> None:
    """In NumPy float64, sentence by sentence: padding counts for nothing."""
    model = make_model(chapter, softmax)
    expected = reference_loss(chapter, model, softmax)
    assert loss_of(model, whole_batch()).scalar_value() == pytest.approx(expected, rel=1e-5)
    if softmax in EXACT:
        assert model.log_probs(whole_batch()).sum() == pytest.approx(-expected, rel=1e-5)


@pytest.mark.parametrize("chapter", [RNN, ATTENTIVE])
def test_evaluation_with_samples_is_that_of_the_full_softmax(chapter: str) -> None:
    """In NumPy float64, from the definition of the softmax over all words."""
    model = make_model(chapter, "sampled")
    W, b = (array.as_array().astype(np.float64) for array in (model.softmax.W, model.softmax.b))
    expected = np.zeros(whole_batch().targets.shape)
    for column, sentence in enumerate(SENTENCES):
        for step, (h, word) in enumerate(zip(reference_hidden(chapter, model, sentence), [*sentence, 0], strict=True)):
            scores = W @ h + b
            expected[step, column] = scores[word] - np.log(np.exp(scores).sum())
    np.testing.assert_allclose(model.log_probs(whole_batch()), expected, atol=1e-5)


@every_model
def test_evaluation_does_not_depend_on_how_much_is_scored_at_once(
    chapter: str, softmax: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vocabulary that is larger than what is scored at once, too."""
    model = make_model(chapter, softmax)
    whole = model.log_probs(whole_batch())
    for most in (3 * V, 4 * V - 1, V - 1):
        monkeypatch.setattr(full_softmax, "SCORES_AT_ONCE", most)
        parts = large_vocabulary.in_parts(np.arange(10), V)
        assert max(map(len, parts)) == max(1, most // V) and np.concatenate(parts).tolist() == list(range(10))
        np.testing.assert_allclose(model.log_probs(whole_batch()), whole, atol=1e-6)
    assert not whole[whole_batch().mask == 0].any() and (whole[whole_batch().mask > 0] < 0).all()


@every_model
def test_what_a_batch_has_not_read_does_not_move(chapter: str, softmax: str) -> None:
    """Adam moves what has no gradient, unless only the rows that were read are visited."""
    model, batch = make_model(chapter, softmax), make_batch([[2, 3]], [0])
    optimiser = make_optimiser("adam", model.collection, 5.0)
    optimiser.learning_rate = 0.1
    loss_of(model, make_batch([[4, 5, 6]], [0])).backward()  # gives every mean something to remember
    optimiser.update()
    before = model.embedding.as_array().copy()
    loss_of(model, batch).backward()
    optimiser.update()
    moved = (model.embedding.as_array() != before).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [0, 2, 3]
    assert all(isinstance(table, dy.LookupParameters) for table in [model.embedding, *rows_of(model.softmax)])


def rows_of(softmax) -> list:
    return softmax.W_words if hasattr(softmax, "W_words") else [softmax.W]


def test_the_state_is_carried_from_batch_to_batch() -> None:
    """--state kept, of chapter 5: a text in two parts costs what it costs as a whole."""
    model, text = make_model(RNN, "hierarchical"), np.array([[0, 4, 2, 6], [3, 3, 5, 1]]).T
    mask, indices = np.ones((4, 2), np.float32), np.arange(2)
    whole = model.log_probs(Batch(text, text[::-1], mask, indices))
    carried, parts = None, []
    for rows in (slice(0, 2), slice(2, 4)):
        batch = Batch(text[rows], text[::-1][rows], mask[rows], indices)
        log_probs, carried = model.log_probs_from(batch, carried)
        parts.append(log_probs)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("chapter, softmax", [(RNN, "sampled"), (ATTENTIVE, "hierarchical"), (ATTENTIVE, "class")])
def test_a_run_is_resumed_and_loaded(
    chapter: str, softmax: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """What classes, trees and samples are made from is kept in the folder; with --bias zero, too."""
    call, corpus = make_call(monkeypatch, chapter), write_corpus(tmp_path / "farm")
    flags = ("--corpus", corpus, "--hidden-size", 8, "--batch-size", 8, "--softmax", softmax, "--schedule", "constant")
    call("train", *flags, "--epochs", 2, "--bias", "zero", "--run-dir", tmp_path / "whole")
    call_and_kill(call, monkeypatch, *flags, "--epochs", 2, "--bias", "zero", "--run-dir", tmp_path / "run")
    call("train", "--resume", "--run-dir", tmp_path / "run")
    assert comparable(tmp_path / "run") == comparable(tmp_path / "whole")
    model, _ = load_run(tmp_path / "run")
    assert f"{softmax}" in model.name and type(model).__name__.startswith("Large")
    capsys.readouterr()
    call("generate", "--run", tmp_path / "run", "--score", corpus / "dev.txt")
    actual = sum(map(float, capsys.readouterr().out.split()))
    assert actual == pytest.approx(comparable(tmp_path / "run")["dev"]["log_prob"], abs=1e-3)


@pytest.mark.slow
def test_the_program_that_measures_an_epoch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """By a clock that every prediction advances by a minute, in training and in evaluation."""
    now = [0.0]
    monkeypatch.setattr(measuring.time, "process_time", lambda: now[0])
    monkeypatch.setattr(measuring, "SENTENCES", 100)
    monkeypatch.setattr(measuring, "DEV_SENTENCES", 128)
    stepped, evaluated = measuring.step, measuring.evaluate

    def slow_step(model, optimiser, batch, rng) -> None:
        stepped(model, optimiser, batch, rng)
        now[0] += 60 * batch.predictions

    def slow_evaluate(model, sentences, unk):
        actual = evaluated(model, sentences, unk)
        now[0] += 60 * actual.predictions
        return actual

    monkeypatch.setattr(measuring, "step", slow_step)
    monkeypatch.setattr(measuring, "evaluate", slow_evaluate)
    flags = ["--words", "50", "--batches", "2", "--softmaxes", "sampled", "--chapters", "4", "5", "6", "--checkpoint"]
    monkeypatch.setattr("sys.argv", ["large_vocabulary.py", *flags])
    measuring.main()
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["| 4, sampled", "| 5, sampled", "| 6, sampled"]
    rng = np.random.default_rng(1)
    sentences = measuring.invent_sentences(100, 50, rng)
    predictions = sum(map(len, sentences)) + 100
    for row in rows:
        assert float(row[1]) == predictions, "a minute each"
        assert float(row[2]) == pytest.approx(1.28 * predictions, rel=1e-3)
        assert row[3] == "0.0" and 2 <= int(row[4].strip(" |").replace(",", "")) < predictions
