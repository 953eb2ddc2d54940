"""The output layers that score few words in training; this file is loaded where one of them is chosen.

Their functions have the names that `softmax.CHEAPER` gives the choices of --softmax.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import dynet as dy
import numpy as np

from common.nn import class_softmax
from common.nn.full_softmax import CLASSES_BY, NORMALISERS, STARTS, Softmax
from common.nn.hierarchical_softmax import HierarchicalSoftmax
from common.nn.sampled_softmax import NCESoftmax, Proposal, SampledSoftmax

Embedding: TypeAlias = dy.Parameters | dy.LookupParameters


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


def by_class(output: Output) -> Softmax:
    number = output.settings.classes or round(math.sqrt(len(output.unigram)))
    divide = getattr(class_softmax, CLASSES_BY[output.settings.classes_by])
    members = class_softmax.word_classes(output.unigram, number, divide)
    return class_softmax.ClassSoftmax(output.collection, output.size, members, output.start, output.init)


def hierarchical(output: Output) -> Softmax:
    return HierarchicalSoftmax(output.collection, output.size, output.unigram, output.start, output.init)


def sampled(output: Output) -> Softmax:
    return SampledSoftmax(
        output.collection, output.rows, output.start, Proposal(output.unigram, output.settings.samples)
    )


def nce(output: Output) -> Softmax:
    proposal, learnt = Proposal(output.unigram, output.settings.samples), NORMALISERS[output.settings.normaliser]
    return NCESoftmax(output.collection, output.rows, output.start, proposal, learnt)
