"""Two scores of attention to a source (Neubig 2017, section 8.4) that compute nothing but products: --score chooses.

Letters in the shapes: S source words, H size of an annotation, Q size of a query, B sentences in the batch.
"""

from __future__ import annotations

import dynet as dy

from common.nn.softmax import as_columns


class DotScore:
    """score(h_j, h_t) = h_j . h_t (Neubig 2017, Eq. 77), of all words at once (Eq. 78). H and Q must be equal."""

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        return dy.transpose(annotations)

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        return keys * as_columns(query)


class BilinearScore:
    """score(h_j, h_t) = h_j^T W_a h_t (Neubig 2017, Eq. 79), with W_a (H, Q)."""

    def __init__(self, collection: dy.ParameterCollection, state_size: int, query_size: int, init_scale: float):
        uniform = dy.UniformInitializer(init_scale)
        self.W_a = collection.add_parameters((state_size, query_size), init=uniform)

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        return dy.transpose(dy.transpose(self.W_a) * annotations)  # a parameter on the right is a fault on GPUs

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        return keys * as_columns(query)
