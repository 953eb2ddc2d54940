"""Exercises 9.3 and 9.4: how much of each context a step of the decoder reads.

Letters in the shapes: H size of embeddings, states and contexts, B sentences in the batch. (H,) x B is a batch of B
vectors in DyNet.

The letters are the poster's. In the lesson, i is t, s_i is h_t, y_{i-1} is x_t, e_ij is s_tj, alpha and beta are a^h
and a^x, and c^alpha and c^beta are c^h and c^x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import dynet as dy

from common.nn.recurrent import State
from common.nn.source_attention import ContextDecoder


class GateWeights(Protocol):
    """Anything with the matrices of the gate, each (H, H), such as the chapter's model."""

    W_o: dy.Parameters
    U_o: dy.Parameters
    C_o: Sequence[dy.Parameters]
    """two of them, C_o^alpha and C_o^beta"""


class Word(NamedTuple):
    """The word that a step reads."""

    embedded: dy.Expression
    """y_{i-1}, (H,) x B"""


def gate(model: GateWeights, word: Word, before: dy.Expression, contexts: Sequence[dy.Expression]) -> dy.Expression:
    """o_i = sigmoid(W_o y_{i-1} + U_o s_{i-1} + C_o^alpha c_i^alpha + C_o^beta c_i^beta) (Wu et al. 2018, Eq. 5).

    model.W_o, model.U_o (H, H); model.C_o: a list of two, both (H, H). word.embedded: y_{i-1}, (H,) x B, the word that
    this step reads. before: s_{i-1}, (H,) x B. contexts: c_i^alpha, that of the annotations, and c_i^beta, that of the
    words, each (H,) x B. -> (H,) x B. dy.logistic is the sigmoid.

    With W_o = [[1]], U_o = [[2]], C_o^alpha = [[3]], C_o^beta = [[-1]], y = [1], s = [0.5], c^alpha = [1] and c^beta =
    [5], o is [1/2].
    """
    # TODO 9.3: the gate
    raise NotImplementedError("Exercise 9.3: the gate")


def gated_contexts(gate: dy.Expression, contexts: Sequence[dy.Expression]) -> list[dy.Expression]:
    """[o_i . c_i^alpha, (1 - o_i) . c_i^beta], element by element: what the gate lets through (Wu et al. 2018, Eq. 6).

    gate: o_i, (H,) x B; contexts: c_i^alpha and c_i^beta -> two of (H,) x B. Useful: dy.cmult. DyNet accepts -o + 1,
    but not 1 - o.

    With o = [0.25], c^alpha = [4] and c^beta = [8], they are [1] and [6].
    """
    # TODO 9.4: the gated state
    raise NotImplementedError("Exercise 9.4: the gated state")


def gated_state(
    decoder: ContextDecoder,
    projected: dy.Expression,
    layers: Sequence[State],
    gate: dy.Expression,
    contexts: Sequence[dy.Expression],
) -> list[State]:
    """s_i = f(s_{i-1}, y_{i-1}, o_i . c_i^alpha, (1 - o_i) . c_i^beta) (Wu et al. 2018, Eq. 6): each layer's new state.

    decoder.step(projected, [a, b], layers) is f for the two contexts a and b, in the order of the equation. projected:
    the decoder's projection of y_{i-1}. layers: the previous states, of which the last one's .hidden is s_{i-1}. gate
    and contexts as in `gated_contexts`.

    If o is 1 everywhere, c^beta has no effect; if it is 0, c^alpha has none.
    """
    # TODO 9.4: the gated state
    raise NotImplementedError("Exercise 9.4: the gated state")
