"""What every train.py does before it trains."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from common import runtime
from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.locks import lock_run
from common.training.runs import Log, begin_run, choose_run


class Data(Protocol):
    """What a run reads and reports on: a text or pairs, with their vocabularies."""

    corpus: Any
    vocab: Vocabulary
    next_program: str

    @classmethod
    def read(cls, settings: Any, folder: Path) -> Data: ...

    @property
    def vocabularies(self) -> dict[str, Vocabulary]: ...

    @property
    def fingerprint(self) -> str: ...

    def check(self, unk: str) -> None: ...

    def save(self, folder: Path) -> None: ...

    def show(self, log: Log) -> None: ...

    def report(self, model: Any, settings: Any, folder: Path) -> tuple[dict[str, dict], list[str]]: ...


@dataclass(frozen=True)
class Setup:
    """A run that can begin: what was asked for, the data, and the run folder with its log."""

    chapter: str
    settings: Any
    data: Data
    folder: Path
    log: Log

    @property
    def corpus(self) -> Any:
        return self.data.corpus

    @property
    def vocab(self) -> Vocabulary:
        """The words that are predicted."""
        return self.data.vocab


def begin(
    kind: type[Data],
    chapter: str,
    settings_class: type,
    presets: Mapping[str, Mapping[str, Any]],
    description: str,
    check: Callable[[Any, Any], object] = lambda settings, data: None,
) -> Setup:
    """Read the flags and the data, check both, and begin the run.

    kind: of data, `text.Text` or `pairs.Pairs`. check: what the chapter itself has to check of its settings and data.
    Nothing is written before everything is known to be good. Raises `UserError` for bad flags and bad data.
    """
    settings, given = cli.parse_settings(settings_class, presets, description)
    folder, settings = choose_run(chapter, settings, given)
    data = kind.read(settings, folder)
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, data.corpus))
    data.check(settings.unk)
    runtime.seed_dynet(settings.seed)
    check(settings, data)
    replaced = functions_of_exercises(chapter, settings.from_)
    lock_run(folder)
    begin_run(folder, chapter, settings, data.fingerprint, **data.vocabularies)
    data.save(folder)
    log = Log(folder)
    for line in replaced:
        log(line)
    data.show(log)
    return Setup(chapter, settings, data, folder, log)


def unknown_kind(asked: str, corpus: Any) -> str:
    """What an unknown word costs: as asked, or for "auto" as the corpus says, or else "uniform"."""
    if asked != "auto":
        return asked
    told = corpus.facts.get("corpus", {}).get("unk", "uniform")
    if told not in UNKNOWN_KINDS:
        path = corpus.folder / "corpus.json"
        raise UserError(f"{path}: unk is {told!r:.40}; choose from {', '.join(UNKNOWN_KINDS)}")
    return told


def functions_of_exercises(chapter: str, folder: str) -> list[str]:
    """Put a student's functions in place of the course's (`--from`), and tell which, a line each.

    The graders decide what may be used. They are no part of a run without this flag, and so imported by name.
    """
    return importlib.import_module("solutions.substitute").use_exercises(chapter, folder) if folder else []
