"""Small attentional models with priors, hard and local attention, each beside its twin in NumPy float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.text.pairs import PairBatch
from tests import luong_reference as reference
from tests.attention_models import CHAPTER, SOURCES, TARGETS, H, Twin, make_model
from tests.encoder_reference import annotate

Objective = chapter_module(CHAPTER, "objective").Objective

KINDS = {
    "hard": {"attention": "hard"},
    "local": {"attention": "local", "window": 3},
    "position": {"position_bias": True},
    "markov": {"markov": True, "window": 2},
    "fertility": {"fertility": 0.7},
    "supervised": {"supervised": 0.4},
    "all": {"position_bias": True, "markov": True, "fertility": 0.3, "supervised": 0.2, "score": "dot"},
    "hard markov": {"attention": "hard", "markov": True, "position_bias": True, "fertility": 0.2},
}
LINKS = [
    {(0, 0), (3, 1)},
    {(0, 0), (0, 1), (0, 3)},
    set(),
    {(0, 0), (1, 0)},
    {(3, 0), (1, 2)},
    {(6, 1), (2, 1), (4, 1)},
]
"""Links of the pairs SOURCES and TARGETS: one to one, one to many, many to one, none."""


def model_of(name: str, **options):
    """A model of one of the KINDS with random parameters; a diagonal that leaves the longer sentences on their way."""
    model = make_model(**(KINDS[name] | options))
    if settings_of(name).position_bias:
        model.attention.position.pace.set_value([[0.7]])
    return model


def settings_of(name: str):
    return chapter_module(CHAPTER, "settings").Settings(**({"hidden_size": H, "dropout": 0.0} | KINDS.get(name, {})))


def cost_of(model, name: str, batch: PairBatch):
    """The objective of a batch, in a graph of its own. The links are those of LINKS at the batch's indices."""
    dy.renew_cg()
    return Objective(model, settings_of(name), LINKS)(batch)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


class PriorTwin(Twin):
    """The same model in NumPy; its arrays may be changed.

    Hard attention sees a constant 1 or 0 and a slope as if it were the softmax: `frozen` holds, for each step of each
    pair, which word is seen and the weights at that time, so that small changes of the arrays act through the latter.
    """

    fixed = ("attention.position.pace",)  # counted, not learnt

    def __init__(self, model, name: str):
        super().__init__(model)
        self.settings = settings_of(name)
        self.frozen: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        align = partial(self.align, (tuple(source), tuple(inputs)))
        return reference.decode(self.weights, self.settings, source, inputs, align)

    def align(
        self,
        pair: tuple,
        own: reference.Arrays,
        settings: Any,
        scores: list[float],
        h: np.ndarray,
        t: int,
        before: np.ndarray | None,
    ) -> np.ndarray:
        """The weights at target word t, counted from 1."""
        size, D = len(scores), settings.window
        for j in range(size):
            if settings.position_bias:
                strength, pace = (own[f"attention.position.{name}"].item() for name in ("strength", "pace"))
                scores[j] -= strength * abs(j - pace * (t - 1))
            if settings.markov and before is not None:
                jumps = own["attention.markov.jumps"].ravel()
                scores[j] += sum(jumps[j - i + D] * before[i] for i in range(size) if abs(j - i) <= D)
        result = reference.align(own, settings, scores, h, t, before)
        if settings.attention != "hard":
            return result
        seen, base = self.frozen.setdefault((*pair, t), (np.eye(size)[np.argmax(result)], result))
        return seen + result - base

    def loss(self, number: int) -> float:
        """The objective of one of the pairs."""
        source, target = SOURCES[number], TARGETS[number]
        steps = self.steps(source, [0, *target])
        cost = -sum(step.log_probs[word] for step, word in zip(steps, [*target, 0], strict=True))
        if self.settings.fertility:
            u, b = self.weights["fertility.u"].ravel(), self.weights["fertility.b"].item()
            for j, annotation in enumerate(annotate(self.weights, "bidirectional", "lstm", source)[0]):
                received = sum(step.weights[j] for step in steps)
                cost += self.settings.fertility * (received - 4 * sigmoid(u @ annotation + b)) ** 2
        if self.settings.supervised:
            for t, step in enumerate(steps):
                partners = [i for i, j in LINKS[number] if j == t]
                for i in partners:
                    cost -= self.settings.supervised / len(partners) * math.log(step.weights[i])
        return cost
