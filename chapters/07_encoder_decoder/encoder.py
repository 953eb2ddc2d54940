"""The encoders that there are to choose from, by the names of --encoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dynet as dy

from common.nn.encoders import LinearEncoder
from common.text.vocab import Vocabulary

POOLINGS = {"average": "average", "max": "maximum", "kmax": "k_max"}
"""The choices of --pooling: functions of `convolution`."""

COMPOSITIONS = {"recursive": "RecursiveNetwork", "treelstm": "TreeLSTM"}
"""The choices of --encoder that follow trees: classes of `tree_encoders`."""

TREES = {"corpus": "drawn_trees", "balanced": "balanced_trees"}
"""The choices of --trees, the trees that are followed: functions of `tree_encoders`."""


def one_direction(collection: dy.ParameterCollection, settings: Any) -> Any:
    return LinearEncoder(collection, *sizes(settings), backward=settings.encoder == "reverse")


def bidirectional(collection: dy.ParameterCollection, settings: Any) -> Any:
    from common.nn.bidirectional import BidirectionalEncoder

    return BidirectionalEncoder(collection, *sizes(settings))


def cnn(collection: dy.ParameterCollection, settings: Any) -> Any:
    from . import convolution

    pooling = getattr(convolution, POOLINGS[settings.pooling])
    return convolution.ConvolutionalEncoder(collection, *sizes(settings), pooling, settings.width, settings.kmax)


def tree(collection: dy.ParameterCollection, settings: Any) -> Any:
    from . import tree_encoders

    composition, trees = COMPOSITIONS[settings.encoder], TREES[settings.trees]
    choices = getattr(tree_encoders, composition), getattr(tree_encoders, trees)
    return tree_encoders.TreeEncoder(collection, *sizes(settings), *choices)


def sizes(settings: Any) -> tuple[str, int, int, float]:
    """What every encoder is made of."""
    return settings.cell, settings.hidden_size, settings.layers, settings.init_scale


ENCODERS: dict[str, Callable[[dy.ParameterCollection, Any], Any]] = {
    "forward": one_direction,
    "reverse": one_direction,
    "bidirectional": bidirectional,
    "cnn": cnn,
    **dict.fromkeys(COMPOSITIONS, tree),
}
"""The choices of --encoder: each is made from the settings."""


def describe(settings: Any) -> str:
    """The encoder in words, for the name of a model."""
    if settings.encoder == "cnn":
        return f"cnn of {settings.width} word{'s' * (settings.width > 1)}, {settings.pooling}"
    return settings.encoder


def source_vocabulary(settings: Any, vocab: Vocabulary) -> Vocabulary:
    """The source vocabulary; where the encoder follows drawn trees, one that gives them to it with the words' ids."""
    if settings.encoder not in COMPOSITIONS or settings.trees != "corpus":
        return vocab
    from common.text.trees import TreeVocabulary

    return TreeVocabulary(vocab)
