"""Runs that are there already: finding the latest, reading what one was trained with, resuming it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common import program_of
from common.errors import UserError
from common.files import read_json, reading
from common.training.cli import as_flag
from common.training.runs import CHANGEABLE, S, fingerprint, is_empty_run, new_run, runs_of, runs_root


def past_run(chapter: str, settings: S, flags: dict[str, Any]) -> tuple[Path, S]:
    """The folder of the run that --resume continues, --run-dir or else the latest, and the settings that it began with.

    Where --run-dir contains no run yet, `--resume` begins it, so that a job can be repeated with the same command until
    it is done. Raises `UserError` where there is none to continue, or where a flag contradicts it.
    """
    if settings.run_dir and is_empty_run(Path(settings.run_dir)):
        return new_run(chapter, dataclasses.replace(settings, resume=False), flags)
    folder = Path(settings.run_dir) if settings.run_dir else latest_run(chapter)
    config = read_config(folder, chapter)
    check_settings(config, folder / "config.json")
    began = settings_of(config, type(settings))  # a flag that is newer than the run had its default
    for name, value in flags.items():
        undecided = (name, value) == ("unk", "auto")  # the corpus said which, when the run began
        if name not in CHANGEABLE and not undecided and getattr(began, name) != value:
            raise UserError(f"{as_flag(name, value)}: this run began with {getattr(began, name)}; leave the flag out")
    changes = {name: value for name, value in flags.items() if name in CHANGEABLE}
    return folder, settings_of(config, type(settings), changes)


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
            f"no run in {runs_root() / chapter} contains a {holding}; first: python {program_of(chapter, 'train')}"
        )
    return max(runs, key=lambda path: max(file.lstat().st_mtime for file in path.glob("[!.]*.*")))


def read_config(folder: Path, chapter: str | None = None) -> dict:
    """The config.json of a run, with its own `path`. Raises `UserError` where it is missing, broken or of another
    chapter than `chapter`."""
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
