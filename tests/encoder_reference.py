"""Encoders and the encoder-decoder once more, in NumPy float64, one sentence and one word at a time.

Written from the equations, without a look at the batched code that it judges. Trees are nested pairs
of word positions here, and are walked from the root down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests import rnn_reference as rnn
from tests.rnn_reference import State, log_softmax, sigma

Shape = int | tuple
"""A tree: the position of a word, or a pair of trees."""


def recurrent(
    kind: str,
    layers: Sequence[rnn.Weights],
    words: Sequence[np.ndarray],
    start: Sequence[State] | None = None,
    residual: bool = False,
) -> tuple[list[np.ndarray], list[State]]:
    """The top layer's states after each word, and all layers' after the last. residual: from the second layer on, what
    a layer read is added to what it shows."""
    states = list(start or [rnn.zero_state(kind, len(layer["b"]) // len(rnn.BLOCKS[kind])) for layer in layers])
    tops = []
    for x in words:
        for number, weights in enumerate(layers):
            states[number] = rnn.step(kind, weights, x, states[number])
            x = states[number][0] + x if residual and number else states[number][0]
        tops.append(x)
    return tops, states


def bridge(weights: rnn.Weights, kind: str, found: Sequence[np.ndarray]) -> list[State]:
    """h = tanh(W s + b) of each layer (Neubig 2017, Eq. 67); where there is a memory, it is what that tanh is of."""
    states = []
    for layer, each in enumerate(found):
        inner = weights[f"encoder.bridge.W.{layer}"] @ each + weights[f"encoder.bridge.b.{layer}"]
        states.append((np.tanh(inner), inner) if "lstm" in kind else (np.tanh(inner),))
    return states


def annotate(
    weights: rnn.Weights, encoder: str, kind: str, source: Sequence[int], residual: bool = False
) -> tuple[list[np.ndarray], list[State]]:
    """A recurrent encoder's annotation of each source word, and the decoder's first states (Eq. 65 to 67)."""
    words = [weights["source_embedding"][word] for word in source]
    if encoder != "bidirectional":
        layers, step = rnn.layers_of(weights, "encoder.stack.layers"), -1 if encoder == "reverse" else 1
        tops, last = recurrent(kind, layers, words[::step])
        return tops[::step], last
    ahead, back = (rnn.layers_of(weights, f"encoder.{way}.stack.layers") for way in ("forward", "backward"))
    forward, last = recurrent(kind, ahead, words, residual=residual)
    backward, first = recurrent(kind, back, words[::-1], residual=residual)
    annotations = [np.concatenate(pair) for pair in zip(forward, backward[::-1], strict=True)]
    ends = [np.concatenate([this[0], other[0]]) for this, other in zip(last, first, strict=True)]
    return annotations, bridge(weights, kind, ends)


def filters(W: np.ndarray, words: Sequence[np.ndarray], width: int) -> list[np.ndarray]:
    """h_t = W concat(m_t, ..., m_{t+w-1}) (Neubig 2017, Eq. 68), zero vectors behind what is shorter than a filter."""
    words = [*words, *[np.zeros(len(words[0]))] * (width - len(words))]
    return [
        np.array([sum(row[k * len(words[0]) :][: len(words[0])] @ words[t + k] for k in range(width)) for row in W])
        for t in range(len(words) - width + 1)
    ]


def pool(kind: str, found: Sequence[np.ndarray], kept: int) -> np.ndarray:
    """One vector of what the filters found in each window. The k largest stand in the order of the sentence."""
    rows = [list(row) for row in np.array(found).T]
    if kind == "average":
        return np.array([sum(row) / len(row) for row in rows])
    if kind == "max":
        return np.array([max(row) for row in rows])
    largest = []
    for row in rows:
        while len(row) > kept:
            row.pop(len(row) - 1 - row[::-1].index(min(row)))  # the last of the smallest
        largest.append(row + [0.0] * (kept - len(row)))
    return np.array(largest).T.ravel()


def recursive(weights: rnn.Weights, words: Sequence[np.ndarray], shape: Shape) -> State:
    """h_p = tanh(W_xp x_t + W_lp h_l + W_rp h_r + b_p) (Neubig 2017, Eq. 70)."""
    size = len(words[0])
    x, left, right = np.zeros(size), np.zeros(size), np.zeros(size)
    if isinstance(shape, int):
        x = words[shape]
    else:
        ((left,), (right,)) = (recursive(weights, words, child) for child in shape)
    W_l, W_r = weights["W_lr"][:, :size], weights["W_lr"][:, size:]
    return (np.tanh(weights["W_x"] @ x + W_l @ left + W_r @ right + weights["b"]),)


def tree_lstm(weights: rnn.Weights, words: Sequence[np.ndarray], shape: Shape) -> State:
    """Tai et al. 2015, the N-ary Tree-LSTM with two children; rows of the blocks i, o, u, f_l, f_r."""
    size = len(words[0])
    zero = (np.zeros(size), np.zeros(size))
    x, left, right = np.zeros(size), zero, zero
    if isinstance(shape, int):
        x = words[shape]
    else:
        left, right = (tree_lstm(weights, words, child) for child in shape)
    gates = []
    for block in range(5):
        rows = slice(block * size, (block + 1) * size)
        value = weights["b"][rows] + (weights["W_x"][rows] @ x if block < 3 else 0.0)
        gates.append(value + weights["W_lr"][rows] @ np.concatenate([left[0], right[0]]))
    i, o, f_l, f_r = (sigma(gates[block]) for block in (0, 1, 3, 4))
    cell = i * np.tanh(gates[2]) + f_l * left[1] + f_r * right[1]
    return o * np.tanh(cell), cell


def decode(weights: rnn.Weights, kind: str, start: Sequence[State], inputs: Sequence[int]) -> list[np.ndarray]:
    """log P(next word) after each word of `inputs`, the decoder starting from `start` (Neubig 2017, Eq. 60)."""
    E = weights["embedding"]
    tops, _ = recurrent(kind, rnn.layers_of(weights, "decoder.layers"), [E[word] for word in inputs], start)
    return [log_softmax(weights.get("W_hs", E) @ h + weights["b_s"]) for h in tops]
