"""Run folders: where a training run writes (`past_runs` finds, reads and resumes them).

A run folder contains config.json (the settings, and fingerprints of them and of the corpus), vocab.txt, checkpoint.npz
(the state after the last whole epoch), model.npz (the best model), metrics.json (the figures, once finished), log.txt
and plots.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from common import ROOT
from common.errors import UserError
from common.files import check_run, run_locks, write_json

S = TypeVar("S", bound=Any)
ABOUT_THE_RUN = {"run_dir", "resume"}
"""Settings that say where and how a run was made, not what was trained."""
CHANGEABLE = {"counting", "data_parallel", "device", "memory", "resume", "run_dir", "scheduler", "threads"}
"""Settings that may differ between an interrupted run and its continuation."""
LOCK = ".lock"
_held: list[FileLock] = []
"""The lock of the run that this process writes, if it writes one."""


def new_run(chapter: str, settings: S, flags: dict[str, Any]) -> tuple[Path, S]:
    """The folder of a new run, and the settings to train with. Nothing is written yet. Raises `UserError` where a run
    would be overwritten. flags: which were given; `past_runs.past_run` needs them."""
    folder = Path(settings.run_dir) if settings.run_dir else new_folder(chapter)
    refuse_to_overwrite(folder)
    return folder, settings


def is_empty_run(folder: Path) -> bool:
    """Whether a folder contains nothing of a run that a new one would overwrite."""
    return not any(os.path.lexists(folder / name) for name in ("config.json", "checkpoint.npz", "model.npz"))


def refuse_to_overwrite(folder: Path) -> None:
    """Raises `UserError` where the folder contains a run."""
    if not is_empty_run(folder):
        raise UserError(f"{folder} already contains a run; add --resume to continue it, or choose another --run-dir")


def lock_run(folder: Path) -> None:
    """Keep other programs from writing to this run until this process ends, be it killed, or writes another run. The
    empty lock file stays. Raises `UserError` where another program has it, and where the folder cannot be made."""
    run_locks.clear()
    while _held:
        _held.pop().release()
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{folder}: another program is writing this run; wait for it, or choose another --run-dir"
        ) from None
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot write {folder / LOCK}: {reason}; choose another place") from None
    _held.append(lock)
    run_locks[folder / LOCK] = (folder / LOCK).stat()


def begin_run(folder: Path, chapter: str, settings: Any, corpus: str = "", **vocabularies: Any) -> None:
    """Make the folder of a new run, with its settings and its words, or tidy up that of an interrupted one.

    corpus: its fingerprint. vocabularies: by the name of the file, without .txt. Raises `UserError` where the corpus of
    an interrupted run is no longer the same.
    """
    if settings.resume:
        from common.training.resuming import prepare_to_resume

        prepare_to_resume(folder, not is_empty_run(folder), settings, corpus, vocabularies)
    else:
        refuse_to_overwrite(folder)  # it may have begun meanwhile, by a program that has ended since
    if is_empty_run(folder):
        values = dataclasses.asdict(settings) | {"resume": False}
        fingerprints = {"settings": fingerprint(values), "corpus": corpus}
        write_json(folder / "config.json", {"chapter": chapter, "settings": values, "fingerprints": fingerprints})
    for name, vocab in vocabularies.items():
        vocab.save(folder / f"{name}.txt")


def fingerprint(settings: dict[str, Any]) -> str:
    """The sha256 of settings, without those that may change."""
    lasting = {name: value for name, value in settings.items() if name not in CHANGEABLE}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()


def new_folder(chapter: str) -> Path:
    """runs/CHAPTER/NNN with the next free number."""
    numbers = [int(path.name) for path in runs_of(chapter) if path.name.isdigit()]
    return runs_root() / chapter / f"{max(numbers, default=0) + 1:03}"


def runs_of(chapter: str) -> list[Path]:
    return [path.parent for path in (runs_root() / chapter).glob("*/config.json")]


def runs_root() -> Path:
    return Path(os.environ.get("COURSE_RUNS") or ROOT / "runs")


class Log:
    """Prints lines and keeps them in the run's log.txt."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, line: str = "") -> None:
        """Raises `UserError` where the disk is full, the folder has gone, or nobody reads what is printed any more."""
        path = self.folder / "log.txt"
        check_run(path)
        try:
            with open(path, "a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(line + "\n")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}; free some space and --resume") from None
        try:
            print(line, flush=True)
        except OSError as error:  # `train.py | head`: a run that ends early says so
            from common.endings import unread_run

            raise UserError(unread_run(error, self.folder)) from None
