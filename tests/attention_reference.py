"""Parts of attention to a source sentence once more, in NumPy float64, one sentence and one word at a time.

Written from the equations, without a look at the batched code that it judges. Annotations are a list
of vectors, one per source word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests import rnn_reference as rnn
from tests.rnn_reference import State, Weights


def score(
    kind: str, weights: Weights, annotation: np.ndarray, query: np.ndarray, inner: np.ndarray | float = 0
) -> float:
    """How well one source word answers the decoder's state (Neubig 2017, Eq. 77, 79, 80). inner: added in the tanh."""
    if kind == "dot":
        return annotation @ query
    if kind == "bilinear":
        return annotation @ (weights["W_a"] @ query)
    W_a1 = np.hstack([weights["W_query"], weights["W_source"]])
    return weights["w"].ravel() @ np.tanh(W_a1 @ np.concatenate([query, annotation]) + inner)


def softmax(scores: Sequence[float]) -> np.ndarray:
    """Neubig 2017, Eq. 75."""
    exponents = np.exp(np.array(scores) - max(scores))
    return exponents / exponents.sum()


def context(annotations: Sequence[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    """c = sum over j of alpha_j h_j (Neubig 2017, Eq. 72)."""
    result = np.zeros(len(annotations[0]))
    for annotation, weight in zip(annotations, weights, strict=True):
        result = result + weight * annotation
    return result


def decoder_step(
    kind: str, layers: Sequence[Weights], word: np.ndarray, contexts: Sequence[np.ndarray], states: Sequence[State]
) -> list[State]:
    """h_t = RNN([m_t; c_{t-1}], h_{t-1}) and the layers above it (Neubig 2017, Eq. 73).

    The first layer has, beside its W_x, a matrix `W_c0`, `W_c1` ... for each context.
    """
    first = dict(layers[0])
    first["W_x"] = np.hstack([first["W_x"], *(first.pop(f"W_c{number}") for number in range(len(contexts)))])
    x, after = np.concatenate([word, *contexts]), []
    for weights, state in zip([first, *layers[1:]], states, strict=True):
        after.append(rnn.step(kind, weights, x, state))
        x = after[-1][0]
    return after
