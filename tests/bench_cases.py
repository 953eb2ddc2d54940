"""Small models of every benchmark, their weights large enough for every one of them to matter, and ragged batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from common.text.batching import Batch, make_batch
from common.text.pairs import PairBatch, make_pair_batches
from common.text.vocab import Vocabulary
from tools.bench.__main__ import BENCHMARKS
from tools.bench.sides import DyNetSide
from tools.bench.translation_models import TranslationSide

WORDS = 13
PAIR_SIZE, SENTENCE_SIZE = 6, 12
"""Hidden units of the translation models, and of the language models."""


class Case(NamedTuple):
    """A benchmark and the shape of its model, in the order of the arguments of the PyTorch reference model."""

    benchmark: str
    shape: dict[str, Any]

    @property
    def side(self) -> type[DyNetSide]:
        return BENCHMARKS[self.benchmark]

    @property
    def of_pairs(self) -> bool:
        return issubclass(self.side, TranslationSide)

    def __str__(self) -> str:
        return "-".join([self.benchmark, *map(str, self.shape.values())])


CASES = [
    *(Case("feedforward_lm", {"layers": layers, "order": order}) for layers, order in ((1, 2), (1, 5), (2, 3))),
    *(Case("rnn_lm", {"layers": layers}) for layers in (1, 2)),
    *(Case("transformer", {"layers": layers, "heads": heads, "inner_size": 2}) for layers, heads in ((1, 3), (2, 4))),
    *(Case("attentive_lm", {"layers": 2, "score": score}) for score in ("single", "combined", "none")),
    *(Case(name, {"layers": layers}) for name in ("encoder_decoder", "attention") for layers in (1, 2)),
    *(
        Case("word_attention", {"layers": layers, "variant": variant})
        for variant in ("rnnsearch", "word", "gates")
        for layers in (1, 2)
    ),
]


def make_model(case: Case, dropout: float = 0.0) -> Any:
    """A chapter's model."""
    vocabularies = [Vocabulary(f"{side}{number}" for number in range(2, WORDS)) for side in "fe"]
    shape = {**case.shape, "hidden_size": PAIR_SIZE if case.of_pairs else SENTENCE_SIZE, "dropout": dropout}
    shape["init_scale"] = 1.0 if case.of_pairs else 0.7
    model_class = getattr(case.side.part_of_chapter("model"), case.side.model_class)
    if case.benchmark in ("rnn_lm", "attentive_lm", "transformer"):
        return model_class(vocabularies[0], **{**case.side.arguments, **shape})
    settings = case.side.part_of_chapter("settings").Settings(**shape)
    if case.benchmark == "feedforward_lm":
        return model_class.from_settings(
            settings, vocabularies[0], np.log(np.random.default_rng(2).dirichlet(np.ones(WORDS)))
        )
    return model_class.from_settings(settings, *vocabularies)


def make_sides(case: Case, learning_rate: float = 1.0, clip: float = 1e9, dropout: float = 0.0) -> tuple[Any, Any]:
    """The model and its reference model in PyTorch. Skips the test where PyTorch is not installed."""
    pytest.importorskip("torch")
    from tools.bench.reference import TorchSide

    ours = case.side(make_model(case, dropout), learning_rate, clip)
    parameters = ours.parameters()
    reference_class = case.side.reference_class()
    if case.of_pairs:
        model = reference_class.like(parameters, case.shape["layers"], dropout)
    else:
        model = reference_class(WORDS, SENTENCE_SIZE, *case.shape.values(), dropout)
    return ours, TorchSide(model, parameters, learning_rate, clip)


def ragged_batch() -> Batch:
    """Five sentences of 1 to 7 words, so that there is padding."""
    rng = np.random.default_rng(3)
    return make_batch([rng.integers(1, WORDS, size=length).tolist() for length in (7, 1, 4, 6, 2)], range(5))


def ragged_pairs() -> PairBatch:
    """Five pairs with 1 to 7 source words and 0 to 6 target words, so that either side is padded."""
    return pairs_of((7, 1, 4, 6, 2), (3, 2, 0, 6, 6))


def pairs_of(*lengths: Sequence[int]) -> PairBatch:
    """A batch of pairs with so many source and target words."""
    rng = np.random.default_rng(3)
    sources, targets = ([rng.integers(1, WORDS, size=length).tolist() for length in side] for side in lengths)
    (batch,) = make_pair_batches(sources, targets, len(sources))
    return batch
