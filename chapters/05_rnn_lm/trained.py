"""The trained model of a run, for the programs that use one."""

from __future__ import annotations

from pathlib import Path

from common.checkpoint import load_parameters
from common.nn.parameters import DynetParameters
from common.runs import read_config, settings_of
from common.vocab import Vocabulary
from model import RecurrentLM
from settings import CHAPTER, Settings


def load_model(folder: Path) -> tuple[RecurrentLM, Settings]:
    """The best model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    model, settings = untrained(folder)
    load_parameters(folder / "model.npz", DynetParameters(model.collection), model.name)
    return model, settings


def untrained(folder: Path) -> tuple[RecurrentLM, Settings]:
    """A model as the training in `folder` began with, but for its random numbers, and its settings."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    return RecurrentLM.from_settings(Vocabulary.load(folder / "vocab.txt"), settings), settings
