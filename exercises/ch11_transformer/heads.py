"""Exercise 11.4: heads, each of which attends separately.

Letters in the shapes: H hidden size, D = H / heads size of a head, T positions that attend, S positions that they may
attend to, B sentences in the batch.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
from attending import attend


class Heads(NamedTuple):
    """The parameters of attention with heads. The rows of W_q, W_k and W_v belong to the heads in turn: the first D to
    head 0, the next D to head 1, and so on."""

    heads: int
    W_q: dy.Parameters
    """(H, H)"""
    W_k: dy.Parameters
    """(H, H)"""
    W_v: dy.Parameters
    """(H, H)"""
    W_o: dy.Parameters
    """(H, H)"""


def project(attention: Heads, x: dy.Expression) -> tuple[dy.Expression, dy.Expression, dy.Expression]:
    """Queries W_q x, keys W_k x and values W_v x of all heads, in this order: (H, T) x B -> three of (H, T) x B.

    With W_q = [[1]], W_k = [[2]], W_v = [[3]] and x = [[4]], they are [[4]], [[8]] and [[12]].
    """
    # TODO 11.4: heads: split, attend, join
    raise NotImplementedError("Exercise 11.4: heads: split, attend, join")


def rows(attention: Heads, x: dy.Expression, head: int) -> dy.Expression:
    """The rows of queries, keys or values that belong to a head: (H, T) x B -> (D, T) x B.

    head: counted from 0. dy.pick_range(matrix, first, end) returns the rows first, first + 1, ... end - 1.

    With 2 heads and x = [[1, 5], [2, 6], [3, 7], [4, 8]], head 1 has [[3, 7], [4, 8]].
    """
    # TODO 11.4: heads: split, attend, join
    raise NotImplementedError("Exercise 11.4: heads: split, attend, join")


def attend_with_heads(
    attention: Heads, queries: dy.Expression, keys: dy.Expression, values: dy.Expression, mask: dy.Expression | None
) -> dy.Expression:
    """W_o [c_0; c_1; ...], the result of attention at every position (Vaswani et al. 2017, section 3.2.2).

    c_h are the contexts of head h, by exercise 11.3 from its rows of queries, keys and values; they are stacked in the
    order of the heads. queries (H, T) x B, keys and values (H, S) x B, mask (S, T) or None -> (H, T) x B.

    With one head, W_o = [[2]], queries = [[1]], keys = [[0, log 3]], values = [[4, 8]] and no mask, it is [[14]].
    """
    # TODO 11.4: heads: split, attend, join
    raise NotImplementedError("Exercise 11.4: heads: split, attend, join")
