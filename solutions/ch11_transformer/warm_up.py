"""Exercise 11.1, a warm-up with pencil and paper: a scaled dot product, weights, a context, and the size of a model and
its cache.

Letters: H hidden size, D = H / heads size of a key (Vaswani et al. 2017, Eq. 1).
"""

from __future__ import annotations


def scaled_score() -> float:
    """The scaled dot product of the query (3, 1, -2, 0) and the key (2, 4, 1, 5)."""
    # BEGIN SOLUTION 11.1
    return (3 * 2 + 1 * 4 + -2 * 1 + 0 * 5) / 4**0.5
    # END SOLUTION


def second_context() -> float:
    """The context of the second of three positions, where D = 4 and values are single numbers.

    The dot products of its query with the keys of positions 1, 2 and 3 are 0, 2 log 3 and 2 log 4, not scaled yet. The
    values of the three positions are 2, -1 and 5. The mask is causal: a position attends to itself and to those before.
    """
    # BEGIN SOLUTION 11.1
    return (1 * 2 + 3 * -1) / (1 + 3)
    # END SOLUTION


def block_parameters(hidden_size: int, heads: int, inner: int) -> int:
    """How many numbers does a block learn? It has W_q, W_k, W_v and W_o, and the network of Eq. 2 with `inner` units.

    Each head has D rows in each of W_q, W_k and W_v. W_o is H x H. The network has W_1, b_1, W_2 and b_2.

    block_parameters(2, 1, 3) == 33
    """
    # BEGIN SOLUTION 11.1
    network = 2 * hidden_size * inner + inner + hidden_size
    return 4 * hidden_size**2 + network
    # END SOLUTION


def cache_size(blocks: int, hidden_size: int, words: int) -> int:
    """How many numbers does the cache contain after `words` words of a sentence have been read, <s> among them?

    cache_size(1, 2, 3) == 12
    """
    # BEGIN SOLUTION 11.1
    return 2 * blocks * hidden_size * words
    # END SOLUTION
