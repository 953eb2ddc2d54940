"""Run folders: where a training writes, and where the other programs of a chapter find it.

A run folder holds config.json (the settings), vocab.txt, checkpoint.npz (the state after the last
whole epoch), model.npz (the best model), metrics.json (the figures, once finished), log.txt and plots.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any, TypeVar

from common.errors import UserError
from common.files import write_json
from common.text.corpus import ROOT
from common.text.vocab import Vocabulary
from common.training.cli import as_flag

S = TypeVar("S")
CHANGEABLE = {"device", "resume", "run_dir", "threads"}
"""Settings that may differ between an interrupted run and its continuation."""


def choose_run(chapter: str, settings: S, given: dict[str, Any]) -> tuple[Path, S]:
    """The run folder to write to, and the settings to train with. Nothing is written yet.

    A new run gets a new folder; `--resume` continues the one in --run-dir (or the latest) with the
    settings it began with. Raises `UserError` where a run would be overwritten, where there is none to
    continue, or where a flag contradicts it.
    """
    if settings.resume:
        folder = Path(settings.run_dir) if settings.run_dir else latest_run(chapter)
        config = read_config(folder, chapter)
        for name, value in given.items():
            if name not in CHANGEABLE and config["settings"].get(name) != value:
                raise UserError(
                    f"{as_flag(name, value)}: this run began with {config['settings'].get(name)}; leave the flag out"
                )
        kept = {name: value for name, value in given.items() if name in CHANGEABLE}
        return folder, settings_of(config, type(settings), kept)
    folder = Path(settings.run_dir) if settings.run_dir else new_folder(chapter)
    if (folder / "config.json").exists():
        raise UserError(f"{folder} holds a run already; add --resume to continue it, or choose another --run-dir")
    return folder, settings


def begin_run(folder: Path, chapter: str, settings: Any, **vocabularies: Vocabulary) -> None:
    """Make the folder of a new run, with its settings and its words, or tidy up that of an interrupted one.

    vocabularies: by the name of the file, without .txt, that each is kept in. Raises `UserError` where the corpus of
    an interrupted run no longer gives the words that its model knows.
    """
    paths = {folder / f"{name}.txt": vocab for name, vocab in vocabularies.items()}
    if not settings.resume:
        write_json(folder / "config.json", {"chapter": chapter, "settings": dataclasses.asdict(settings)})
    for path, vocab in paths.items():
        if settings.resume and path.exists() and Vocabulary.load(path).words != vocab.words:
            raise UserError(f"{path}: the corpus has other words now than when this run began; begin a new run")
    for unfinished in folder.glob(".*.part"):  # what a killed process was writing
        unfinished.unlink()
    for path, vocab in paths.items():
        vocab.save(path)


def new_folder(chapter: str) -> Path:
    """runs/CHAPTER/NNN with the next free number."""
    numbers = [int(path.name) for path in runs_of(chapter) if path.name.isdigit()]
    return runs_root() / chapter / f"{max(numbers, default=0) + 1:03}"


def latest_run(chapter: str, holding: str = "config.json") -> Path:
    """The run of this chapter that was written to last, of those that hold a file. Raises `UserError` without one."""
    runs = [run for run in runs_of(chapter) if (run / holding).exists()]
    if not runs:
        raise UserError(
            f"no run in {runs_root() / chapter} holds a {holding}; first: python chapters/{chapter}/train.py"
        )
    return max(runs, key=lambda path: max(file.stat().st_mtime for file in path.glob("*.*")))


def runs_of(chapter: str) -> list[Path]:
    return [path.parent for path in (runs_root() / chapter).glob("*/config.json")]


def runs_root() -> Path:
    return Path(os.environ.get("COURSE_RUNS") or ROOT / "runs")


def read_config(folder: Path, chapter: str | None = None) -> dict:
    """The config.json of a run. Raises `UserError` where it is missing, broken or of another chapter than `chapter`."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        other = config["chapter"]
        dict(config["settings"])
    except FileNotFoundError:
        raise UserError(f"{folder}: no run here (config.json is missing)") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{folder / 'config.json'}: not readable; the run is broken, train again") from None
    if chapter is not None and other != chapter:
        raise UserError(f"{folder}: a run of chapter {other}, not of {chapter}")
    return config


def settings_of(config: dict, settings_class: type[S], changes: dict[str, Any] | None = None) -> S:
    """The settings in a config, as the chapter's dataclass. Raises `UserError` where the fields differ."""
    try:
        return settings_class(**{**config["settings"], **(changes or {})})
    except TypeError:
        raise UserError("config.json: its settings are not those of this version of the chapter; train again") from None


class Log:
    """Prints lines and keeps them in the run's log.txt."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, line: str = "") -> None:
        """Raises `UserError` where the disk is full."""
        print(line, flush=True)
        path = self.folder / "log.txt"
        try:
            with open(path, "a", encoding="utf-8", newline="\n") as file:
                file.write(line + "\n")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}; free some space and --resume") from None
