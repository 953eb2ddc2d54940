"""The trained model of a run, for the programs that use one."""

from __future__ import annotations

from pathlib import Path

from common.evaluation.perplexity import LanguageModel
from common.text.vocab import Vocabulary
from common.training.runs import read_config, settings_of

from . import storage
from .settings import CHAPTER, Settings


def load_model(folder: Path) -> tuple[LanguageModel, Settings]:
    """The model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    vocab = Vocabulary.load(folder / "vocab.txt")
    model, _ = storage.load_model(folder / "model.npz", vocab.words)
    return model, settings
