"""Files that are written, or read, whole or not at all; what is wrong with one is one line."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from common.errors import UserError

writing = True  # of processes that train together, the first alone writes files
run_locks: dict[Path, os.stat_result] = {}
"""The lock file of the run that this process writes, and what it was when it was locked."""


@contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """Open a temporary file beside `path`; on success rename it to `path`, on any error remove it.

    mode: "w" (UTF-8 text, lines end in a line feed on every system; what UTF-8 cannot hold is escaped) or "wb".
    Raises `UserError` where the file cannot be written (no permission, a full disk).
    """
    if not writing:
        yield io.BytesIO() if "b" in mode else io.StringIO()
        return
    path = Path(path)
    check_run(path)
    temporary = path.parent / f".{path.name}.{os.getpid()}.part"  # with_name takes no path without a name
    text: Any = {} if "b" in mode else {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot write {path}: {reason}; free some space or choose another place") from None
    finally:
        with suppress(OSError):  # nothing was begun, or a folder on the way is not one
            temporary.unlink()


def check_run(path: Path) -> None:
    """Raises `UserError` for a file of a run whose folder was moved, deleted or replaced while this process trains: it
    would lie in a folder without the run's settings and words, or in that of another run."""
    for lock, about in run_locks.items():
        if lock.parent in path.parents and not (lock.exists() and os.path.samestat(lock.stat(), about)):
            raise UserError(
                f"{lock.parent}: the folder of this run was moved or deleted, so training stops; "
                "if it was moved, continue with --run-dir NEW-PLACE --resume"
            )


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write each line and a line feed behind it, atomically. Raises `UserError` as `atomic_write`."""
    with atomic_write(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def write_json(path: str | Path, value: object) -> None:
    """Write `value` as indented JSON, atomically. Raises `UserError` as `as_json`."""
    write_lines(path, [as_json(value, path)])


def as_json(value: object, place: str | Path) -> str:
    """`value` as indented JSON. Raises `UserError` where a number in it is not finite: of a damaged model, say."""
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise UserError(f"{place}: a result is not finite: a damaged model, a probability of 0, or no text") from None


@contextmanager
def reading(path: str | Path, missing: str, damaged: str) -> Iterator[None]:
    """Around code that reads a file and makes sense of it: whatever goes wrong is one line that names the file.

    missing, damaged: what the line says of a file that is not there, and of any other failure: damage leads to errors
    of all kinds, MemoryError among them.
    """
    try:
        yield
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError(f"{path}: {missing}") from None
    except Exception:
        raise UserError(f"{path}: {damaged}") from None


def read_json(path: str | Path) -> Any:
    """The JSON in a file. Raises ValueError or OverflowError for NaN, infinity and what is too large for 64 bits."""
    return parse_json(Path(path).read_text(encoding="utf-8"))


def read_object(path: str | Path, missing: str, damaged: str) -> dict[str, Any]:
    """The JSON object in a file. Raises `UserError`, as `reading` says, where there is none."""
    with reading(path, missing, damaged):
        value = read_json(path)
        if not isinstance(value, dict):
            raise ValueError
    return value


def parse_json(text: str) -> Any:
    """As `read_json`, of a text."""
    return json.loads(text, parse_constant=finite, parse_float=finite, parse_int=lambda n: int(np.int64(int(n))))


def finite(number: str) -> float:
    """A number as JSON writes it. Raises ValueError where it is not finite."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is not a finite number")
    return value
