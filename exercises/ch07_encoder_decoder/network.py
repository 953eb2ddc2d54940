"""Exercises 7.3 and 7.4: an encoder-decoder, from the words of the source to the loss of the target.

Letters in the shapes: S source words, T target time steps, B sentence pairs in the batch, L embedding size, H hidden
size, V words of the target vocabulary. Word 0 is the boundary: <s> where it is read, </s> where it is predicted.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np
from reading import last_states, reverse

from common.nn.softmax import fold_time, masked_sum, negative_log_probs, unfold_time
from common.text.batching import Batch


class Weights(NamedTuple):
    """The parameters of the model: f for the source, e for the target."""

    M_f: dy.Parameters
    """(source vocabulary, L), one row per word"""
    W_f: dy.Parameters
    """(H, L)"""
    U_f: dy.Parameters
    """(H, H)"""
    b_f: dy.Parameters
    """(H,)"""
    M_e: dy.Parameters
    """(V, L), one row per word"""
    W_e: dy.Parameters
    """(H, L)"""
    U_e: dy.Parameters
    """(H, H)"""
    b_e: dy.Parameters
    """(H,)"""
    W_hs: dy.Parameters
    """(V, H)"""
    b_s: dy.Parameters
    """(V,)"""


def embed(M: dy.Parameters, words: list[int]) -> dy.Expression:
    """The embeddings of N words: (L,) x N. (Given.)"""
    return dy.pick_batch(M, [int(word) for word in words], dim=0)


def rnn(
    W: dy.Parameters, U: dy.Parameters, b: dy.Parameters, x: dy.Expression, h: dy.Expression | None
) -> dy.Expression:
    """tanh(W x + U h + b), a step of a simple recurrent network: x (L,) x B, h (H,) x B, None for zeros. (Given.)"""
    z = dy.affine_transform([b, W, x])
    return dy.tanh(z if h is None else z + U * h)


def encode(weights: Weights, source: np.ndarray, mask: np.ndarray, backward: bool) -> dy.Expression:
    """The state of the encoder after reading each source sentence: (H,) x B (Neubig 2017, Eq. 60).

    h_t = rnn(m_t, h_{t-1}) over its words, h_0 = 0; the result is the state after the last word that is read. source:
    word ids (S, B), padded at the end; mask (S, B): 1 on words, 0 on padding. The ids in the padding must not affect
    the result.

    backward: read each sentence from its own last word to its first (Eq. 64). Uses `reverse` and `last_states` of
    exercise 7.2. Useful: unfold_time(embed(M, source.T.ravel()), S), the embeddings (L, S) x B; dy.pick(expression, t,
    dim=1), column t of each; dy.concatenate_cols(list).

    With L = H = 1, M_f = [[0], [1], [2]], W_f = [[1]], U_f = [[0]], b_f = [0] and the sentence 1 2, it is tanh(2), and
    tanh(1) backward.
    """
    # TODO 7.3: the encoder
    raise NotImplementedError("Exercise 7.3: the encoder")


def loss(weights: Weights, encoded: dy.Expression, target: Batch) -> dy.Expression:
    """-log P(E | F) of all pairs of a batch, summed over real predictions, in nats: one number (Neubig 2017, Eq. 60).

    The decoder starts from the state `encoded`, (H,) x B. At each step, it reads the previous word: h_t =
    rnn(m_t, h_{t-1}) and p_t = softmax(W_hs h_t + b_s). The previous word is that of the reference, whatever the model
    would have predicted: this is teacher forcing. </s> is predicted like a word.

    target.inputs (<s>, then the words), target.targets (the words, then </s>), target.mask (0 on padding): (T, B). From
    common.nn.softmax: fold_time makes (H,) x T*B of (H, T) x B; negative_log_probs(scores (V,) x T*B, targets) is
    (1,) x T*B; masked_sum(losses, mask) one number.

    Where all weights are zero, the loss is the number of real predictions times log V.
    """
    # TODO 7.4: the decoder: loss with teacher forcing, and one step
    raise NotImplementedError("Exercise 7.4: the decoder: loss with teacher forcing, and one step")


def advance(weights: Weights, h: dy.Expression, words: list[int]) -> tuple[dy.Expression, np.ndarray]:
    """One step of the decoder, for search: read one word in each of B rows -> h_t, and log P(next word) as numbers.

    h: the previous state, (H,) x B; for the first word, which is <s>, the result of `encode`. The log-probabilities are
    in nats, an array (B, V). npvalue() of (V,) x B is (V, B), but (V,) where B is 1. Useful: dy.log_softmax.

    Where all weights are zero, each of the V words has the log-probability -log V.
    """
    # TODO 7.4: the decoder: loss with teacher forcing, and one step
    raise NotImplementedError("Exercise 7.4: the decoder: loss with teacher forcing, and one step")
