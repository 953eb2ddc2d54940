"""The trained models of all chapters."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.training.runs import read_config

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def load_trained(folder: Path) -> tuple[LanguageModel, Any]:
    """The best model of a run of any chapter, and its settings. Raises `UserError` where there is none."""
    chapter = str(read_config(folder)["chapter"])
    if not (CHAPTERS / chapter / "trained.py").is_file():
        raise UserError(f"{folder}: a run of {chapter!r}, which is no chapter whose models can be loaded")
    return importlib.import_module(f"chapters.{chapter}.trained").load_model(folder)
