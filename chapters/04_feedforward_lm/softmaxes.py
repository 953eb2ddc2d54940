"""The output layer that the settings of a model ask for."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np

from .class_softmax import ClassSoftmax, word_classes
from .full_softmax import FullSoftmax, Softmax
from .hierarchical_softmax import HierarchicalSoftmax
from .sampled_softmax import NCESoftmax, Proposal, SampledSoftmax
from .settings import Settings

Embedding = dy.Parameters | dy.LookupParameters


def make_embedding(collection: dy.ParameterCollection, shape: tuple[int, int], settings: Settings) -> Embedding:
    """The embeddings of the words, (V, size).

    A lookup table, of which the optimiser visits only the rows that a batch has used. Only where the full softmax
    uses the same numbers as its matrix, and hence all of them in every batch, they are an ordinary matrix.
    """
    init = dy.UniformInitializer(settings.init_scale)
    if settings.tied and settings.softmax == "full":
        return collection.add_parameters(shape, init=init)
    return collection.add_lookup_parameters(shape, init=init)


def make_softmax(
    collection: dy.ParameterCollection, size: int, unigram: np.ndarray, settings: Settings, tied: Embedding | None
) -> Softmax:
    """The output layer `settings.softmax` for hidden vectors of `size`.

    unigram: log P(word) from counting, (V,), which the cheaper softmaxes are built on. tied: the embeddings to share.
    """
    V, init = len(unigram), dy.UniformInitializer(settings.init_scale)
    start = unigram if settings.bias == "unigram" else np.full(V, -math.log(V))
    if settings.softmax == "hierarchical":
        return HierarchicalSoftmax(collection, size, unigram, start, init)
    if settings.softmax == "class":
        members = word_classes(unigram, settings.classes or round(math.sqrt(V)), settings.classes_by)
        return ClassSoftmax(collection, size, members, start, init)
    if settings.softmax == "full":
        return FullSoftmax(collection, tied or collection.add_parameters((V, size), init=init), start)
    W, proposal = tied or collection.add_lookup_parameters((V, size), init=init), Proposal(unigram, settings.samples)
    if settings.softmax == "sampled":
        return SampledSoftmax(collection, W, start, proposal)
    return NCESoftmax(collection, W, start, proposal, settings.normaliser == "learnt")
