"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Iterator

from common.errors import UserError


@contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """Open a temporary file beside `path`; on success rename it to `path`, on any error remove it.

    mode: "w" (UTF-8 text, lines end in a line feed on every system) or "wb".
    Raises `UserError` where the file cannot be written (no permission, a full disk).
    """
    path = Path(path)
    text = {"encoding": "utf-8", "newline": "\n"} if "b" not in mode else {}
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with os.fdopen(handle, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise UserError(f"cannot write {path}: {error.strerror or error}; free some space or choose another place")
    except BaseException:
        _remove(temporary)
        raise


def write_json(path: str | Path, value: object) -> None:
    """Write `value` as indented JSON, atomically; NaN and infinity are refused (they are not JSON)."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as file:
        file.write(text + "\n")


def _remove(path: str | None) -> None:
    if path is not None and os.path.exists(path):
        os.remove(path)
