"""The attentive language model once more, in NumPy float64, one word of one sentence or stream at a time.

Written from the equations (Salton et al. 2017; Daniluk et al. 2017), without a look at the batched code that it judges.
A model attends where there are weights of a score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests import rnn_reference

Weights = Mapping[str, np.ndarray]
Carried = tuple[list[rnn_reference.State], list[np.ndarray]]
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


def attend(weights: Weights, keys: Sequence[np.ndarray], query: np.ndarray) -> np.ndarray:
    """Weights over the memory h_1 ... h_{t-1} (Salton et al. 2017, Eq. 3 to 5, 9, 10)."""
    scores = []
    for key in keys if "W_s" in weights else []:
        inner = weights["W_s"] @ key
        if "W_q" in weights:
            inner = inner + weights["W_q"] @ query
        scores.append(sum(v * math.tanh(value) for v, value in zip(weights["v_s"].ravel(), inner, strict=True)))
    exponents = [math.exp(value - max(scores)) for value in scores]
    return np.array([value / sum(exponents) for value in exponents])


def merged(weights: Weights, merge: str, predict: np.ndarray, context: np.ndarray) -> np.ndarray:
    """h' of the merge (Salton et al. 2017, Eq. 7)."""
    if merge == "concatenation" and weights["W_c"].shape[1] == len(predict):  # the score `none`
        inner = predict
    elif merge == "product":
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
    masks: Sequence[np.ndarray] | None = None,
) -> list[dict[str, Any]]:
    """What every step computes from the words so far: its state h, attention a, h_prime, log_probs, and what the next
    piece of a stream goes on from. masks: of what enters each layer and of its past, then of h'."""
    E, layers = weights["embedding"], sum(name.startswith("W_x") for name in weights)
    below, memory = carried or ([rnn_reference.zero_state("lstm", E.shape[1])] * layers, [])
    masks, steps = masks or [np.ones(E.shape[1])] * (2 * layers + 1), []
    for word in inputs:
        h, after = E[word], []
        for layer, state in enumerate(below):
            own = {name: weights[f"{name}{layer}"] for name in ("W_x", "W_h", "b")}
            after.append(rnn_reference.step("lstm", own, masks[2 * layer] * h, state, masks[2 * layer + 1]))
            h = after[-1][0]
        query, value, predict = parts_of(h, parts)
        seen = memory[max(0, len(memory) - int(min(states, len(memory)))) :]
        a, context = attend(weights, [parts_of(past, parts)[0] for past in seen], query), np.zeros(len(value))
        for weight, past in zip(a, seen, strict=len(a) > 0):
            context = context + weight * parts_of(past, parts)[1]
        h_prime = merged(weights, merge, predict, context)
        log_probs = rnn_reference.log_softmax(E @ (masks[-1] * h_prime) + weights["b"])  # Eq. 8
        below, memory = after, [*memory, h]
        steps.append({"h": h, "a": a, "h_prime": h_prime, "log_probs": log_probs, "carried": (below, memory)})
    return steps


def loss(weights: Weights, inputs: Sequence[int], targets: Sequence[int], *how: Any, **options: Any) -> float:
    """-log P of the targets, summed, in nats; how, options: for `run`."""
    steps = run(weights, inputs, *how, **options)
    return -sum(step["log_probs"][target] for step, target in zip(steps, targets, strict=True))


def parameters_of(model) -> dict[str, Any]:
    """The model's parameters by the names that this file uses."""

    def own(part: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(part).items() if hasattr(value, "grad_as_array")} if part else {}

    parameters = own(model)
    for number, layer in enumerate(model.layers):
        parameters |= {f"W_x{number}": layer.W_x, f"W_h{number}": layer.W_h, f"b{number}": layer.b}
    return parameters | own(model.score) | own(getattr(model, "merge", None))


def weights_of(model) -> dict[str, np.ndarray]:
    """What they hold, in float64."""
    return rnn_reference.weights_of(parameters_of(model))


def randomise(model, scale: float = 1.0, seed: int = 5) -> None:
    """Give every parameter normal random numbers, so that none is zero, equal to another, or special."""
    rnn_reference.randomise(parameters_of(model), scale, seed)
