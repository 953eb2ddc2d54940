"""Exercise 9.6: the whole decoder with word attention and gates, and the loss of a batch of pairs.

The source has already been read. Letters in the shapes: S source words, padding included, T target time steps, H size
of embeddings, annotations, states and contexts, V words of the target vocabulary, B sentences in the batch. Word 0 is
the boundary: <s> where it is read, </s> where it is predicted.

The letters are the poster's. In the lesson, i is t, s_i is h_t, y_{i-1} is x_t, e_ij is s_tj, alpha and beta are a^h
and a^x, and c^alpha and c^beta are c^h and c^x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import dynet as dy
from gates import Word, gate, gated_contexts, gated_state
from output import log_probs
from word_context import word_attention

from common.nn.recurrent import State
from common.nn.softmax import embed, unfold_time
from common.nn.source_attention import ContextDecoder, MLPScore
from common.text.batching import Batch


class Weights(NamedTuple):
    """The parameters of the decoder."""

    embedding: dy.Parameters
    """(V, H), of the target words, read and predicted"""
    scores: Sequence[MLPScore]
    """two, for annotations and for words: each has W_query (H, H), W_source (H, H) and w (1, H)"""
    W_o: dy.Parameters
    U_o: dy.Parameters
    C_o: Sequence[dy.Parameters]
    """of the gate: (H, H), (H, H), and two of (H, H)"""
    decoder: ContextDecoder
    """project(words (H, T) x B) reads words; step(a column of that, [a, b], layers) is the step of exercise 9.4"""
    W_g: dy.Parameters
    """(H, 4H)"""
    b_g: dy.Parameters
    """(H,)"""
    b_s: dy.Parameters
    """(V,)"""


class Source(NamedTuple):
    """A batch of source sentences."""

    annotations: dy.Expression
    """(H, S) x B, the encoding of each word in its sentence"""
    words: dy.Expression
    """(H, S) x B, the embeddings x_j"""
    padding: dy.Expression | None
    """what is added to scores so that padding gets no weight, (S, 1) x B, or None"""


class Step(NamedTuple):
    """The results of one step of the decoder."""

    layers: list[State]
    """the states after it; the last one's .hidden is s_i"""
    log_probs: dy.Expression
    """(V,) x B"""
    alpha: dy.Expression
    """weights of the annotations, (S, 1) x B"""
    beta: dy.Expression
    """weights of the words, (S, 1) x B"""
    gate: dy.Expression
    """o_i, (H,) x B"""


def step(weights: Weights, source: Source, layers: Sequence[State], words: list[int]) -> Step:
    """Read a target word in each of B sentences, and predict the next (Wu et al. 2018, Eq. 1 to 6).

    The previous state, s_{i-1}, is the query of both attentions. Each has a separate score: that of the annotations
    also has the form of Eq. 1 and 2, with annotations in place of the x_j. Then follow the gate, the state, and the
    distribution, which, unlike Eq. 4 as printed, is computed from both contexts as the gate has weighted them.

    Uses exercises 9.2 to 9.5. layers: the previous states. words: the ids, B of them. From common.nn.softmax:
    embed(embedding, ids) is (H,) x B, and unfold_time(expression, 1) makes (H, 1) x B of that, which decoder.project
    requires; dy.pick(matrix, 0, dim=1) is its only column.

    Where all weights are zero, a source of 4 words has the weights 1/4, the gate is 1/2 and P(word) is 1 / V.
    """
    # TODO 9.6: the whole decoder (advanced)
    raise NotImplementedError("Exercise 9.6: the whole decoder (advanced)")


def loss(weights: Weights, source: Source, layers: Sequence[State], target: Batch) -> dy.Expression:
    """-log P(E | F) of all pairs of a batch, summed over its real predictions, in nats: one number, as an expression.

    target.inputs, .targets and .mask are (T, B): what each step reads, what it must predict, and 1 for a real
    prediction (</s> among them), 0 on padding. layers: the states before the first step.

    Useful: dy.pick_batch(log_probs, list of B ids), (1,) x B, and dy.sum_batches. To multiply these by a row of the
    mask: dy.cmult with dy.reshape(dy.inputTensor(row), (1,), B).

    Where all weights are zero, the loss is the number of real predictions times log V.
    """
    # TODO 9.6: the whole decoder (advanced)
    raise NotImplementedError("Exercise 9.6: the whole decoder (advanced)")
