"""Attention beyond the sentence: parts of a state, merges, and a memory of earlier sentences, against float64."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attentive_lm.memory import MemoryLM
from common.evaluation.streaming import evaluate_stream, stream_log_probs
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from common.text.streams import make_streams
from tests import attentive_reference as reference, small_models
from tests.model_laws import DIVIDED, divided
from tests.programs import metrics_of
from tests.small_models import SENTENCES, TEXT, WORDS, numeric_gradient

CHAPTER = "06_attentive_lm"
INPUTS = [0, *TEXT[:-1]]


def how_of(model, options: dict) -> tuple:
    """What the reference has to be told."""
    return options.get("parts", "whole"), options.get("merge_layer", "concatenation"), model.memory_states


CASES = [{}, {"score": "single"}, *DIVIDED]
each_case = pytest.mark.parametrize("options", CASES, ids=lambda options: "-".join(options.values()) or "default")


# --- the equations


@pytest.mark.equation("salton2017", 3, 4, 7)
@each_case
@pytest.mark.parametrize("memory_states", [1, 4, 9])
def test_a_text_in_pieces_costs_what_the_reference_says(options: dict, memory_states: int) -> None:
    """However long the pieces: states and memory go on from sentence to sentence."""
    for bptt in (3, 50):
        model = divided(memory_states, **options).make(bptt=bptt)
        steps = reference.run(reference.weights_of(model), INPUTS, *how_of(model, options))
        expected = [step["log_probs"][target] for step, target in zip(steps, TEXT, strict=True)]
        actual = np.concatenate(stream_log_probs(model, WORDS, streams=1, steps=bptt))
        np.testing.assert_allclose(actual, expected, atol=2e-5)


def gradients(model, batch, carried) -> dict[str, np.ndarray]:
    """The gradient of the loss of a piece for every parameter."""
    parameters = reference.parameters_of(model)
    return small_models.gradients(model.collection, parameters, lambda: model.loss_from(batch, carried)[0])


@pytest.mark.slow
@each_case
def test_every_gradient_is_that_of_the_reference_whose_memory_is_fixed(options: dict) -> None:
    """Of a second piece, in one layer: what the first one left is numbers, and no gradient goes back into it."""
    model = divided(4, **options).make(bptt=6, hidden_size=6, layers=1)
    first, second = make_streams(SENTENCES[:2], 1, 6)[:2]
    dy.renew_cg()
    _, carried = model.loss_from(first, None)
    actual, weights = gradients(model, second, carried), reference.weights_of(model)
    how = how_of(model, options)
    fixed = reference.run(weights, first.inputs[:, 0].tolist(), *how)[-1]["carried"]
    inputs, targets = second.inputs[:, 0].tolist(), second.targets[:, 0].tolist()

    def truncated() -> float:
        return reference.loss(weights, inputs, targets, *how, fixed)

    def whole() -> float:
        moving = reference.run(weights, first.inputs[:, 0].tolist(), *how)[-1]["carried"]
        return reference.loss(weights, inputs, targets, *how, moving)

    assert set(actual) == set(weights)
    for name, gradient in actual.items():
        expected = numeric_gradient(truncated, weights[name])
        np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=5e-6, err_msg=name)
    assert np.abs(actual["W_h0"] - numeric_gradient(whole, weights["W_h0"])).max() > 1e-3, "the whole way back differs"


# --- settings and the program


def test_training_keeps_the_memory_between_sentences(tmp_path, call, corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    run, start, loss_from = tmp_path / "run", [], MemoryLM.loss_from

    def counted(model, batch, carried):
        start.append(carried is None)
        return loss_from(model, batch, carried)

    monkeypatch.setattr(MemoryLM, "loss_from", counted)
    flags = ["--corpus", corpus, "--hidden-size", 12, "--batch-size", 4, "--memory-states", 8, "--bptt", 5]
    call("train", *flags, "--parts", "key-value-predict", "--epochs", 2, "--run-dir", run)
    batches = len(start) // 2
    assert start == ([True] + [False] * (batches - 1)) * 2 and batches > 3
    model, settings = load_run(run, CHAPTER)
    assert (model.memory_states, settings.parts) == (8, "key-value-predict")
    test = load_corpus(str(corpus)).test
    saved = metrics_of(run)["test"]["stream_perplexity"]
    assert saved == pytest.approx(evaluate_stream(model, test).perplexity, rel=1e-6)
    assert saved != pytest.approx(metrics_of(run)["test"]["perplexity"], rel=1e-4)
    call("visualize", "--run", run, "--number", 1)
    call("generate", "--run", run, "--number", 1)
