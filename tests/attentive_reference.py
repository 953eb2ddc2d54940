"""The attentive language model once more, in NumPy float64, one word of one sentence at a time.

Written from the equations with plain loops, without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import dynet as dy
import numpy as np

from tests import rnn_reference

Weights = Mapping[str, np.ndarray]


def lstm_step(W_x, W_h, b, x, h, c) -> tuple[np.ndarray, np.ndarray]:
    """Neubig 2017, Eq. 54 and 55, number by number; the blocks are input, forget, output gate and update."""
    size = len(h)
    new_h, new_c = np.zeros(size), np.zeros(size)
    for j in range(size):
        z = []
        for block in range(4):
            row = block * size + j
            total = b[row]
            for k in range(len(x)):
                total += W_x[row, k] * x[k]
            for k in range(size):
                total += W_h[row, k] * h[k]
            z.append(total)
        i, f, o = (1 / (1 + math.exp(-value)) for value in z[:3])
        new_c[j] = i * math.tanh(z[3]) + f * c[j]
        new_h[j] = o * math.tanh(new_c[j])
    return new_h, new_c


def attend(score: str, weights: Weights, memory: list[np.ndarray], h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights over the memory h_1 ... h_{t-1} and their context (Salton et al. 2017, Eq. 3 to 6, 9, 10)."""
    scores = []
    for past in memory:
        inner = weights["W_s"] @ past
        if score == "combined":
            inner = inner + weights["W_q"] @ h
        scores.append(sum(v * math.tanh(value) for v, value in zip(weights["v_s"].ravel(), inner, strict=True)))
    exponents = [math.exp(value - max(scores)) for value in scores]
    a = np.array([value / sum(exponents) for value in exponents])
    context = np.zeros(len(h))
    for weight, past in zip(a, memory, strict=True):
        context = context + weight * past
    return a, context


def run(score: str, weights: Weights, inputs: Sequence[int]) -> list[dict[str, np.ndarray]]:
    """What every step computes from the words so far: its state h, attention a, context, merged state, log_probs."""
    E, steps, memory = weights["embedding"], [], []
    states = [(np.zeros(E.shape[1]), np.zeros(E.shape[1])) for _ in range(number_of_layers(weights))]
    for word in inputs:
        h = E[word]
        for layer, (before, cell) in enumerate(states):
            W_x, W_h, b = (weights[f"{name}{layer}"] for name in ("W_x", "W_h", "b"))
            states[layer] = lstm_step(W_x, W_h, b, h, before, cell)
            h = states[layer][0]
        a, context, merged = np.zeros(0), np.zeros(len(h)), h
        if score != "none":
            a, context = attend(score, weights, memory, h)
            merged = np.concatenate([h, context])
        h_prime = np.tanh(weights["W_c"] @ merged + weights["b_c"])  # Eq. 7
        logits = np.array([E[k] @ h_prime + weights["b"][k] for k in range(len(E))])  # Eq. 8
        log_probs = logits - logits.max() - math.log(sum(math.exp(value - logits.max()) for value in logits))
        steps.append({"h": h, "a": a, "context": context, "h_prime": h_prime, "log_probs": log_probs})
        memory.append(h)
    return steps


def sentence_log_probs(score: str, weights: Weights, sentence: Sequence[int]) -> list[float]:
    """log P of each word of a sentence of ids, and of `</s>`; id 0 is the boundary (Salton et al. 2017, Eq. 1)."""
    steps = run(score, weights, [0, *sentence])
    return [step["log_probs"][target] for step, target in zip(steps, [*sentence, 0], strict=True)]


def number_of_layers(weights: Weights) -> int:
    return sum(name.startswith("W_x") for name in weights)


def parameters_of(model) -> dict[str, dy.Parameters | dy.LookupParameters]:
    """The model's parameters by the names that this file uses."""
    parameters = {"embedding": model.embedding, "W_c": model.W_c, "b_c": model.b_c, "b": model.b}
    for number, layer in enumerate(model.layers):
        parameters |= {f"W_x{number}": layer.W_x, f"W_h{number}": layer.W_h, f"b{number}": layer.b}
    return parameters | {
        name: getattr(model.score, name) for name in ("v_s", "W_s", "W_q") if hasattr(model.score, name)
    }


def weights_of(model) -> dict[str, np.ndarray]:
    """What they hold, in float64."""
    return rnn_reference.weights_of(parameters_of(model))


def set_weights(model, weights: Weights) -> None:
    """Put numbers into the model's parameters; those that are not named stay."""
    parameters = parameters_of(model)
    for name, array in weights.items():
        parameter = parameters[name]
        (parameter.set_value if isinstance(parameter, dy.Parameters) else parameter.init_from_array)(array)


def randomise(model, scale: float = 1.0, seed: int = 5) -> None:
    """Give every parameter normal random numbers, so that none is zero, equal to another, or special."""
    rnn_reference.randomise(parameters_of(model), scale, seed)
