"""Small attentional models with priors, hard and local attention, each beside its twin in NumPy float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.text.pairs import PairBatch
from tests import attention_reference as reference, encoder_reference as encoder, rnn_reference as rnn
from tests.attention_models import CHAPTER, SOURCES, TARGETS, H, Twin, make_model

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

PLACES = {
    "position strength": ("position", "strength"),
    "position pace": ("position", "pace"),
    "markov jumps": ("markov", "jumps"),
    "local W": ("local", "W"),
    "local v": ("local", "v"),
}


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

    fixed = ("position pace",)  # counted, not learnt

    def __init__(self, model, name: str):
        self.settings = settings_of(name)
        super().__init__(model, self.settings.score)
        for key, (part, attribute) in PLACES.items():
            if getattr(model.attention, part, None):
                self.parameters[key] = getattr(getattr(model.attention, part), attribute)
        if model.fertility:
            self.parameters |= {"fertility u": model.fertility.u, "fertility b": model.fertility.b}
        self.weights = rnn.weights_of(self.parameters)
        self.frozen: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}

    def alpha(self, t: int, h: np.ndarray, annotations: Sequence[np.ndarray], before: np.ndarray | None, key: tuple):
        """The weights of step t."""
        scores = [reference.score(self.settings.score, self.part("score"), annotation, h) for annotation in annotations]
        own, size = self.weights, len(annotations)
        if self.settings.attention == "local":
            p = size * sigmoid(float((own["local v"] @ np.tanh(own["local W"] @ h)).item()))
            D = self.settings.window
            inside = [j for j in range(size) if abs(j + 1 - p) < D]
            shares = reference.softmax([scores[j] for j in inside])
            result = np.zeros(size)
            for j, share in zip(inside, shares, strict=True):
                result[j] = share * math.exp(-((j + 1 - p) ** 2) / (2 * (D / 2) ** 2))
            return result
        for j in range(size):
            if self.settings.position_bias:
                scores[j] -= own["position strength"].item() * abs(j - own["position pace"].item() * t)
            if self.settings.markov and before is not None:
                D = self.settings.window
                jumps = own["markov jumps"].ravel()
                scores[j] += sum(jumps[j - i + D] * before[i] for i in range(size) if abs(j - i) <= D)
        result = reference.softmax(scores)
        if self.settings.attention != "hard":
            return result
        seen, base = self.frozen.setdefault(key, (np.eye(size)[np.argmax(result)], result))
        return seen + result - base

    def read(self, source: Sequence[int], inputs: Sequence[int]) -> tuple[list[reference.Step], list[np.ndarray]]:
        """What the decoder computes after each of the inputs, having read the source; and the annotations."""
        words = [self.part("source")["E"][word] for word in source]
        annotations, ends = reference.annotate("lstm", self.stack("ahead"), self.stack("back"), words, H // 2)
        states = [encoder.bridge("lstm", self.part("bridge"), layer, result) for layer, result in enumerate(ends)]
        output, seen, before, steps = self.part("output"), np.zeros(H), None, []
        for t, word in enumerate(inputs):
            states = reference.decoder_step("lstm", self.stack("decoder"), output["target"][word], [seen], states)
            h = states[-1][0]
            before = self.alpha(t, h, annotations, before, (tuple(source), tuple(inputs[: t + 1])))
            seen = reference.context(annotations, before)
            logits = output["target"] @ (output["W_o"] @ np.concatenate([h, seen])) + output["b_s"]
            steps.append(reference.Step(h, before, seen, logits - np.log(np.exp(logits).sum())))
        return steps, annotations

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        return self.read(source, inputs)[0]

    def loss(self, number: int) -> float:
        """The objective of one of the pairs."""
        source, target = SOURCES[number], TARGETS[number]
        steps, annotations = self.read(source, [0, *target])
        cost = -sum(step.log_probs[word] for step, word in zip(steps, [*target, 0], strict=True))
        if self.settings.fertility:
            u, b = self.weights["fertility u"].ravel(), self.weights["fertility b"].item()
            for j, annotation in enumerate(annotations):
                received = sum(step.weights[j] for step in steps)
                cost += self.settings.fertility * (received - 4 * sigmoid(u @ annotation + b)) ** 2
        if self.settings.supervised:
            for t, step in enumerate(steps):
                partners = [i for i, j in LINKS[number] if j == t]
                for i in partners:
                    cost -= self.settings.supervised / len(partners) * math.log(step.weights[i])
        return cost
