"""One step of each neural chapter's training loop: what is clipped is the gradient of (summed loss / batch size)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dynet as dy
import numpy as np
import pytest

from common.nn import optimiser
from common.nn.parameters import DynetParameters
from common.programs.chapters import load_run
from common.text.batching import make_batches
from common.text.corpus import load_corpus
from common.text.pairs import load_pairs, make_pair_batches
from tests import attentive_reference as reference
from tests.pairs import write_pairs
from tests.programs import make_call, write_corpus
from tests.small_models import numeric_gradient

SENTENCES, RATE = 6, 0.5
FLAGS = ["--batch-size", SENTENCES, "--epochs", 1, "--optimiser", "sgd", "--learning-rate", RATE, "--dropout", 0]
FLAGS += ["--schedule", "constant", "--warm-up", 0, "--init-scale", 0.5]
LANGUAGE_MODELS = ("04_feedforward_lm", "05_rnn_lm", "06_attentive_lm", "11_transformer")
TRANSLATORS = ("07_encoder_decoder", "08_attention", "09_word_attention", "11_transformer_pairs")
Arrays = list[np.ndarray]


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, Arrays, Arrays, Any]]:
    """A function that trains a chapter's model on one batch for one epoch, which is one step of its train.py.

    Returns the model, its parameters before and after the step, and the batch.
    """
    seen: list[Arrays] = []
    make = optimiser.make_optimiser

    def look_and_make(kind: str, collection: dy.ParameterCollection, *rest: float) -> dy.Trainer:
        seen.append(
            [array.astype(np.float64) for array in DynetParameters(SimpleNamespace(collection=collection)).arrays()]
        )
        return make(kind, collection, *rest)

    def run(chapter: str, clip: float, *flags: object) -> tuple[Any, Arrays, Arrays, Any]:
        folder, corpus = tmp_path / f"run {clip}", tmp_path / "farm"
        if not corpus.exists():
            write_corpus(corpus, train=SENTENCES) if chapter in LANGUAGE_MODELS else write_pairs(
                corpus, train=SENTENCES
            )
        monkeypatch.setattr("common.nn.optimiser.make_optimiser", look_and_make)
        make_call(monkeypatch, chapter)(
            "train", *FLAGS, *flags, "--clip", clip, "--corpus", corpus, "--run-dir", folder
        )
        model = load_run(folder)[0]
        after = [array.astype(np.float64) for array in DynetParameters(model).arrays()]
        return model, seen.pop(), after, only_batch(model, chapter, corpus)

    return run


def only_batch(model: Any, chapter: str, corpus: Path) -> Any:
    if chapter in LANGUAGE_MODELS:
        sentences = load_corpus(str(corpus)).train
        (batch,) = make_batches([model.vocab.encode(sentence) for sentence in sentences], SENTENCES)
        assert batch.predictions > 4 * SENTENCES
        return batch
    pairs = load_pairs(str(corpus)).train
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    (batch,) = make_pair_batches(sources, [model.vocab.encode(pair.target) for pair in pairs], SENTENCES)
    assert batch.target.predictions > 3 * SENTENCES
    return batch


def gradient_of_sum(model: Any, chapter: str, start: Arrays, batch: Any) -> Arrays:
    """The gradient of the summed loss where training started, from DyNet."""
    parameters = DynetParameters(model)
    parameters.set_arrays(start)
    dy.renew_cg()
    loss = model.loss(batch, np.random.default_rng(1)) if chapter == "04_feedforward_lm" else model.loss(batch)
    loss = loss[0] if isinstance(loss, tuple) else loss
    loss.forward()
    loss.backward()
    every = [*model.collection.parameters_list(), *model.collection.lookup_parameters_list()]
    return [parameter.grad_as_array().astype(np.float64) for parameter in every]


def norm(arrays: Arrays) -> float:
    return float(np.sqrt(sum((array**2).sum() for array in arrays)))


def expect_step(start: Arrays, gradient: Arrays, after: Arrays) -> None:
    """SGD, in NumPy."""
    for before, slope, result in zip(start, gradient, after, strict=True):
        np.testing.assert_allclose(result, before - RATE * slope, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("chapter", [*LANGUAGE_MODELS, *TRANSLATORS])
def test_the_gradient_of_loss_by_batch_size_is_clipped(chapter: str, train: Callable) -> None:
    """Without a limit, and with one a little below that gradient's norm.

    A loss divided by its predictions would have a gradient several times smaller, which the limit would leave alone.
    """
    model, start, after, batch = train(chapter, 0, "--hidden-size", 8)
    gradient = [array / SENTENCES for array in gradient_of_sum(model, chapter, start, batch)]
    expect_step(start, gradient, after)
    limit = 0.8 * norm(gradient)
    assert limit > 0.1
    _, same_start, after, _ = train(chapter, limit, "--hidden-size", 8)
    assert all((first == other).all() for first, other in zip(start, same_start, strict=True)), "the same seed"
    expect_step(start, [0.8 * array for array in gradient], after)


@pytest.mark.slow
def test_the_attentive_step_is_that_of_the_equations(train: Callable) -> None:
    """Chapter 6 with clipping in effect, from the gradient of the loss in NumPy float64, by central differences."""
    limit = 0.1
    model, start, after, batch = train("06_attentive_lm", limit, "--hidden-size", 2, "--score", "single")
    parameters = DynetParameters(model)
    parameters.set_arrays(start)
    weights = reference.weights_of(model)
    lengths = batch.mask.sum(axis=0).astype(int) - 1
    sentences = [column[:length].tolist() for column, length in zip(batch.targets.T, lengths, strict=True)]

    def mean_loss() -> float:
        losses = [reference.loss(weights, [0, *sentence], [*sentence, 0]) for sentence in sentences]
        return sum(losses) / len(sentences)

    slopes = {name: numeric_gradient(mean_loss, array) for name, array in weights.items()}
    shrink = limit / norm(list(slopes.values()))
    assert SENTENCES / batch.predictions < shrink < 0.5, "the limit cuts, and would not cut for a loss by predictions"
    parameters.set_arrays(after)
    for name, actual in reference.weights_of(model).items():
        expected = weights[name] - RATE * shrink * slopes[name]
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5, err_msg=name)
