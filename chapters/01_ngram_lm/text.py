"""The text of a run: whether its n-grams can be counted in memory, as they are wherever they fit."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from common import memory
from common.errors import UserError
from common.text.corpus import find_corpus
from common.training.setup import Text

from .budget import in_memory, short_of
from .settings import Settings

COUNTS = ".counts"
"""The folder in that of the run for what is counted on disk."""


@dataclass(frozen=True)
class NgramText(Text):
    """Sentences for n-gram models, in memory. `streamed.StreamedText` is one that does not fit there."""

    on_disk: ClassVar[bool] = False

    @classmethod
    def read(cls, settings: Settings, folder: Path) -> Text:
        """As `Text.read`. Raises `UserError` where the text is too large for these settings."""
        if not needs_disk(settings, find_corpus(settings.corpus)):
            return super().read(settings, folder)
        from .streamed import StreamedText

        return StreamedText.read(settings, folder)

    def save(self, folder: Path) -> None:
        """Nothing is kept, and what a killed process has counted on disk is removed."""
        shutil.rmtree(folder / COUNTS, ignore_errors=True)


def needs_disk(settings: Settings, corpus: Path) -> bool:
    """Whether the n-grams of a corpus are to be counted on disk: `--counting` says so, or memory is too small.

    Raises `UserError` where the other settings do not allow it.
    """
    needed = in_memory(corpus, settings.order)
    if settings.counting == "memory" and settings.scheduler:
        raise UserError("--scheduler counts on disk; leave --counting memory out")
    fits = needed <= memory.limit() and not settings.scheduler
    if settings.counting == "memory" or (settings.counting == "auto" and fits):
        return False
    if problem := settings.not_on_disk():
        reason = "--counting disk" if settings.counting == "disk" else "--scheduler" if settings.scheduler else ""
        why = reason or f"{short_of(needed)}; on disk"
        raise UserError(f"{why}: {problem}")
    return True
