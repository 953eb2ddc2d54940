"""The model that the flags describe: that of model.py, or a variant, whose file is loaded only where it is chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common.nn.parameters import DynetParameters
from common.text.vocab import Vocabulary

from .model import RecurrentLM
from .settings import FIRST_STATES, Settings


def make_model(
    vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None = None, folder: Path | None = None
) -> RecurrentLM:
    """The model before training. folder: of its run, for the frequencies that a cheaper softmax is built on."""
    if settings.scores_few:
        from common.training.unigram import kept_unigram

        from .large_vocabulary import LargeRecurrentLM

        return LargeRecurrentLM.from_settings(settings, vocab, kept_unigram(folder, len(vocab), log_frequencies))
    if settings.pointer:
        from .pointer import PointerLM

        return PointerLM.from_settings(settings, vocab, log_frequencies)
    if FIRST_STATES[settings.first_state]:
        from .first_state import FirstStateLM

        return FirstStateLM.from_settings(settings, vocab, log_frequencies)
    return RecurrentLM.from_settings(settings, vocab, log_frequencies)


def of_run(folder: Path, settings: Settings) -> tuple[RecurrentLM, DynetParameters]:
    """The model of the run in `folder` before training, but with an output bias of 0, and its parameters."""
    model = make_model(Vocabulary.load(folder / "vocab.txt"), settings, folder=folder)
    return model, DynetParameters(model)
