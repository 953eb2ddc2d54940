"""The embeddings and the output layer that --softmax chooses: the full softmax, or a cheaper one, loaded only then."""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.full_softmax import STARTS, FullSoftmax, Softmax
from common.nn.parameters import Parameter

from .settings import SOFTMAXES, Settings


def make_embedding(collection: dy.ParameterCollection, shape: tuple[int, int], settings: Settings) -> Parameter:
    """The embeddings of the words, (V, size).

    A lookup table, of which the optimiser visits only the rows that a batch has used. Only where the full softmax
    uses the same numbers as its matrix, and hence all of them in every batch, they are an ordinary matrix.
    """
    init = dy.UniformInitializer(settings.init_scale)
    if settings.tied and settings.softmax == "full":
        return collection.add_parameters(shape, init=init)
    return collection.add_lookup_parameters(shape, init=init)


def make_softmax(
    collection: dy.ParameterCollection, size: int, unigram: np.ndarray, settings: Settings, tied: Parameter | None
) -> Softmax:
    """The output layer for hidden vectors of `size`.

    unigram: log P(word) from counting, (V,), which the cheaper softmaxes are built on. tied: the embeddings to share.
    """
    kind = SOFTMAXES[settings.softmax]
    if kind != "full":
        from common.nn import softmaxes

        return getattr(softmaxes, kind)(softmaxes.Output(collection, size, unigram, settings, tied))
    init = dy.UniformInitializer(settings.init_scale)
    W = tied or collection.add_parameters((len(unigram), size), init=init)
    return FullSoftmax(collection, W, STARTS[settings.bias](unigram))
