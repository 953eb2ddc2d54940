"""The encoder that a run's settings ask for."""

from __future__ import annotations

import dynet as dy

from common.nn.encoders import BidirectionalEncoder, Encoder, LinearEncoder
from common.text.pairs import ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary

from .convolution import ConvolutionalEncoder
from .settings import TREES, Settings
from .tree_encoders import TreeEncoder
from .trees import Treebank


def make_encoder(collection: dy.ParameterCollection, settings: Settings, trees: Treebank | None) -> tuple[Encoder, str]:
    """The encoder of `settings.encoder`, and what to call it. trees: what it reads if it is one that follows trees."""
    kind, sizes = settings.encoder, (settings.cell, settings.hidden_size, settings.layers, settings.init_scale)
    if kind == "bidirectional":
        return BidirectionalEncoder(collection, *sizes), kind
    if kind == "cnn":
        shape = (settings.pooling, settings.width, settings.kept)
        return ConvolutionalEncoder(collection, *sizes, *shape), f"cnn of {settings.width} words, {settings.pooling}"
    if kind in TREES:
        return TreeEncoder(collection, *sizes, kind, trees), kind
    return LinearEncoder(collection, *sizes, backward=kind == "reverse"), kind


def make_treebank(settings: Settings, vocab: Vocabulary, corpus: ParallelCorpus | None = None) -> Treebank | None:
    """The trees that the encoder follows, if it is one that does.

    corpus: what `settings.corpus` names, where it has been read already. Raises `UserError` where its trees are bad.
    """
    if settings.encoder not in TREES:
        return None
    if settings.trees == "balanced":
        return Treebank()
    return Treebank.from_corpus(corpus or load_pairs(settings.corpus), vocab)
