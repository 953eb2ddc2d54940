"""The trained model of a run, for the programs that use one."""

from __future__ import annotations

from pathlib import Path

from common.nn.parameters import DynetParameters
from common.text.vocab import Vocabulary
from common.training.checkpoint import load_parameters
from common.training.runs import read_config, settings_of

from .model import AttentionalModel
from .settings import CHAPTER, Settings


def load_model(folder: Path) -> tuple[AttentionalModel, Settings]:
    """The best model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    source_vocab, vocab = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = AttentionalModel(source_vocab, vocab, settings)
    load_parameters(folder / "model.npz", DynetParameters(model), model.name)
    return model, settings
