"""What the flags choose: the systems that the chapter's programs train, and what its own models differ in."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import dynet as dy

from common.nn.parameters import DynetParameters, NeuralModel
from common.text.vocab import Vocabulary


class Variant(NamedTuple):
    """What a step attends to: annotations alone (1 source), or embeddings too (2); whether a gate weighs the two."""

    sources: int
    gated: bool


VARIANTS = {"rnnsearch": Variant(1, False), "word": Variant(2, False), "gates": Variant(2, True)}
"""The choices of --variant."""


class Query(NamedTuple):
    """How the query is made of s_{i-1} and y_{i-1}, each (H,) x B: (vectors*H,) x B."""

    vectors: int
    make: Callable[[dy.Expression, dy.Expression], dy.Expression]


QUERIES = {
    "word": Query(2, lambda state, word: dy.concatenate([state, word])),
    "state": Query(1, lambda state, word: state),
}
"""The choices of --query."""

OUTPUT_CONTEXTS: dict[str, Callable[[list[dy.Expression], list[dy.Expression]], list[dy.Expression]]] = {
    "gated": lambda plain, gated: gated,
    "plain": lambda plain, gated: plain,
}
"""The choices of --output-contexts: what the output layer reads, of the plain contexts and those behind the gate."""

ENCODERS = {"attention": "AttentionBased", "bag-of-words": "BagOfWords"}
"""The choices of --encoder, how ABS reads a source: classes of `abs_encoders`."""
MEANS = {"places": True, "words": False}
"""The choices of --mean-of: whether RAS takes the mean of x_j + l_j, or that of x_j."""


class System(NamedTuple):
    """Where a model is (a module of this chapter, its class), and the flags that no other one reads."""

    module: str
    model: str
    flags: tuple[str, ...]


RAS_FLAGS = ("width", "positions", "mean_of")
OWN_FLAGS = ("variant", "query", "output_contexts", "gate_scale", "gate_bias", "cell", "layers")
SYSTEMS = {
    "word-attention": System("model", "WordAttentionModel", OWN_FLAGS),
    "abs": System("abs_model", "ABS", ("encoder", "context", "smooth", "layers")),
    "ras-elman": System("ras_model", "RASElman", RAS_FLAGS),
    "ras-lstm": System("ras_model", "RASLSTM", RAS_FLAGS),
}
"""The choices of --system."""


def module_of(system: str) -> ModuleType:
    """The module of a system. It is loaded where it is chosen: a run of another system does without it."""
    return importlib.import_module(f".{SYSTEMS[system].module}", __package__)


def model_class(system: str) -> type[NeuralModel]:
    """The class of a system's model."""
    return getattr(module_of(system), SYSTEMS[system].model)


def of_run(folder: Path, settings: Any) -> tuple[Any, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    vocabularies = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = model_class(settings.system).from_settings(settings, *vocabularies)
    return model, DynetParameters(model)
