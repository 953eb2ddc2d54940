"""The encoders and the trees that there are to choose from, by the names of --encoder and --trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dynet as dy

from common.nn.encoders import BidirectionalEncoder, Encoder, LinearEncoder
from common.text.pairs import ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary

from .convolution import ConvolutionalEncoder
from .tree_encoders import COMPOSITIONS, TreeEncoder
from .trees import Treebank


def forward(collection: dy.ParameterCollection, settings: Any, trees: Treebank | None) -> Encoder:
    return LinearEncoder(collection, *sizes(settings))


def reverse(collection: dy.ParameterCollection, settings: Any, trees: Treebank | None) -> Encoder:
    return LinearEncoder(collection, *sizes(settings), backward=True)


def bidirectional(collection: dy.ParameterCollection, settings: Any, trees: Treebank | None) -> Encoder:
    return BidirectionalEncoder(collection, *sizes(settings))


def cnn(collection: dy.ParameterCollection, settings: Any, trees: Treebank | None) -> Encoder:
    return ConvolutionalEncoder(collection, *sizes(settings), settings.pooling, settings.width, settings.kmax)


def tree(collection: dy.ParameterCollection, settings: Any, trees: Treebank | None) -> Encoder:
    return TreeEncoder(collection, *sizes(settings), settings.encoder, trees)


def sizes(settings: Any) -> tuple[str, int, int, float]:
    """What every encoder is made of."""
    return settings.cell, settings.hidden_size, settings.layers, settings.init_scale


ENCODERS: dict[str, Callable[[dy.ParameterCollection, Any, Treebank | None], Encoder]] = {
    "forward": forward,
    "reverse": reverse,
    "bidirectional": bidirectional,
    "cnn": cnn,
    **dict.fromkeys(COMPOSITIONS, tree),
}
"""The choices of --encoder: each is made from the settings and the trees that it follows, if it is one that does."""

TREEBANKS: dict[str, Callable[[Any, Vocabulary, ParallelCorpus | None], Treebank]] = {
    "corpus": lambda settings, vocab, corpus: Treebank.from_corpus(corpus or load_pairs(settings.corpus), vocab),
    "balanced": lambda settings, vocab, corpus: Treebank(),
}
"""The choices of --trees."""


def describe(settings: Any) -> str:
    """The encoder in words, for the name of a model."""
    if settings.encoder == "cnn":
        return f"cnn of {settings.width} words, {settings.pooling}"
    return settings.encoder


def make_treebank(settings: Any, vocab: Vocabulary, corpus: ParallelCorpus | None = None) -> Treebank | None:
    """The trees that the encoder follows, if it is one that does.

    corpus: what `settings.corpus` names, where it has been read already. Raises `UserError` where its trees are bad.
    """
    return TREEBANKS[settings.trees](settings, vocab, corpus) if settings.encoder in COMPOSITIONS else None
