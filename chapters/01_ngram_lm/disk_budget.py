"""Counting on disk: how much memory it takes, where it is done some rows at a time, and what goes with it."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.memory import fits, limit
from common.memory_limit import gigabytes
from common.text.corpus import find_corpus

from .disk_smoothing import DISK_METHODS

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


def rows_that_fit(text: Any) -> int:
    """How many rows of a `streamed.StreamedText` may be held in memory at a time.

    Raises `UserError` where too few fit.
    """
    others = sum(os.path.getsize(text.corpus.folder / f"{split}.txt") for split in ("dev", "test"))
    needed = BASE + EVALUATED * others + KIND * len(text.corpus.train.tally[1])
    rows = (limit() - needed) // ROW
    if rows < FEWEST:
        least = gigabytes(needed + FEWEST * ROW)
        raise UserError(f"counting on disk takes {least} with these words, dev and test; raise --memory")
    return min(rows, MOST)


def words_that_fit(rows: int, order: int) -> int:
    """How many words may be counted at a time in the memory of so many rows."""
    return rows * ROW // (WORD + NGRAM * order)


def check_prune(settings: Any) -> None:
    """Raises `UserError` for thresholds of --prune that cannot be, and for a smoothing that cannot prune."""
    prune, order = settings.prune, settings.order
    if not re.fullmatch("0(,[0-9]{1,9})*", prune):
        raise UserError(f"--prune {prune!r:.40}: write one whole number per order, 0 for single words: 0,0,1")
    thresholds = [int(threshold) for threshold in prune.split(",")]
    if any(threshold > longer for threshold, longer in pairwise(thresholds)):
        raise UserError(f"--prune {prune:.40}: no order can have a lower number than the one before")
    if len(thresholds) > order:
        raise UserError(f"--prune {prune:.40}: numbers for {len(thresholds)} orders, but --order {order}")
    if problem := not_by_counts_alone(settings):
        raise UserError(f"--prune: {problem}")


def bytes_to_count(corpus: Path, order: int) -> int:
    """About how many bytes counting the n-grams of a corpus in memory takes."""
    return BASE + os.path.getsize(corpus / "train.txt") * (TEXT + LEVEL * order)


def needs_disk(settings: Any) -> bool:
    """Whether n-grams are counted on disk. Raises `UserError` where the settings do not allow that, but need it."""
    needed = bytes_to_count(find_corpus(settings.corpus), settings.order)
    if settings.counting == "auto" and not settings.scheduler and fits(needed):
        return False
    check_disk(settings, needed)
    return True


def check_disk(settings: Any, needed: int) -> None:
    """Raises `UserError` where the settings do not allow that n-grams are counted on disk.

    needed: the bytes that counting them in memory would take.
    """
    problem = not_by_counts_alone(settings) or ("not with --skip" if settings.skip else "")
    if problem:
        reason = "--counting disk" if settings.counting == "disk" else "--scheduler" if settings.scheduler else ""
        why = reason or f"{short_of(needed)}; on disk"
        raise UserError(f"{why}: {problem}")


def not_by_counts_alone(settings: Any) -> str:
    """What is wrong where the smoothing needs more than counts, and so cannot prune nor be estimated on disk."""
    if settings.smoothing in DISK_METHODS:
        return ""
    return f"not with --smoothing {settings.smoothing}; choose from {', '.join(DISK_METHODS)}"


def short_of(needed: int) -> str:
    """Says that counting in memory takes so many bytes, and that fewer may be used."""
    return f"counting in memory takes about {gigabytes(needed)}, and {gigabytes(limit())} may be used (--memory)"
