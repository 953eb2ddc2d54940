"""How much memory counting takes, before it begins: whether it can be done there, and else how much at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from common import memory
from common.errors import UserError
from common.memory import gigabytes

from .disk_smoothing import DISK_METHODS
from .settings import Settings

BASE = 140 * 2**20
"""Bytes of Python and the libraries that are loaded, DyNet among them."""
TEXT, LEVEL = 15, 10
"""Bytes in memory for each byte of the training text: for its words, and for the n-grams of an order."""
EVALUATED, KIND = 20, 300
"""Bytes in memory for each byte of dev and test, and for each kind of word."""
ROW = 200
"""Bytes that sorting on disk takes at most for each row that it holds."""
WORD, NGRAM = 120, 40
"""Bytes that counting a part of the text takes at most for each word, and for the n-gram of each order there."""
FEWEST, MOST = 100_000, 10_000_000
"""Rows that are held at a time: with fewer there are too many runs to merge, with more it is no faster."""


def in_memory(corpus: Path, order: int) -> int:
    """About how many bytes counting the n-grams of a corpus in memory takes."""
    return BASE + os.path.getsize(corpus / "train.txt") * (TEXT + LEVEL * order)


def short_of(needed: int) -> str:
    """Says that counting in memory takes so many bytes, and that fewer may be used."""
    allowed = gigabytes(memory.limit())
    return f"counting in memory takes about {gigabytes(needed)}, and {allowed} may be used (--memory)"


def needs_disk(settings: Settings, corpus: Path) -> bool:
    """Whether the n-grams of a corpus are to be counted on disk: `--counting` says so, or memory is too small.

    Raises `UserError` where the other settings do not allow it.
    """
    needed = in_memory(corpus, settings.order)
    if settings.counting == "memory" and settings.scheduler:
        raise UserError("--scheduler: not with --counting memory")
    fits = needed <= memory.limit() and not settings.scheduler
    if settings.counting == "memory" or (settings.counting == "auto" and fits):
        return False
    problem = ""
    if settings.smoothing not in DISK_METHODS:
        problem = f"not with --smoothing {settings.smoothing}; choose from {', '.join(DISK_METHODS)}"
    elif settings.skip:
        problem = "not with --skip"
    if problem:
        given = "--counting disk" if settings.counting == "disk" else "--scheduler" if settings.scheduler else ""
        why = given or f"{short_of(needed)}; on disk"
        raise UserError(f"{why}: {problem}")
    return True


def check_room(settings: Settings, text: Any) -> None:
    """Raises `UserError` where a text, a `streamed.NgramText`, cannot be counted on disk in so little memory."""
    if text.on_disk:
        rows_that_fit(text)


def rows_that_fit(text: Any) -> int:
    """How many rows of a text may be held in memory at a time. Raises `UserError` where too few fit."""
    others = sum(os.path.getsize(text.corpus.folder / f"{split}.txt") for split in ("dev", "test"))
    taken = BASE + EVALUATED * others + KIND * len(text.corpus.train.tally[1])
    rows = (memory.limit() - taken) // ROW
    if rows < FEWEST:
        least = gigabytes(taken + FEWEST * ROW)
        raise UserError(f"counting on disk takes {least} with these words, dev and test; raise --memory")
    return min(rows, MOST)


def words_that_fit(rows: int, order: int) -> int:
    """How many words may be counted at a time in the memory of so many rows."""
    return rows * ROW // (WORD + NGRAM * order)
