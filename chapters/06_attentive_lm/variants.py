"""The model that the flags describe: that of model.py, or a variant, whose file is loaded only where it is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from common.nn.parameters import DynetParameters, NeuralModel
from common.text.vocab import Vocabulary

from .model import AttentiveLM
from .settings import Settings


def make_model(
    vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None = None, folder: Path | None = None
) -> Any:
    """The model before training. folder: of its run, for the frequencies that a cheaper softmax is built on."""
    if settings.memory_states:
        from .memory import MemoryLM

        return MemoryLM.from_settings(settings, vocab, log_frequencies)
    if settings.divides_states:
        from .parts import PartsLM

        return PartsLM.from_settings(settings, vocab, log_frequencies)
    if settings.scores_few:
        from common.training.unigram import kept_unigram

        from .large_vocabulary import LargeAttentiveLM

        return LargeAttentiveLM.from_settings(settings, vocab, kept_unigram(folder, len(vocab), log_frequencies))
    return AttentiveLM.from_settings(settings, vocab, log_frequencies)


def of_run(folder: Path, settings: Settings) -> tuple[NeuralModel, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    model = make_model(Vocabulary.load(folder / "vocab.txt"), settings, folder=folder)
    return model, DynetParameters(model)
