"""Exercise 11.5: the block, attention and a network, each with a normalisation before it and a sum around it.

Letters in the shapes: H hidden size, T positions, B sentences in the batch, N any number of vectors. In (H,) x T*B
every position of every sentence is a vector of its own; time runs fastest.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
from heads import Heads, attend_with_heads, project

from common.nn.softmax import fold_time, unfold_time


class Block(NamedTuple):
    """The parameters of a block."""

    attention: Heads
    W_1: dy.Parameters
    """(inner, H)"""
    b_1: dy.Parameters
    """(inner,)"""
    W_2: dy.Parameters
    """(H, inner)"""
    b_2: dy.Parameters
    """(H,)"""


def layer_norm(x: dy.Expression) -> dy.Expression:
    """(x - mean) / sqrt(variance + 1e-5) of each vector separately (Ba et al. 2016): (H,) x N -> (H,) x N.

    The mean and the variance (the mean of the squares of x - mean) are taken over the H numbers of one vector. Equal
    numbers become zeros.

    Useful: dy.sum_elems(x) is (1,) x N, a sum for each vector, and (H,) x N minus (1,) x N is (H,) x N; so is
    dy.cdiv((H,) x N, (1,) x N). Also dy.square and dy.sqrt.

    With x = [1, 2, 6], it is nearly [-0.926, -0.463, 1.389].
    """
    # BEGIN SOLUTION 11.5
    (size,), _ = x.dim()
    centred = x - dy.sum_elems(x) * (1 / size)
    variance = dy.sum_elems(dy.square(centred)) * (1 / size)
    return dy.cdiv(centred, dy.sqrt(variance + 1e-5))
    # END SOLUTION


def network(block: Block, x: dy.Expression) -> dy.Expression:
    """W_2 max(0, W_1 x + b_1) + b_2 of each vector (Vaswani et al. 2017, Eq. 2): (H,) x N -> (H,) x N.

    With W_1 = [[1], [-1]], b_1 = [0, 1], W_2 = [[2, 3]] and b_2 = [0.5], it is [6.5] for x = [3].
    """
    # BEGIN SOLUTION 11.5
    inner = dy.rectify(dy.affine_transform([block.b_1, block.W_1, x]))
    return dy.affine_transform([block.b_2, block.W_2, inner])
    # END SOLUTION


def transform(block: Block, x: dy.Expression, time: int, mask: dy.Expression | None) -> dy.Expression:
    """A block: x' = x + attention(norm(x)), then x' + network(norm(x')). (H,) x T*B -> (H,) x T*B, T being `time`.

    Uses exercise 11.4, and from common.nn.softmax: unfold_time(vectors, T) makes (H, T) x B of (H,) x T*B, and
    fold_time is its inverse. mask (T, T) or None.

    Where all weights of the block are zero, the result is x.
    """
    # BEGIN SOLUTION 11.5
    queries, keys, values = project(block.attention, unfold_time(layer_norm(x), time))
    x = x + fold_time(attend_with_heads(block.attention, queries, keys, values, mask))
    return x + network(block, layer_norm(x))
    # END SOLUTION
