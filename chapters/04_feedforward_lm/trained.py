"""The trained model of a run, for the programs that use one, and the unigram distribution that it was built on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common.errors import UserError
from common.files import atomic_write
from common.nn.parameters import DynetParameters
from common.text.vocab import Vocabulary
from common.training.checkpoint import load_parameters
from common.training.runs import read_config, settings_of

from .model import FeedForwardLM
from .settings import CHAPTER, Settings

UNIGRAM = "unigram.txt"


def save_unigram(folder: Path, unigram: np.ndarray) -> None:
    """Write log P(word) of every word, one a line in order of the ids. Classes and trees are made from it again."""
    with atomic_write(folder / UNIGRAM) as file:
        file.writelines(f"{log_prob!r}\n" for log_prob in unigram.tolist())


def load_unigram(folder: Path, words: int) -> np.ndarray:
    """What `save_unigram` wrote, (V,). Raises `UserError` where it is missing or not of this many words."""
    try:
        lines = (folder / UNIGRAM).read_text(encoding="utf-8").split()
        unigram = np.array([float(line) for line in lines])
    except (OSError, ValueError):
        raise UserError(f"{folder / UNIGRAM}: missing or not readable; the run is broken, train again") from None
    if len(unigram) != words or not np.isfinite(unigram).all():
        raise UserError(f"{folder / UNIGRAM}: does not fit vocab.txt; the run is broken, train again")
    return unigram


def load_model(folder: Path) -> tuple[FeedForwardLM, Settings]:
    """The best model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    vocab = Vocabulary.load(folder / "vocab.txt")
    model = FeedForwardLM(vocab, settings, load_unigram(folder, len(vocab)))
    load_parameters(folder / "model.npz", DynetParameters(model), model.name)
    return model, settings
