"""A module of a chapter by the name of its folder, for a program that learns the name only when it runs."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from common import program_of


def chapter_module(chapter: str, module: str) -> ModuleType:
    """`chapter_module("06_attentive_lm", "settings")` is the module of chapters/06_attentive_lm/settings.py."""
    path = Path(program_of(chapter, module))
    return importlib.import_module(f"chapters.{path.parent.name[3:]}.{path.stem}")


def model_maker(chapter: str) -> Any:
    """A chapter's `of_run(folder, settings)`, which makes the model of a run; `None` where it has none.

    It is in model.py, or in the module that settings.py names as `OF_RUN`.
    """
    settings = chapter_module(chapter, "settings")
    return getattr(chapter_module(chapter, getattr(settings, "OF_RUN", "model")), "of_run", None)
