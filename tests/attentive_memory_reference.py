"""Attention beyond the sentence once more, in NumPy float64, one word of one stream at a time.

Written from the equations (Salton et al. 2017; Daniluk et al. 2017), without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests import rnn_reference

Weights = Mapping[str, np.ndarray]
Carried = tuple[list[tuple[np.ndarray, np.ndarray]], list[np.ndarray]]
"""Hidden state and cell of each layer, and the top states so far, the oldest first."""


def parts_of(h: np.ndarray, parts: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Key, value and what predicts."""
    if parts == "whole":
        return h, h, h
    if parts == "key-value":
        value = h[len(h) - len(h) // 2 :]
        return h[: len(h) - len(h) // 2], value, value
    third = len(h) // 3
    return h[: len(h) - 2 * third], h[len(h) - 2 * third : len(h) - third], h[len(h) - third :]


def score_of(weights: Weights, key: np.ndarray, query: np.ndarray) -> float:
    inner = weights["W_s"] @ key
    if "W_q" in weights:
        inner = inner + weights["W_q"] @ query
    return float(weights["v_s"].ravel() @ np.tanh(inner))


def merged(weights: Weights, merge: str, predict: np.ndarray, context: np.ndarray) -> np.ndarray:
    """h' of the merge."""
    if merge == "product":
        inner = np.array([p * c for p, c in zip(predict, context, strict=True)])
    elif merge == "context":
        inner = context
    else:
        inner = np.array([*predict, *context])
        if merge == "feed-forward":
            inner = np.tanh(weights["W_1"] @ inner + weights["b_1"])
    return np.tanh(weights["W_c"] @ inner + weights["b_c"])


def run(
    weights: Weights,
    inputs: Sequence[int],
    parts: str = "whole",
    merge: str = "concatenation",
    states: float = math.inf,
    carried: Carried | None = None,
) -> tuple[list[dict[str, Any]], Carried]:
    """What every step of a stream computes, and what the next piece of it goes on from."""
    E, layers = weights["embedding"], sum(name.startswith("W_x") for name in weights)
    zero = np.zeros(E.shape[1])
    below, memory = carried or ([(zero, zero)] * layers, [])
    below, memory, steps = list(below), list(memory), []
    for word in inputs:
        h = E[word]
        for layer, (before, cell) in enumerate(below):
            z = weights[f"W_x{layer}"] @ h + weights[f"W_h{layer}"] @ before + weights[f"b{layer}"]
            i, f, o, u = np.split(z, 4)
            cell = rnn_reference.sigma(i) * np.tanh(u) + rnn_reference.sigma(f) * cell
            h = rnn_reference.sigma(o) * np.tanh(cell)
            below[layer] = (h, cell)
        query, value, predict = parts_of(h, parts)
        seen = memory[max(0, len(memory) - int(min(states, len(memory)))) :]
        exponents = [math.exp(score_of(weights, parts_of(past, parts)[0], query)) for past in seen]
        a = [exponent / sum(exponents) for exponent in exponents]
        context = np.zeros(len(value))
        for weight, past in zip(a, seen, strict=True):
            context = context + weight * parts_of(past, parts)[1]
        logits = E @ merged(weights, merge, predict, context) + weights["b"]
        steps.append({"a": a, "log_probs": logits - math.log(np.exp(logits).sum())})
        memory.append(h)
    return steps, (below, memory)


def loss(weights: Weights, inputs: Sequence[int], targets: Sequence[int], *how: Any) -> float:
    """-log P of the targets, summed, in nats."""
    steps, _ = run(weights, inputs, *how)
    return -sum(step["log_probs"][target] for step, target in zip(steps, targets, strict=True))


def parameters_of(model) -> dict[str, Any]:
    """The model's parameters by the names that this file uses."""
    parameters = {"embedding": model.embedding, "b": model.b}
    for number, layer in enumerate(model.layers):
        parameters |= {f"W_x{number}": layer.W_x, f"W_h{number}": layer.W_h, f"b{number}": layer.b}
    for part in (model.score, model.merge):
        parameters |= {name: value for name, value in vars(part).items() if hasattr(value, "grad_as_array")}
    return parameters


def weights_of(model) -> dict[str, np.ndarray]:
    return rnn_reference.weights_of(parameters_of(model))


def randomise(model, scale: float = 0.7, seed: int = 5) -> None:
    """Give every parameter normal random numbers."""
    rnn_reference.randomise(parameters_of(model), scale, seed)
