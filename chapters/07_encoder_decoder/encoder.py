"""The encoders that there are to choose from, by the names of --encoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dynet as dy

from common.nn.encoders import BidirectionalEncoder, Encoder, LinearEncoder
from common.text.trees import TreeVocabulary
from common.text.vocab import Vocabulary

from .convolution import ConvolutionalEncoder
from .tree_encoders import COMPOSITIONS, TreeEncoder


def forward(collection: dy.ParameterCollection, settings: Any) -> Encoder:
    return LinearEncoder(collection, *sizes(settings))


def reverse(collection: dy.ParameterCollection, settings: Any) -> Encoder:
    return LinearEncoder(collection, *sizes(settings), backward=True)


def bidirectional(collection: dy.ParameterCollection, settings: Any) -> Encoder:
    return BidirectionalEncoder(collection, *sizes(settings))


def cnn(collection: dy.ParameterCollection, settings: Any) -> Encoder:
    return ConvolutionalEncoder(collection, *sizes(settings), settings.pooling, settings.width, settings.kmax)


def tree(collection: dy.ParameterCollection, settings: Any) -> Encoder:
    return TreeEncoder(collection, *sizes(settings), settings.encoder, settings.trees)


def sizes(settings: Any) -> tuple[str, int, int, float]:
    """What every encoder is made of."""
    return settings.cell, settings.hidden_size, settings.layers, settings.init_scale


ENCODERS: dict[str, Callable[[dy.ParameterCollection, Any], Encoder]] = {
    "forward": forward,
    "reverse": reverse,
    "bidirectional": bidirectional,
    "cnn": cnn,
    **dict.fromkeys(COMPOSITIONS, tree),
}
"""The choices of --encoder: each is made from the settings."""


def describe(settings: Any) -> str:
    """The encoder in words, for the name of a model."""
    if settings.encoder == "cnn":
        return f"cnn of {settings.width} words, {settings.pooling}"
    return settings.encoder


def source_vocabulary(settings: Any, vocab: Vocabulary) -> Vocabulary:
    """The source vocabulary; where the encoder follows drawn trees, one that gives them to it with the words' ids."""
    return TreeVocabulary(vocab) if settings.encoder in COMPOSITIONS and settings.trees == "corpus" else vocab
