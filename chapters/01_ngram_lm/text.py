"""The text of a run: its n-grams are counted in memory wherever they fit."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from common.memory import fits
from common.text.corpus import find_corpus
from common.training.text import Text

from . import counts
from .settings import Settings

COUNTS = ".counts"
"""The folder in that of the run for what is counted on disk."""
TEXT, LEVEL = 15, 10
"""Bytes in memory for each byte of the training text: for its words, and for the n-grams of an order."""


@dataclass(frozen=True)
class NgramText(Text):
    """Sentences for n-gram models, in memory. `streamed.StreamedText` is one that does not fit there."""

    on_disk: ClassVar[bool] = False

    @classmethod
    def read(cls, settings: Settings, folder: Path) -> Text:
        """As `Text.read`. Raises `UserError` where the text is too large for these settings."""
        needed = bytes_to_count(find_corpus(settings.corpus), settings.order)
        if settings.counting == "memory" or (settings.counting == "auto" and not settings.scheduler and fits(needed)):
            return super().read(settings, folder)
        from .disk_budget import check_disk
        from .streamed import StreamedText

        check_disk(settings, needed)
        return StreamedText.read(settings, folder)

    def save(self, folder: Path) -> None:
        """Nothing is kept, and what a killed process has counted on disk is removed."""
        shutil.rmtree(folder / COUNTS, ignore_errors=True)


def bytes_to_count(corpus: Path, order: int) -> int:
    """About how many bytes counting the n-grams of a corpus in memory takes."""
    return counts.BASE + os.path.getsize(corpus / "train.txt") * (TEXT + LEVEL * order)
