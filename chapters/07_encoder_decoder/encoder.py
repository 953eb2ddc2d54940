"""The encoders that there are to choose from but for the default: only a model that has one of them loads this file."""

from __future__ import annotations

from typing import Any

import dynet as dy

from common.text.vocab import Vocabulary

from .settings import COMPOSITIONS, POOLINGS, TREES


def make_encoder(collection: dy.ParameterCollection, settings: Any) -> Any:
    """The one that --encoder names."""
    sizes = settings.cell, settings.hidden_size, settings.layers, settings.init_scale
    if settings.encoder == "bidirectional":
        from common.nn.bidirectional import BidirectionalEncoder

        return BidirectionalEncoder(collection, *sizes)
    if settings.encoder == "cnn":
        from . import convolution

        pooling = getattr(convolution, POOLINGS[settings.pooling])
        return convolution.ConvolutionalEncoder(collection, *sizes, pooling, settings.width, settings.kmax)
    from . import tree_encoders

    choices = COMPOSITIONS[settings.encoder], TREES[settings.trees]
    return tree_encoders.TreeEncoder(collection, *sizes, *(getattr(tree_encoders, name) for name in choices))


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
