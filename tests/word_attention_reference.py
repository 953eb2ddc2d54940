"""Word attention and contextual gates once more, in NumPy float64, one sentence and one word at a time.

Written from the equations, without a look at the batched code that it judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.attention_reference import context, decoder_step, softmax
from tests.rnn_reference import State, Weights, layers_of, log_softmax, part, sigma


class Reading(NamedTuple):
    """How the equations are read. The defaults are what the poster prints.

    query: what stands for s_{i-1} in Eq. 1: "state", or "word" for [s_{i-1}; y_{i-1}]. output_contexts: what stands for
    the contexts in Eq. 4 where there is a gate: "plain", or "gated" for those of Eq. 6. gate_scale: a factor of both
    contexts in Eq. 6.
    """

    query: str = "state"
    output_contexts: str = "plain"
    gate_scale: float = 1.0


class Step(NamedTuple):
    """What a step computes: s_i, alpha_i, beta_i and o_i (None where there is none), log P(next word)."""

    hidden: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray | None
    gate: np.ndarray | None
    log_probs: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The weights of the annotations, as other references name them."""
        return self.alpha


def attention_weights(weights: Weights, looked_at: Sequence[np.ndarray], query: np.ndarray) -> np.ndarray:
    """The softmax over j of v . tanh(W s_{i-1} + U x_j) (Wu et al. 2018, Eq. 1)."""
    requests, v = weights["W_query"] @ query, weights["w"].ravel()
    return softmax([v @ np.tanh(requests + weights["W_source"] @ x) for x in looked_at])


def contextual_gate(
    weights: Weights, y: np.ndarray, s: np.ndarray, c_alpha: np.ndarray, c_beta: np.ndarray
) -> np.ndarray:
    """o_i = sigma(W_o y_{i-1} + U_o s_{i-1} + C_alpha c_alpha + C_beta c_beta) (Eq. 5); + b_o where there is one."""
    inner = weights["W_o"] @ y + weights["U_o"] @ s + weights["C_o.0"] @ c_alpha + weights["C_o.1"] @ c_beta
    return sigma(inner + weights.get("b_o", 0))


def distribution(weights: Weights, seen: Sequence[np.ndarray]) -> np.ndarray:
    """log P of every word, from y_{i-1}, s_i and the contexts, through a linear layer and the embeddings (Eq. 4)."""
    merged = weights["W_g"] @ np.concatenate(seen) + weights["b_g"]
    return log_softmax(weights["embedding"] @ merged + weights["b_s"])


def decode(
    weights: Weights,
    cell: str,
    reading: Reading,
    annotations: Sequence[np.ndarray],
    words: Sequence[np.ndarray],
    start: Sequence[State],
    inputs: Sequence[int],
) -> list[Step]:
    """Every step after the inputs (Eq. 1 to 6). annotations, words: of the source, one vector per word."""
    states, steps, layers = list(start), [], layers_of(weights, "decoder.layers")
    layers[0] |= {f"W_c{number}": W_c for number, W_c in part(weights, "decoder.W_c.").items()}
    scores = layers_of(weights, "scores")
    for word in inputs:
        y, s = weights["embedding"][word], states[-1][0]
        query = s if reading.query == "state" else np.concatenate([s, y])
        alpha = attention_weights(scores[0], annotations, query)
        contexts, beta, o = [context(annotations, alpha)], None, None
        if len(scores) > 1:
            beta = attention_weights(scores[1], words, query)
            contexts.append(context(words, beta))  # Eq. 2
        for_state = for_output = contexts
        if "U_o" in weights:
            o = contextual_gate(weights, y, s, *contexts)
            for_state = [reading.gate_scale * o * contexts[0], reading.gate_scale * (1 - o) * contexts[1]]
            for_output = contexts if reading.output_contexts == "plain" else for_state
        states = decoder_step(cell, layers, y, for_state, states)  # Eq. 3; with gates Eq. 6
        s = states[-1][0]
        steps.append(Step(s, alpha, beta, o, distribution(weights, [y, s, *for_output])))
    return steps
