"""Exercise 8.7: an encoder-decoder becomes an attentional one (Neubig 2017, section 8.8).

The source has already been read: its annotations are given, and so are the states from which the decoder starts.
Letters in the shapes: S source words, padding included, T target time steps, H size of annotations, embeddings and
states, V words of the target vocabulary, B sentences in the batch. Word 0 is the boundary: <s> where it is read, </s>
where it is predicted.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np
from looking import attention_weights, context, padding_scores

from common.nn.recurrent import State
from common.nn.softmax import embed, fold_time, masked_sum, negative_log_probs, unfold_time
from common.nn.source_attention import ContextDecoder, Memory, Score
from common.text.batching import Batch


class Weights(NamedTuple):
    """The parameters of the decoder."""

    score: Score
    """keys(annotations) is computed once; scores(keys, query) gives (S, 1) x B"""
    decoder: ContextDecoder
    """project(words (H, T) x B) reads all words at once, column t for step t; step(a column of that, [context],
    layers) gives the layers' states after the step, of which the last one's .hidden is h_t, (H,) x B"""
    embedding: dy.Parameters
    """(V, H), of the target words that are read"""
    W_hs: dy.Expression
    """(V, 2H)"""
    b_s: dy.Parameters
    """(V,)"""


class Source(NamedTuple):
    """A batch of source sentences, as the encoder has read it."""

    annotations: dy.Expression
    """(H, S) x B"""
    lengths: np.ndarray
    """words of each source, (B,)"""
    layers: list[State]
    """the states of the decoder's layers before its first step"""


def decode(weights: Weights, source: Source, inputs: np.ndarray) -> tuple[dy.Expression, dy.Expression]:
    """Read target words, inputs (T, B), and attend to the source at each step: the arguments of the softmax of Eq. 76,
    (V,) x T*B, and the attention of each step, (S, T) x B.

        h_t = RNN([m_t; c_{t-1}], h_{t-1})    with the embedding m_t of the word read, and c_0 = 0     (Eq. 73)
        alpha_t = softmax(scores of h_t)      with no weight on padding; a_t in the lesson           (Eq. 74, 75)
        c_t = H alpha_t                                                                                (Eq. 72)
        W_hs [h_t; c_t] + b_s                 the state above the context                              (Eq. 76)

    Uses exercise 8.4. Useful: Memory(annotations, keys, padding); dy.zeros((H,), batch_size=B); dy.pick(matrix, t,
    dim=1), its column t; dy.concatenate_cols; and from common.nn.softmax embed(embedding, list of N ids), (H,) x N,
    unfold_time(expression, T), which makes (H, T) x B of (H,) x T*B, in which time runs fastest (inputs.T.ravel() has
    the ids in that order), and fold_time, its inverse.

    Where all weights are zero, so is every argument of the softmax, and the attention to a source of 4 words is 1/4.
    """
    # TODO 8.7: the attentional decoder (advanced)
    raise NotImplementedError("Exercise 8.7: the attentional decoder (advanced)")


def loss(weights: Weights, source: Source, target: Batch) -> dy.Expression:
    """-log P(E | F) of all pairs of a batch, summed over its real predictions, in nats: one number, as an expression.

    target.inputs, .targets and .mask are (T, B); the mask is 1 on real predictions, </s> among them, and 0 on padding.
    From common.nn.softmax: negative_log_probs(logits, targets) is (1,) x T*B, masked_sum(losses, mask) one number.

    Where all weights are zero, the loss is the number of real predictions times log V.
    """
    # TODO 8.7: the attentional decoder (advanced)
    raise NotImplementedError("Exercise 8.7: the attentional decoder (advanced)")


def translate(weights: Weights, source: Source, most: int) -> tuple[list[int], np.ndarray]:
    """Greedy search for one sentence, B = 1: at each step the most probable word, which the next step reads.

    It ends with </s>, which is not among the ids, or after `most` words. -> the ids, and the attention of each step,
    numbers (steps, S), including the step that predicts </s>. npvalue() of an expression gives its numbers.

    Where b_s makes </s> the most probable word whatever happens, the ids are [], and the attention has one row.
    """
    # TODO 8.7: the attentional decoder (advanced)
    raise NotImplementedError("Exercise 8.7: the attentional decoder (advanced)")
