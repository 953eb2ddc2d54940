"""What is checked and removed in the folder of an interrupted run before it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import read_json
from common.text.vocab import Vocabulary


def prepare_to_resume(
    folder: Path, has_begun: bool, settings: Any, corpus: str, vocabularies: dict[str, Vocabulary]
) -> None:
    """Remove what a killed process was writing. Raises `UserError` where the corpus (its fingerprint) or its words are
    not those that the run in `folder` began with."""
    if has_begun and read_json(folder / "config.json")["fingerprints"]["corpus"] != corpus:
        name = getattr(settings, "corpus", "the data of this chapter")
        raise UserError(f"{folder}: {name} is not the corpus that this run began with; begin a new run")
    for name, vocab in vocabularies.items():
        path = folder / f"{name}.txt"
        if path.exists() and Vocabulary.load(path).words != vocab.words:
            raise UserError(f"{path}: the corpus has other words now than when this run began; begin a new run")
    for unfinished in folder.rglob(".*.part"):
        unfinished.unlink()
