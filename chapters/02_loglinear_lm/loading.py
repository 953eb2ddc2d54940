"""The model of a run: its features are read from the run folder, and say how large it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError
from common.files import reading
from common.programs.chapters import check_stored
from common.saved_arrays import read_arrays
from common.text.vocab import Vocabulary

from .features import FeatureSet
from .learners import LEARNERS
from .model import BYTES, LogLinearLM, footprint


def of_run(folder: Path, settings: Any) -> tuple[LogLinearLM, Any]:
    """The model of the run in `folder` before training, and what its numbers are read into."""
    features = load_features(folder / "features.npz", Vocabulary.load(folder / "vocab.txt"))
    check_stored(folder / "model.npz", footprint(features, BYTES).parameters)
    learner = LEARNERS[settings.engine]()(settings, features)
    return learner.model, learner


def load_features(path: Path, vocab: Vocabulary) -> FeatureSet:
    """What `FeatureSet.save` wrote. Raises `UserError` where it is missing, broken or of another vocabulary."""
    broken = "no readable features; the run is broken, train again"
    with reading(path, broken, broken):
        facts = read_arrays(path)
        spec, classes = str(facts.pop("spec")), facts.pop("classes")
        if len(classes) != len(vocab):
            raise UserError(f"{path}: made for {len(classes)} words, but its vocabulary has {len(vocab)}; train again")
        check_numbers(classes, *facts.values())
        return FeatureSet(spec, vocab, classes, facts)


def check_numbers(classes: np.ndarray, *known: np.ndarray) -> None:
    """Raises ValueError unless the classes are numbered from 0, each with words, and known codes ascend."""
    used = np.unique(classes)
    if classes.ndim != 1 or classes.dtype.kind != "i" or not np.array_equal(used, np.arange(len(used))):
        raise ValueError("classes that are not numbered from 0, each with words")
    for codes in known:
        if codes.ndim != 1 or codes.dtype.kind != "i" or (np.diff(codes) <= 0).any():
            raise ValueError("codes of pairs that do not ascend")
        if len(codes) and not 0 <= codes[0] <= codes[-1] < len(classes) ** 2:
            raise ValueError("codes that belong to no pair of words")
