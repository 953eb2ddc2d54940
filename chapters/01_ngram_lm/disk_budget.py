"""How much memory counting on disk takes, where it is done some rows at a time."""

from __future__ import annotations

import os
from typing import Any

from common.errors import UserError
from common.memory import limit
from common.memory_limit import gigabytes

from . import counts

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
    needed = counts.BASE + EVALUATED * others + KIND * len(text.corpus.train.tally[1])
    rows = (limit() - needed) // ROW
    if rows < FEWEST:
        least = gigabytes(needed + FEWEST * ROW)
        raise UserError(f"counting on disk takes {least} with these words, dev and test; raise --memory")
    return min(rows, MOST)


def words_that_fit(rows: int, order: int) -> int:
    """How many words may be counted at a time in the memory of so many rows."""
    return rows * ROW // (WORD + NGRAM * order)
