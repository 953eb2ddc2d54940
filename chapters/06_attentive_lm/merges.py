"""How a state and its context become the vector that predicts: Eq. 7, and what the paper's footnote 3 mentions.

The footnote names a dot product, a feed-forward layer and the context alone, whose results it does not report because
they were poor. A dot product is one number, from which no word can be predicted; here it is read as the product number
by number. The feed-forward layer is read as a hidden layer between the concatenation and h'.

Letters in the shapes: P size of what predicts, the state or a part of it; C size of the context; H of h'; N columns.
"""

from __future__ import annotations

import dynet as dy

from common.nn.attention import COMBINE_STARTS

from .settings import Settings


class Concatenation:
    """h' = tanh(W_c [h; c] + b_c) (Salton et al. 2017, Eq. 7): W_c (H, P + C), b_c (H,)."""

    def __init__(self, collection: dy.ParameterCollection, predict: int, context: int, settings: Settings):
        self.predict, self.read = predict, self.size_read(predict, context)
        start, H = COMBINE_STARTS[settings.merge_init], settings.hidden_size
        self.W_c = collection.add_parameters((H, self.read), init=start((H, self.read), settings.init_scale))
        self.b_c = collection.add_parameters(H, init=0)

    def size_read(self, predict: int, context: int) -> int:
        """Of what W_c is multiplied with."""
        return predict + context

    def __call__(self, merged: dy.Expression) -> dy.Expression:
        """h': [h; c] (P + C, N) x B -> (H, N) x B."""
        return dy.tanh(dy.colwise_add(self.W_c * self.joined(merged), self.b_c))

    def joined(self, merged: dy.Expression) -> dy.Expression:
        """What W_c is multiplied with: (P + C, N) x B -> (size_read, N) x B."""
        return merged


class FeedForward(Concatenation):
    """h' = tanh(W_c tanh(W_1 [h; c] + b_1) + b_c): W_1 (P + C, P + C), which starts as --merge-init says."""

    def __init__(self, collection: dy.ParameterCollection, predict: int, context: int, settings: Settings):
        super().__init__(collection, predict, context, settings)
        shape = (self.read, self.read)
        start = COMBINE_STARTS[settings.merge_init]
        self.W_1 = collection.add_parameters(shape, init=start(shape, settings.init_scale))
        self.b_1 = collection.add_parameters(self.read, init=0)

    def joined(self, merged: dy.Expression) -> dy.Expression:
        return dy.tanh(dy.colwise_add(self.W_1 * merged, self.b_1))


class Product(Concatenation):
    """h' = tanh(W_c (h * c) + b_c), number by number, where both have the same size: W_c (H, P)."""

    def size_read(self, predict: int, context: int) -> int:
        return predict

    def joined(self, merged: dy.Expression) -> dy.Expression:
        (size, _), _ = merged.dim()
        return dy.cmult(dy.pick_range(merged, 0, self.predict), dy.pick_range(merged, self.predict, size))


class Context(Concatenation):
    """h' = tanh(W_c c + b_c): the context alone, W_c (H, C)."""

    def size_read(self, predict: int, context: int) -> int:
        return context

    def joined(self, merged: dy.Expression) -> dy.Expression:
        (size, _), _ = merged.dim()
        return dy.pick_range(merged, self.predict, size)
