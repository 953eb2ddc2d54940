"""The model of a run: made for a training, loaded for the programs that use one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common.text.vocab import Vocabulary
from common.training.checkpoint import load_parameters
from common.training.runs import read_config, settings_of

from .clusters import brown_clusters
from .features import FeatureSet, known_pairs, needs_classes
from .learners import LEARNERS
from .model import LogLinearLM
from .settings import CHAPTER, Settings


def make_features(settings: Settings, vocab: Vocabulary, train_ids: list[list[int]]) -> FeatureSet:
    """The features that the settings name, with classes and pairs from the training text (word ids)."""
    classes = np.zeros(len(vocab), dtype=np.int64)
    if needs_classes(settings.features):
        classes = brown_clusters(train_ids, len(vocab), settings.classes)
    pairs = known_pairs(settings.features, vocab, classes, train_ids, settings.pair_count)
    return FeatureSet(settings.features, vocab, classes, pairs)


def load_model(folder: Path) -> tuple[LogLinearLM, Settings]:
    """The best model of the run in `folder`, and its settings. Raises `UserError` where the run is not whole."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    features = FeatureSet.load(folder / "features.npz", Vocabulary.load(folder / "vocab.txt"))
    learner = LEARNERS[settings.engine](settings, features)
    load_parameters(folder / "model.npz", learner, learner.model.name)
    return learner.model, settings
