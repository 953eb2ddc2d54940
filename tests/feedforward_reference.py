"""The feed-forward language model and its softmaxes once more, in NumPy float64, one prediction at a time.

Written from the equations with plain loops, without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Weights = Mapping[str, np.ndarray]


def log_softmax(scores: np.ndarray) -> np.ndarray:
    largest = max(scores)
    return scores - largest - math.log(sum(math.exp(score - largest) for score in scores))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def hidden(weights: Weights, context: Sequence[int], activation: str = "tanh") -> np.ndarray:
    """Neubig 2017, Eq. 42, its first two lines; as many hidden layers as there are matrices W_mh0, W_mh1, ..."""
    m = np.concatenate([weights["M"][word] for word in context])
    layer = 0
    while f"W_mh{layer}" in weights:
        W, b = weights[f"W_mh{layer}"], weights[f"b_h{layer}"]
        sums = [sum(W[j, k] * m[k] for k in range(len(m))) + b[j] for j in range(len(b))]
        m = np.array([math.tanh(x) if activation == "tanh" else max(x, 0.0) for x in sums])
        layer += 1
    return weights["P"] @ m if "P" in weights else m


def sentence_log_probs(
    weights: Weights, sentence: Sequence[int], order: int, activation: str = "tanh"
) -> list[np.ndarray]:
    """log P(next word) of all words, (V,), at each word of a sentence of ids and at `</s>`; id 0 is the boundary."""
    padded, result = [0] * (order - 1) + list(sentence), []
    for t in range(len(sentence) + 1):
        h = hidden(weights, padded[t : t + order - 1], activation)
        result.append(log_softmax(weights["W_hs"] @ h + weights["b_s"]))
    return result


# Softmaxes: what one prediction costs, from h and the layer's own weights


def full_loss(weights: Weights, h: np.ndarray, target: int) -> float:
    return -log_softmax(weights["W"] @ h + weights["b"])[target]


def class_loss(weights: Weights, members: Sequence[Sequence[int]], h: np.ndarray, target: int) -> float:
    """weights: W_classes, b_classes, and for each class c the rows W0, W1, ... and biases b0, b1, ... of its words."""
    number = next(c for c, words in enumerate(members) if target in words)
    place = list(members[number]).index(target)
    log_class = log_softmax(weights["W_classes"] @ h + weights["b_classes"])[number]
    return -log_class - log_softmax(weights[f"W{number}"] @ h + weights[f"b{number}"])[place]


def hierarchical_loss(weights: Weights, path: Sequence[tuple[int, int]], h: np.ndarray) -> float:
    """path: (inner node, +1 for right or -1 for left) from the root to the target."""
    return -sum(math.log(sigmoid(turn * (weights["W"][node] @ h + weights["b"][node]))) for node, turn in path)


def sampled_loss(weights: Weights, Q: np.ndarray, drawn: Sequence[int], h: np.ndarray, target: int) -> float:
    """-log of exp(s_target) / (exp(s_target) + 1/K sum over the drawn words but the target of exp(s) / Q)."""
    scores = weights["W"] @ h + weights["b"]
    others = sum(math.exp(scores[word]) / Q[word] for word in drawn if word != target) / len(drawn)
    return -math.log(math.exp(scores[target]) / (math.exp(scores[target]) + others))


def nce_loss(weights: Weights, Q: np.ndarray, noise: Sequence[int], h: np.ndarray, target: int) -> float:
    """-log P(real) of the target - sum of log P(not real) of the noise; P(real) = u / (u + K Q), u = exp(s) / Z."""
    Z = math.exp((weights["z"] @ h + weights["c"]).item()) if "z" in weights else 1.0
    u, K = np.exp(weights["W"] @ h + weights["b"]) / Z, len(noise)
    real = u / (u + K * Q)
    return -math.log(real[target]) - sum(math.log(1 - real[word]) for word in noise)
