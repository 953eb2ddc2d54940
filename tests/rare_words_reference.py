"""Lexicons and copying once more, in float64 with dictionaries from words to probabilities, one step at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Distribution = dict[str, float]
UNKNOWN = "<unk>"


def rendered(lexicon: Mapping[str, Distribution], word: str, known: Sequence[str]) -> Distribution:
    """What a source word stands for: P(e | f) where it is 0.001 or more, renormalised; `<unk>` has what is unknown."""
    likely = {e: p for e, p in lexicon.get(word, {}).items() if p >= 0.001}
    if not likely:
        return {UNKNOWN: 1.0}
    result: Distribution = {}
    for e, p in likely.items():
        e = e if e in known else UNKNOWN
        result[e] = result.get(e, 0.0) + p / sum(likely.values())
    return result


def mean(parts: Sequence[Distribution], weights: Sequence[float]) -> Distribution:
    """l(e) = sum over j of alpha_j L(e | f_j)."""
    result: Distribution = {}
    for part, weight in zip(parts, weights, strict=True):
        for word, share in part.items():
            result[word] = result.get(word, 0.0) + weight * share
    return result


def biased(softmax: Distribution, looked_up: Distribution, epsilon: float) -> Distribution:
    """softmax(s + log(l + epsilon)) from softmax(s): a factor for each word, and a sum of one again."""
    raised = {word: p * (looked_up.get(word, 0.0) + epsilon) for word, p in softmax.items()}
    return {word: p / sum(raised.values()) for word, p in raised.items()}


def mixed(first: Distribution, second: Distribution, share: float) -> Distribution:
    """(1 - share) of the first and share of the second."""
    words = {*first, *second}
    return {word: (1 - share) * first.get(word, 0.0) + share * second.get(word, 0.0) for word in words}


def sigmoid(a: float) -> float:
    return 1 / (1 + math.exp(-a))


def gate(w: np.ndarray, b: float, hidden: np.ndarray, context: np.ndarray) -> float:
    """How much is copied at a step."""
    return sigmoid(float(np.concatenate([hidden, context]) @ w.ravel()) + b)
