"""Exercise 6.6: the whole model, computed for all steps at once in training, and step by step in generation.

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary. Word 0 is the boundary: <s>
where it is read, </s> where it is predicted.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np
from looking_back import causal_weights, contexts
from merging import merge, tied_logits
from scores import combined_scores, single_scores

from common.nn.recurrent import LSTM, LSTMState
from common.nn.softmax import embed, fold_time, masked_sum, negative_log_probs, unfold_time
from common.text.batching import Batch


class Weights(NamedTuple):
    """The parameters of the model. W_q is None where the score is the single one."""

    lstm: LSTM
    """run(inputs (H, T) x B) gives all states, (H, T) x B; step(x (H,) x B, state or None) gives an `LSTMState`."""
    embedding: dy.Parameters
    """(V, H), for what is read and for what is predicted"""
    v_s: dy.Parameters
    """(1, H)"""
    W_s: dy.Parameters
    """(H, H)"""
    W_q: dy.Parameters | None
    """(H, H)"""
    W_c: dy.Parameters
    """(H, 2H)"""
    b_c: dy.Parameters
    """(H,)"""
    b: dy.Parameters
    """(V,)"""


class State(NamedTuple):
    """What the model keeps after reading some words."""

    lstm: LSTMState | None
    """None before the first word; then .hidden is h_t, (H,) x B"""
    memory: list[dy.Expression]
    """the states h_1 ... h_t, each (H,) x B"""


def logits(weights: Weights, inputs: np.ndarray) -> dy.Expression:
    """The argument of the softmax at every step (Salton et al. 2017, Eq. 2 to 8): word ids (T, B) -> (V,) x T*B.

    The embeddings of the inputs go through the LSTM; each state attends to those before it, is merged with its
    context, and scores the vocabulary. Uses exercises 6.2 to 6.5, and from common.nn.softmax: embed(embedding, list of
    N ids) is (H,) x N; unfold_time(expression, T) makes (H, T) x B of (H,) x T*B, in which time runs fastest
    (inputs.T.ravel() has the ids in that order), and fold_time is its inverse.

    Where all weights are zero, so is every logit.
    """
    # TODO 6.6: the whole model, all steps at once and one at a time (advanced)
    raise NotImplementedError("Exercise 6.6: the whole model, all steps at once and one at a time (advanced)")


def loss(weights: Weights, batch: Batch) -> dy.Expression:
    """-log P of all sentences of a batch (Salton et al. 2017, Eq. 1), summed over its real predictions, in nats.

    batch.inputs, .targets and .mask are (T, B); the mask is 1 on real predictions, </s> among them, and 0 on padding.
    From common.nn.softmax: negative_log_probs(logits, targets) is (1,) x T*B, and masked_sum(losses, mask) one number.

    Where all weights are zero, the loss is the number of real predictions times log V.
    """
    # TODO 6.6: the whole model, all steps at once and one at a time (advanced)
    raise NotImplementedError("Exercise 6.6: the whole model, all steps at once and one at a time (advanced)")


def advance(weights: Weights, state: State, words: list[int]) -> tuple[State, np.ndarray]:
    """One step of generation: read a word in each of B sentences -> the new state, and log P(next word)
    as numbers, (B, V), in nats.

    state: State(None, []) before the first word, which is <s>; it must not change. While step t attends, the memory
    contains h_1 ... h_{t-1}; h_t is added afterwards. As long as the memory is empty, the context is zero: dy.zeros((H,
    1), batch_size=B). Useful: dy.concatenate_cols(list of T (H,) x B), (H, T) x B; dy.softmax and dy.log_softmax.
    npvalue() of (V,) x B is (V, B), but (V,) where B is 1. Do not begin a new graph.

    Where all weights are zero, each of the V words has the log-probability -log V.
    """
    # TODO 6.6: the whole model, all steps at once and one at a time (advanced)
    raise NotImplementedError("Exercise 6.6: the whole model, all steps at once and one at a time (advanced)")
