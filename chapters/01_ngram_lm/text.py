"""The text of a run: its n-grams are counted in memory wherever they fit."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from common import runtime
from common.training.text import Text

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
        if settings.counting == "memory" or not runtime.memory_watched:
            return super().read(settings, folder)
        from .disk_budget import needs_disk

        if not needs_disk(settings):
            return super().read(settings, folder)
        from .streamed import StreamedText

        return StreamedText.read(settings, folder)

    def save(self, folder: Path) -> None:
        """Nothing is kept, and what a killed process has counted on disk is removed."""
        shutil.rmtree(folder / COUNTS, ignore_errors=True)
