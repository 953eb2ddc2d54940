"""Exercise 11.6: the whole model: all positions at once in training, one word at a time with a cache in generation.

Letters in the shapes: H hidden size, T positions, B sentences in the batch, V vocabulary. Word 0 is the boundary: <s>
where it is read, </s> where it is predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import dynet as dy
import numpy as np
from attending import causal_mask
from heads import attend_with_heads, project
from waves import sinusoids
from whole_block import Block, layer_norm, network, transform

from common.nn.softmax import embed, fold_time, tied_logits, unfold_time


class Weights(NamedTuple):
    """The parameters of the model."""

    embedding: dy.Parameters
    """(V, H), for what is read and for what is predicted"""
    blocks: Sequence[Block]
    b: dy.Parameters
    """(V,)"""


class Past(NamedTuple):
    """What a block keeps of the words read so far: keys and values of all heads, each (H, t) x B."""

    keys: dy.Expression
    values: dy.Expression


def logits(weights: Weights, inputs: np.ndarray) -> dy.Expression:
    """The argument of the softmax at every position: word ids (T, B) -> (V,) x T*B.

    x is the embedding times sqrt(H), plus the encoding of its position, the first being 0. It goes through the blocks,
    with the causal mask, and one more normalisation. Uses exercises 11.2, 11.3 and 11.5, and from common.nn.softmax:
    embed(embedding, list of N ids) is (H,) x N, where inputs.T.ravel() has the ids in the order of (H,) x T*B;
    tied_logits(embedding, b, (H,) x N) is (V,) x N. A matrix (H, T) added to (H, T) x B is added to every sentence.

    Where the embeddings are zero, the logits are b at every position.
    """
    # TODO 11.6: the whole model, and one word at a time with a cache (advanced)
    raise NotImplementedError("Exercise 11.6: the whole model, and one word at a time with a cache (advanced)")


def next_position(block: Block, x: dy.Expression, past: Past | None) -> tuple[dy.Expression, Past]:
    """Apply a block to one more position of each sentence, which attends to itself and to all before it.

    x (H,) x B; past: that of the earlier positions, None at the first; it must not change. -> the output of the block,
    (H,) x B, and the past with this position's key and value as its last columns. Nothing is computed again for earlier
    positions. dy.concatenate_cols(list of matrices) sets them side by side, sentence by sentence.

    At the first position a context is the value itself.
    """
    # TODO 11.6: the whole model, and one word at a time with a cache (advanced)
    raise NotImplementedError("Exercise 11.6: the whole model, and one word at a time with a cache (advanced)")


def advance(weights: Weights, cache: list[Past | None], words: list[int]) -> tuple[list[Past | None], np.ndarray]:
    """One step of generation: read a word in each of B sentences -> the new cache, and log P(next word) as numbers,
    (B, V), in nats.

    cache: the past of each block; [None, None, ...] before the first word, which is <s>; it must not change. The
    position of the new word is the number of words before it. npvalue() of (V,) x B is (V, B), but (V,) where B is 1.
    Do not begin a new graph. Useful: dy.log_softmax.

    Where the embeddings and b are zero, each of the V words has the log-probability -log V.
    """
    # TODO 11.6: the whole model, and one word at a time with a cache (advanced)
    raise NotImplementedError("Exercise 11.6: the whole model, and one word at a time with a cache (advanced)")
