"""How much memory counting the n-grams of a text takes, before it begins; `disk_budget` says it of the disk."""

from __future__ import annotations

import os
from pathlib import Path

from common import memory
from common.memory import gigabytes

BASE = 140 * 2**20
"""Bytes of Python and the libraries that are loaded, DyNet among them."""
TEXT, LEVEL = 15, 10
"""Bytes in memory for each byte of the training text: for its words, and for the n-grams of an order."""


def in_memory(corpus: Path, order: int) -> int:
    """About how many bytes counting the n-grams of a corpus in memory takes."""
    return BASE + os.path.getsize(corpus / "train.txt") * (TEXT + LEVEL * order)


def short_of(needed: int) -> str:
    """Says that counting in memory takes so many bytes, and that fewer may be used."""
    allowed = gigabytes(memory.limit())
    return f"counting in memory takes about {gigabytes(needed)}, and {allowed} may be used (--memory)"
