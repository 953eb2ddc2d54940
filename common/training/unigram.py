"""The unigram distribution that a model was built on, in its run's folder: classes and trees are made from it again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common.errors import UserError
from common.files import reading, write_lines

UNIGRAM = "unigram.txt"


def kept_unigram(folder: Path | None, words: int, unigram: np.ndarray | None = None) -> np.ndarray:
    """log P(word), (V,), of a run: what is given, which its folder keeps from now on, or what the folder has kept.
    Without a folder nothing is kept. Raises `UserError` as `load_unigram` does."""
    if unigram is None:
        assert folder is not None, "one of the two is given"
        return load_unigram(folder, words)
    if folder is not None:  # one per line in order of the ids
        write_lines(folder / UNIGRAM, map(repr, unigram.tolist()))
    return unigram


def load_unigram(folder: Path, words: int) -> np.ndarray:
    """What `kept_unigram` wrote, (V,). Raises `UserError` where it is missing or not of this many words."""
    broken = "missing or not readable; the run is broken, train again"
    with reading(folder / UNIGRAM, broken, broken):
        lines = (folder / UNIGRAM).read_text(encoding="utf-8").split()
        unigram = np.array([float(line) for line in lines])
    if len(unigram) != words or not np.isfinite(unigram).all() or unigram.max() > 0:
        raise UserError(f"{folder / UNIGRAM}: does not fit vocab.txt; the run is broken, train again")
    return unigram
