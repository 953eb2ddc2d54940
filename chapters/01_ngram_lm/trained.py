"""The trained model of a run, for the programs that use one."""

from __future__ import annotations

from pathlib import Path

import storage
from common.evaluation import LanguageModel
from common.runs import read_config, settings_of
from common.vocab import Vocabulary
from settings import CHAPTER, Settings


def load_model(folder: Path) -> tuple[LanguageModel, Settings]:
    """The model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    vocab = Vocabulary.load(folder / "vocab.txt")
    model, _ = storage.load_model(folder / "model.npz", vocab.words)
    return model, settings
