"""Chapter 10's objectives once more, in NumPy float64 with plain loops, and a tiny model to judge them by."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from common.chapters import chapter_module
from common.text.batching import make_batch, pad
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary
from tests import rnn_reference as rnn
from tests.attention_models import AttentionalModel, Twin
from tests.small_models import parameters_of

CHAPTER = "10_beyond"
SOURCES, TARGETS = [[2, 3], [3]], [[2], [2, 1]]
SETTINGS = SimpleNamespace(
    samples=3,
    alpha=0.5,
    risk="bleu",
    samples_only=False,
    baseline="others",
    own_words=0.5,
    mixing="constant",
    temperature=0.7,
)


def of_chapter(name: str) -> Any:
    return chapter_module(CHAPTER, name)


def make_model(seed: int = 3, targets: tuple[str, ...] = ("ba",), **options: Any) -> Any:
    """A model with so few words that all of its short sentences can be listed: `</s>`, `<unk>` and "ba"."""
    settings = {"hidden_size": 4, "dropout": 0.0, "layers": 1} | options
    model = AttentionalModel(Vocabulary(["hen", "ox"]), Vocabulary(targets), **settings)
    rnn.randomise(parameters_of(model), 0.9, seed)
    return model


def batch() -> PairBatch:
    return PairBatch(*pad(SOURCES), make_batch(TARGETS, [0, 1]))


def log_prob(twin: Twin, source: Sequence[int], predictions: Sequence[int]) -> float:
    """log P of these predictions, by the model's equations in float64."""
    steps = twin.steps(source, [0, *predictions[:-1]])
    return sum(float(step.log_probs[word]) for step, word in zip(steps, predictions, strict=True))


def all_predictions(words: int, limit: int) -> list[list[int]]:
    """Every sentence that sampling can give: ended by 0, or cut at the limit."""
    result = []
    for length in range(limit + 1):
        for body in itertools.product(range(1, words), repeat=length):
            if length < limit:
                result.append([*body, 0])
            else:
                result.append(list(body))
    return result


def expected_cost(log_probs: Sequence[float], costs: Sequence[float], alpha: float) -> float:
    """sum_c Q(c) cost(c) (Shen et al. 2016)."""
    powers = [math.exp(alpha * value) for value in log_probs]
    return sum(power * cost for power, cost in zip(powers, costs, strict=True)) / sum(powers)
