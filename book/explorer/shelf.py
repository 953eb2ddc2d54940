"""The runs in a folder, and their models, each loaded when it is first needed."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.programs.chapters import CHAPTERS, NAMES, load_run
from common.training.past_runs import read_config

LANGUAGE, TRANSLATION = "language", "translation"
PROGRAMS = {"generate.py": LANGUAGE, "translate.py": TRANSLATION}
"""The program that a chapter has beside train.py says what its models do."""
LOADED = 16
"""Models kept in memory."""
MOST_RUNS = 500
PLACES = ("*/config.json", "*/*/config.json")
"""Where runs are, from the folder of all: `runs/CHAPTER/001`, or `runs/NAME` with --run-dir."""


@dataclass(frozen=True)
class Run:
    """A run folder. name: its path from the folder of all runs, by which the page calls it."""

    name: str
    folder: Path
    chapter: str
    settings: dict[str, Any]

    @property
    def kind(self) -> str | None:
        """What its models do; None where there is nothing to play with (chapter 3)."""
        return kind_of(self.chapter)

    @property
    def trained(self) -> bool:
        """Whether it has a model."""
        return (self.folder / "model.npz").is_file()

    @property
    def corpus(self) -> str:
        return str(self.settings.get("corpus", ""))


def kind_of(chapter: str) -> str | None:
    """What the models of a chapter do: `LANGUAGE`, `TRANSLATION` or None. A second kind of a chapter translates."""
    if chapter.endswith("_pairs"):
        return TRANSLATION
    return next((kind for name, kind in PROGRAMS.items() if (CHAPTERS / chapter / name).is_file()), None)


def chapters_to_train() -> list[str]:
    """The chapters whose models the page can show."""
    return [name for name in NAMES if kind_of(name)]


class Shelf:
    """All runs in a folder, by name."""

    def __init__(self, root: Path):
        self.root = root
        self.known: dict[str, Run] = {}
        self.loaded: OrderedDict[tuple[str, float], tuple[Any, Any]] = OrderedDict()

    def runs(self) -> list[Run]:
        """The runs that are there now, by chapter and name; folders that cannot be read are left out."""
        runs = []
        for place in PLACES:
            for path in sorted(self.root.glob(place))[:MOST_RUNS]:
                try:
                    config = read_config(path.parent)
                except UserError:
                    continue
                if not re.fullmatch(r"\w{1,60}", str(config["chapter"])):
                    continue
                name = path.parent.relative_to(self.root).as_posix()
                runs.append(Run(name, path.parent, str(config["chapter"]), config["settings"]))
        runs = sorted(runs, key=lambda run: (run.chapter, run.name))[:MOST_RUNS]
        self.known = {run.name: run for run in runs}
        return runs

    def find(self, name: str, kind: str | None = None) -> Run:
        """The run of this name. Raises `UserError` where there is none, or where its model does something else."""
        if name not in self.known:
            self.runs()
        run = self.known.get(name)
        if run is None:
            raise UserError(f"no run {name!r:.80}; reload the page")
        if kind and run.kind != kind:
            raise UserError(f"{name}: no {kind} model")
        return run

    def models(self, names: Sequence[str], kind: str) -> list[tuple[Run, Any, Any]]:
        """The runs of these names, each with its model and settings. Raises `UserError` as `find` and `load_run` do."""
        return [(run, *self.load(run)) for run in [self.find(name, kind) for name in names]]

    def load(self, run: Run) -> tuple[Any, Any]:
        """The best model of a run, and its settings. It is read again when its file has changed."""
        path = run.folder / "model.npz"
        if not path.is_file():
            raise UserError(f"{run.name}: not trained yet (model.npz is missing)")
        key = run.name, path.stat().st_mtime
        if key not in self.loaded:
            self.loaded[key] = load_run(run.folder, run.chapter)
            while len(self.loaded) > LOADED:
                self.loaded.popitem(last=False)
        self.loaded.move_to_end(key)
        return self.loaded[key]
