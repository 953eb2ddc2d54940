"""The model of a run: its features are read from the run folder, and say how large it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.programs.chapters import check_stored
from common.text.vocab import Vocabulary

from .features import FeatureSet
from .learners import LEARNERS
from .model import BYTES, LogLinearLM, footprint


def of_run(folder: Path, settings: Any) -> tuple[LogLinearLM, Any]:
    """The model of the run in `folder` before training, and what its numbers are read into."""
    features = FeatureSet.load(folder / "features.npz", Vocabulary.load(folder / "vocab.txt"))
    check_stored(folder / "model.npz", footprint(features, BYTES).parameters)
    learner = LEARNERS[settings.engine]()(settings, features)
    return learner.model, learner
