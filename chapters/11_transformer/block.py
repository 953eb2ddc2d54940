"""A block of a Transformer: attention among the positions of a sentence, then a network at each position
(Vaswani et al. 2017, sections 3.1 to 3.3).

Letters in the shapes: H hidden size, D = H / heads, T positions that are read, S positions that they may attend to,
B sentences in the batch, N any number of vectors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import drop
from common.nn.softmax import FORBIDDEN, fold_time, unfold_time

from .positions import POSITIONS

EPSILON = 1e-5
"""Added to a variance, so that a vector of equal numbers is not divided by 0."""


class Past(NamedTuple):
    """The keys and values of the positions that a block has read, each (H, S) x B: the cache of generation."""

    keys: dy.Expression
    values: dy.Expression


class Attention:
    """Attention with heads, each with queries, keys and values of its own (Vaswani et al. 2017, section 3.2.2).

    The matrices of all heads are stacked: the rows h D to (h + 1) D of W_q, W_k and W_v belong to head h.
    """

    def __init__(self, collection: dy.ParameterCollection, settings: Any):
        size, uniform = settings.hidden_size, dy.UniformInitializer(settings.init_scale)
        self.heads, self.head_size = settings.heads, size // settings.heads
        _, self.rotate = POSITIONS[settings.positions]
        self.W_q, self.W_k, self.W_v, self.W_o = (
            collection.add_parameters((size, size), init=uniform) for _ in range(4)
        )

    def __call__(self, x: dy.Expression, past: Past | None, mask: dy.Expression | None) -> tuple[dy.Expression, Past]:
        """What each position receives from those that it attends to, (H, T) x B, and the past of later positions.

        x: (H, T) x B. past: of the positions before x. mask: (S, T), see `causal_mask`; None where x is the last word.
        """
        queries, past = self.read(x, past)
        return self.mix(self.weights(queries, past.keys, mask), past.values), past

    def read(self, x: dy.Expression, past: Past | None) -> tuple[dy.Expression, Past]:
        """The queries of x, (H, T) x B, and all keys and values so far."""
        queries, keys, values = self.W_q * x, self.W_k * x, self.W_v * x
        if self.rotate:
            first = past.keys.dim()[0][1] if past else 0
            queries, keys = self.rotate(queries, self.heads, first), self.rotate(keys, self.heads, first)
        if past:
            keys, values = dy.concatenate_cols([past.keys, keys]), dy.concatenate_cols([past.values, values])
        return queries, Past(keys, values)

    def weights(self, queries: dy.Expression, keys: dy.Expression, mask: dy.Expression | None) -> list[dy.Expression]:
        """softmax(K Q / sqrt(D)) of each head, a column for each query: (S, T) x B (Vaswani et al. 2017, Eq. 1)."""
        weights = []
        for head in range(self.heads):
            scores = dy.transpose(self.rows(keys, head)) * self.rows(queries, head) * self.head_size**-0.5
            weights.append(dy.softmax(scores if mask is None else scores + mask))
        return weights

    def mix(self, weights: list[dy.Expression], values: dy.Expression) -> dy.Expression:
        """The mean of the values by each head, stacked, times W_o: values (H, S) x B -> (H, T) x B."""
        return self.W_o * dy.concatenate([self.rows(values, head) * weights[head] for head in range(self.heads)])

    def rows(self, x: dy.Expression, head: int) -> dy.Expression:
        """The rows of a head: (H, T) x B -> (D, T) x B."""
        return dy.pick_range(x, head * self.head_size, (head + 1) * self.head_size)


class Block:
    """Attention, then a network at each position. A sum goes around each of the two (a residual connection).

    Layer normalisation comes before each of them, after each sum, or nowhere: see `NORMS`.
    """

    def __init__(self, collection: dy.ParameterCollection, settings: Any):
        size, inner = settings.hidden_size, settings.inner_size * settings.hidden_size
        uniform = dy.UniformInitializer(settings.init_scale)
        self.before, self.after = NORMS[settings.norm]
        self.attention = Attention(collection, settings)
        self.W_1 = collection.add_parameters((inner, size), init=uniform)
        self.b_1 = collection.add_parameters(inner, init=0)
        self.W_2 = collection.add_parameters((size, inner), init=uniform)
        self.b_2 = collection.add_parameters(size, init=0)

    def __call__(
        self, x: dy.Expression, time: int, past: Past | None, mask: dy.Expression | None, dropout: float = 0
    ) -> tuple[dy.Expression, Past]:
        """(H,) x T*B -> (H,) x T*B, and the past of later positions; see `Attention`."""
        attended, past = self.attention(unfold_time(self.before(x), time), past, mask)
        x = self.after(x + drop(fold_time(attended), dropout))
        return self.after(x + drop(self.network(self.before(x)), dropout)), past

    def network(self, x: dy.Expression) -> dy.Expression:
        """W_2 max(0, W_1 x + b_1) + b_2 at each position: (H,) x N -> (H,) x N (Vaswani et al. 2017, Eq. 2)."""
        inner = dy.rectify(dy.affine_transform([self.b_1, self.W_1, x]))
        return dy.affine_transform([self.b_2, self.W_2, inner])


def layer_norm(x: dy.Expression) -> dy.Expression:
    """Each vector is shifted and scaled to mean 0 and variance 1 (Ba et al. 2016): (H,) x N -> (H,) x N.

    Without a learnt scale and shift: the matrix that follows can learn the scale. The sums over the numbers of a vector
    are products with a row, since DyNet's own functions for them take ten times as long.
    """
    (size,), _ = x.dim()
    average, column = dy.inputTensor(np.full((1, size), 1 / size)), dy.ones((size, 1))
    centred = x - column * (average * x)
    variance = average * dy.square(centred)
    return dy.cmult(centred, column * dy.pow(variance + EPSILON, dy.scalarInput(-0.5)))


def unchanged(x: dy.Expression) -> dy.Expression:
    return x


NORMS = {"pre": (layer_norm, unchanged), "post": (unchanged, layer_norm), "none": (unchanged, unchanged)}
"""The choices of --norm: what comes before each part of a block, and what after the sum around it. "post" is the order
of the paper; with "pre" the sums lead from the last block to the embeddings without a norm between."""


def causal_mask(time: int) -> dy.Expression:
    """0 where a position, a column, may attend: to itself and to those before it; `FORBIDDEN` elsewhere. (T, T)."""
    return dy.inputTensor(np.tril(np.full((time, time), FORBIDDEN), k=-1))
