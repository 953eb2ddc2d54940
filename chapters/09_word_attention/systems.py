"""The systems that the chapter's programs train: the choices of --system, and what each of them needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from common.memory import READ, TRAINED, Footprint
from common.nn.cells import CELLS
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.recurrent import count_numbers, count_weights
from common.text.vocab import Vocabulary

from .variants import VARIANTS


class System(NamedTuple):
    """Where a model is (a module of this chapter, its class), what it takes, and the flags that no other one reads.

    footprint: a function of the settings and the sizes of both vocabularies.
    """

    module: str
    model: str
    footprint: Callable[[Any, int, int], Footprint]
    flags: tuple[str, ...]


def word_attention_footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What `model.WordAttentionModel` takes, each word of either side, and each pair of them."""
    H, layers, contexts = settings.hidden_size, settings.layers, VARIANTS[settings.variant].sources
    weights, numbers = count_weights(CELLS[settings.cell], H, layers), count_numbers(CELLS[settings.cell], H, layers)
    parameters = source_words * H + words * (H + 1) + 2 * weights + (13 * contexts + layers) * H * H
    source, pair, kept = numbers + 20 * H, contexts * (2 * H + 8), contexts * (2 * H + 2)
    return Footprint(parameters, words + numbers + 30 * H, source, pair, kept, TRAINED.get(settings.optimiser, READ))


def abs_footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What `abs_model.ABS` takes, with the larger of its encoders."""
    H, C, layers = settings.hidden_size, settings.context, settings.layers
    parameters = source_words * H + words * (4 * H + 1) + (2 * C + layers) * H * (H + 1)
    word, source = words + (3 * C + 3 * layers + 8) * H, (2 * settings.smooth + 10) * H
    return Footprint(parameters, word, source, 4, 2 * H + 2, TRAINED.get(settings.optimiser, READ))


def ras_footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What `ras_model.RASElman` takes, or `RASLSTM`, whose cell is the larger one."""
    H, numbers = settings.hidden_size, count_numbers(CELLS["lstm"], settings.hidden_size, 1)
    table = (source_words + settings.positions) * H + words * (3 * H + 1)
    parameters = table + (settings.width + 12) * H * H + 6 * H
    word, source = words + numbers + 14 * H, (2 * settings.width + 10) * H
    return Footprint(parameters, word, source, 5, 2 * H + 2, TRAINED.get(settings.optimiser, READ))


RAS_FLAGS = ("width", "positions", "mean_of")
SYSTEMS = {
    "word-attention": System(
        "model",
        "WordAttentionModel",
        word_attention_footprint,
        ("variant", "query", "output_contexts", "gate_scale", "gate_bias", "cell", "layers"),
    ),
    "abs": System("abs_model", "ABS", abs_footprint, ("encoder", "context", "smooth", "layers")),
    "ras-elman": System("ras_model", "RASElman", ras_footprint, RAS_FLAGS),
    "ras-lstm": System("ras_model", "RASLSTM", ras_footprint, RAS_FLAGS),
}
"""The choices of --system."""


def model_class(system: str) -> type[NeuralModel]:
    """The class of a system's model. Its file is loaded where it is chosen: a run of another system does without it."""
    found = SYSTEMS[system]
    return getattr(importlib.import_module(f".{found.module}", __package__), found.model)


def of_run(folder: Path, settings: Any) -> tuple[Any, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    vocabularies = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = model_class(settings.system).from_settings(settings, *vocabularies)
    return model, DynetParameters(model)
