"""A module of a chapter by the name of its folder, for a program that learns the name only when it runs."""

import importlib
from types import ModuleType


def chapter_module(chapter: str, module: str) -> ModuleType:
    """`chapter_module("06_attentive_lm", "settings")` is the module of chapters/06_attentive_lm/settings.py."""
    return importlib.import_module(f"chapters.{chapter[3:]}.{module}")
