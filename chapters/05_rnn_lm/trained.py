"""The model of a run: as its settings describe it, and as its training left it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common.nn.parameters import DynetParameters
from common.text.vocab import Vocabulary
from common.training.checkpoint import load_parameters
from common.training.runs import read_config, settings_of

from .model import RecurrentLM
from .pointer import PointerLM
from .settings import CHAPTER, Settings


def make_model(vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None = None) -> RecurrentLM:
    """The model that the settings of a run describe, before training."""
    model_class = PointerLM if settings.pointer else RecurrentLM
    return model_class.from_settings(vocab, settings, log_frequencies)


def load_model(folder: Path) -> tuple[RecurrentLM, Settings]:
    """The best model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    model, settings = untrained(folder)
    load_parameters(folder / "model.npz", DynetParameters(model), model.name)
    return model, settings


def untrained(folder: Path) -> tuple[RecurrentLM, Settings]:
    """A model as the training in `folder` began with, but for its random numbers, and its settings."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    return make_model(Vocabulary.load(folder / "vocab.txt"), settings), settings
