"""The output layer that the settings of a model select. Each of the cheaper ones is loaded where it is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.full_softmax import FullSoftmax, Softmax
from common.nn.softmax import CLASSES_BY

Embedding = dy.Parameters | dy.LookupParameters


def make_embedding(collection: dy.ParameterCollection, shape: tuple[int, int], settings: Any) -> Embedding:
    """The embeddings of the words, (V, size).

    A lookup table, of which the optimiser visits only the rows that a batch has used. Only where the full softmax
    uses the same numbers as its matrix, and hence all of them in every batch, they are an ordinary matrix.
    """
    init = dy.UniformInitializer(settings.init_scale)
    if settings.tied and settings.softmax == "full":
        return collection.add_parameters(shape, init=init)
    return collection.add_lookup_parameters(shape, init=init)


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


def full(one: Output) -> Softmax:
    W = one.tied or one.collection.add_parameters(one.shape, init=one.init)
    return FullSoftmax(one.collection, W, one.start)


def by_class(one: Output) -> Softmax:
    from common.nn import class_softmax

    number = one.settings.classes or round(math.sqrt(len(one.unigram)))
    divide = getattr(class_softmax, CLASSES_BY[one.settings.classes_by])
    members = class_softmax.word_classes(one.unigram, number, divide)
    return class_softmax.ClassSoftmax(one.collection, one.size, members, one.start, one.init)


def hierarchical(one: Output) -> Softmax:
    from common.nn.hierarchical_softmax import HierarchicalSoftmax

    return HierarchicalSoftmax(one.collection, one.size, one.unigram, one.start, one.init)


def sampled(one: Output) -> Softmax:
    from common.nn.sampled_softmax import Proposal, SampledSoftmax

    return SampledSoftmax(one.collection, one.rows, one.start, Proposal(one.unigram, one.settings.samples))


def nce(one: Output) -> Softmax:
    from common.nn.sampled_softmax import NCESoftmax, Proposal

    proposal, learnt = Proposal(one.unigram, one.settings.samples), NORMALISERS[one.settings.normaliser]
    return NCESoftmax(one.collection, one.rows, one.start, proposal, learnt)


STARTS = {"unigram": lambda unigram: unigram, "zero": lambda unigram: np.full(len(unigram), -math.log(len(unigram)))}
"""What --bias says of the bias, which starts from a distribution of the words here."""

NORMALISERS = {"one": False, "learnt": True}
"""The choices of --normaliser: whether Z is learnt."""

SOFTMAXES: dict[str, Callable[[Output], Softmax]] = {
    "full": full,
    "class": by_class,
    "hierarchical": hierarchical,
    "sampled": sampled,
    "nce": nce,
}
"""The choices of --softmax in chapter 4. Those behind the first (`softmax.CHEAPER`) are choices of 5 and 6, too."""


def make_softmax(
    collection: dy.ParameterCollection, size: int, unigram: np.ndarray, settings: Any, tied: Embedding | None
) -> Softmax:
    """The output layer `settings.softmax` for hidden vectors of `size`; the arguments are those of `Output`."""
    return SOFTMAXES[settings.softmax](Output(collection, size, unigram, settings, tied))
