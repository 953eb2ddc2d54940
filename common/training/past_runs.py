"""Runs that are there already: finding the latest, reading what one was trained with, resuming it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.reading import read_json, reading
from common.text.vocab import Vocabulary
from common.training.cli import as_flag
from common.training.runs import CHANGEABLE, S, fingerprint, is_empty_run, new_run, runs_of, runs_root


def past_run(chapter: str, settings: S, given: dict[str, Any]) -> tuple[Path, S]:
    """The folder of the run that --resume continues, --run-dir or else the latest, and the settings that it began with.

    Where --run-dir contains no run yet, `--resume` begins it, so that a job can be repeated with the same command until
    it is done. Raises `UserError` where there is none to continue, or where a flag contradicts it.
    """
    if settings.run_dir and is_empty_run(Path(settings.run_dir)):
        return new_run(chapter, dataclasses.replace(settings, resume=False), given)
    folder = Path(settings.run_dir) if settings.run_dir else latest_run(chapter)
    config = read_config(folder, chapter)
    check_settings(config, folder / "config.json")
    began = settings_of(config, type(settings))  # a flag that is newer than the run had its default
    for name, value in given.items():
        undecided = (name, value) == ("unk", "auto")  # the corpus said which, when the run began
        if name not in CHANGEABLE and not undecided and getattr(began, name) != value:
            raise UserError(f"{as_flag(name, value)}: this run began with {getattr(began, name)}; leave the flag out")
    kept = {name: value for name, value in given.items() if name in CHANGEABLE}
    return folder, settings_of(config, type(settings), kept)


def prepare_to_resume(folder: Path, settings: Any, corpus: str, vocabularies: dict[str, Vocabulary]) -> None:
    """Remove what a killed process was writing. Raises `UserError` where the corpus (its fingerprint) or its words are
    not those that the run in `folder` began with."""
    if not is_empty_run(folder) and read_json(folder / "config.json")["fingerprints"]["corpus"] != corpus:
        name = getattr(settings, "corpus", "the data of this chapter")
        raise UserError(f"{folder}: {name} is not the corpus that this run began with; begin a new run")
    for name, vocab in vocabularies.items():
        path = folder / f"{name}.txt"
        if path.exists() and Vocabulary.load(path).words != vocab.words:
            raise UserError(f"{path}: the corpus has other words now than when this run began; begin a new run")
    for unfinished in folder.rglob(".*.part"):
        unfinished.unlink()


def check_settings(config: dict, path: Path) -> None:
    """Raises `UserError` where the settings of a config are not those that its run began with."""
    fingerprints = config.get("fingerprints")
    if not isinstance(fingerprints, dict) or not {"settings", "corpus"} <= fingerprints.keys():
        raise UserError(f"{path}: of an earlier version of the course, or damaged; begin a new run")
    if fingerprints["settings"] != fingerprint(config["settings"]):
        raise UserError(f"{path}: its settings are not those that the run began with; undo the change")


def latest_run(chapter: str, holding: str = "config.json") -> Path:
    """This chapter's run that was written to last and contains the file `holding`. Raises `UserError` without one."""
    runs = [run for run in runs_of(chapter) if (run / holding).exists()]
    if not runs:
        raise UserError(
            f"no run in {runs_root() / chapter} holds a {holding}; first: python chapters/{chapter}/train.py"
        )
    return max(runs, key=lambda path: max(file.lstat().st_mtime for file in path.glob("[!.]*.*")))


def read_config(folder: Path, chapter: str | None = None) -> dict:
    """The config.json of a run, with its own `path`.

    Raises `UserError` where it is missing, broken or of another chapter than `chapter`.
    """
    path = folder / "config.json"
    if not path.exists():
        raise UserError(f"{folder}: no run here (config.json is missing)")
    with reading(path, "not readable; the run is broken, train again", "not readable; the run is broken, train again"):
        config = read_json(path)
        other, config["settings"], config["path"] = config["chapter"], dict(config["settings"]), str(path)
    if chapter is not None and other != chapter:
        raise UserError(f"{folder}: a run of chapter {other}, not of {chapter}")
    return config


def settings_of(config: dict, settings_class: type[S], changes: dict[str, Any] | None = None) -> S:
    """The settings in a config, as the chapter's dataclass. Raises `UserError` where fields or values do not fit."""
    path = config.get("path", "config.json")
    renamed = {field.metadata["alias"]: field.name for field in dataclasses.fields(settings_class)}
    values = {renamed.get(name, name): value for name, value in config["settings"].items()}
    try:
        return settings_class(**{**values, **(changes or {})})
    except TypeError:
        wrong = "its settings are not those of this version of the chapter; train again"
        raise UserError(f"{path}: {wrong}") from None
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
