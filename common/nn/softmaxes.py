"""The output layers that score few words in training; this file is loaded where one of them is chosen.

Their functions have the names that `softmax.CHEAPER` gives the choices of --softmax.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn import class_softmax
from common.nn.full_softmax import STARTS, Softmax
from common.nn.hierarchical_softmax import HierarchicalSoftmax
from common.nn.sampled_softmax import NCESoftmax, Proposal, SampledSoftmax
from common.nn.softmax import CLASSES_BY, NORMALISERS

Embedding = dy.Parameters | dy.LookupParameters


class Output(NamedTuple):
    """What an output layer is made from.

    size: of the hidden vectors. unigram: log P(word) from counting, (V,), which the cheaper softmaxes are built on.
    tied: the embeddings to share, or None.
    """

    collection: dy.ParameterCollection
    size: int
    unigram: np.ndarray
    settings: Any
    tied: Embedding | None

    @property
    def init(self) -> dy.UniformInitializer:
        return dy.UniformInitializer(self.settings.init_scale)

    @property
    def start(self) -> np.ndarray:
        return STARTS[self.settings.bias](self.unigram)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.unigram), self.size

    @property
    def rows(self) -> Embedding:
        """A row of weights per word, of which a batch uses few."""
        return self.tied or self.collection.add_lookup_parameters(self.shape, init=self.init)


def by_class(one: Output) -> Softmax:
    number = one.settings.classes or round(math.sqrt(len(one.unigram)))
    divide = getattr(class_softmax, CLASSES_BY[one.settings.classes_by])
    members = class_softmax.word_classes(one.unigram, number, divide)
    return class_softmax.ClassSoftmax(one.collection, one.size, members, one.start, one.init)


def hierarchical(one: Output) -> Softmax:
    return HierarchicalSoftmax(one.collection, one.size, one.unigram, one.start, one.init)


def sampled(one: Output) -> Softmax:
    return SampledSoftmax(one.collection, one.rows, one.start, Proposal(one.unigram, one.settings.samples))


def nce(one: Output) -> Softmax:
    proposal, learnt = Proposal(one.unigram, one.settings.samples), NORMALISERS[one.settings.normaliser]
    return NCESoftmax(one.collection, one.rows, one.start, proposal, learnt)
