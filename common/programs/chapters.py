"""The model of a run, of any chapter."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from common.chapters import chapter_module, model_maker
from common.errors import UserError
from common.files import reading
from common.memory import limit
from common.memory_limit import check_rows
from common.saved_arrays import CUT_SHORT, NO_FILE, check_sizes
from common.training.past_runs import read_config, settings_of

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
NAMES = sorted(path.parent.name + path.stem.removeprefix("settings") for path in CHAPTERS.glob("*/settings*.py"))
"""Of the chapters, and of second kinds of models (`program_of`), that have settings."""
MOST_OVERSTATED = 10
"""Times a model may seem larger than it is, from its sizes alone (`memory.Footprint`)."""


def load_run(folder: str | Path, chapter: str | None = None) -> tuple[Any, Any]:
    """The best model of a run, and its settings.

    chapter: the one that the run must be of, where that matters. Its `model_maker` makes the model, and says what the
    numbers in model.npz are to be put into, or `None` where it has read them itself. Raises `UserError` where there is
    no run, where it is not whole, and where it is one of another chapter or of one without such models.
    """
    folder = Path(folder)
    config = read_config(folder, chapter)
    settings = settings_of(config, settings_class(folder, str(config["chapter"])))
    if not getattr(settings, "start_from", ""):  # else the chapter checks the model that the run has kept
        check_size(folder, settings)
    model, parameters = model_maker(str(config["chapter"]))(folder, settings)
    if parameters is not None:
        from common.training.loading import load_parameters

        load_parameters(folder / "model.npz", parameters, model.name)
    return model, settings


def check_size(folder: Path, settings: Any) -> None:
    """Raises `UserError` where the settings ask for a model that is larger than its file, or than the memory. Who has
    changed config.json shall not get a model of any size."""
    if not hasattr(settings, "footprint"):
        return
    sides = ("source_vocab.txt", "vocab.txt") if hasattr(settings, "subwords") else ("vocab.txt",)
    files = [folder / name for name in sides]
    if all(path.is_file() for path in files):
        footprint = settings.footprint(*(path.read_bytes().count(b"\n") for path in files))
        check_stored(folder / "model.npz", footprint.parameters)
        check_rows(footprint, limit(), 0, "the model")


def settings_class(folder: Path, chapter: str) -> type:
    """The `Settings` of the chapter of a run. Raises `UserError` for one without models that can be loaded."""
    if chapter not in NAMES or model_maker(chapter) is None:
        raise UserError(f"{folder}: a run of {chapter!r}, which is not a chapter whose models can be loaded")
    return chapter_module(chapter, "settings").Settings


def check_stored(path: Path, described: int) -> None:
    """Raises `UserError` where settings describe far more parameters than a file contains: before they are made."""
    with reading(path, NO_FILE, CUT_SHORT):
        stored = count_stored(path)
    if described > MOST_OVERSTATED * max(stored, 100_000):
        raise UserError(
            f"{path}: contains {stored:,} numbers, but the settings beside it describe a model of about "
            f"{described:,}; wrong run?"
        )


def count_stored(path: str | Path) -> int:
    """How many numbers the arrays of an .npz file contain, by their headers alone. Raises errors as `read_arrays`."""
    with zipfile.ZipFile(path) as archive:
        return check_sizes(archive, os.path.getsize(path))
