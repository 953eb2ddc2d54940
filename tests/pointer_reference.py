"""The pointer sentinel mixture once more, in NumPy float64, one word of one sentence at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests import rnn_reference as reference

POINTER = ("W_q", "b_q", "s")


def parameters_of(kind: str, model: Any) -> dict:
    return {**reference.parameters_of(kind, model), **{name: getattr(model, name) for name in POINTER}}


def log_probs(kind: str, weights: reference.Weights, inputs: list[int]) -> list[np.ndarray]:
    """log P(next word) after each input: one softmax over q.h_i of the words read and q.s of the sentinel."""
    of_cell = {name: array for name, array in weights.items() if name not in POINTER}
    hidden, by_softmax, _ = reference.run_model(kind, of_cell, inputs)
    steps = []
    for t in range(len(inputs)):
        query = np.tanh(weights["W_q"] @ hidden[t] + weights["b_q"])
        positions = range(1, t + 1)  # the first input is <s>, at which nothing points
        scores = [query @ hidden[i] for i in positions] + [query @ weights["s"][0]]
        exponents = [math.exp(score - max(scores)) for score in scores]
        shares = [value / sum(exponents) for value in exponents]
        probs = shares[-1] * np.exp(by_softmax[t])
        for i, share in zip(positions, shares, strict=False):
            probs[inputs[i]] += share
        steps.append(np.log(probs))
    return steps
