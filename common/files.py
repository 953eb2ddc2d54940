"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from common.errors import UserError


@contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """Open a temporary file beside `path`; on success rename it to `path`, on any error remove it.

    mode: "w" (UTF-8 text, lines end in a line feed on every system) or "wb".
    Raises `UserError` where the file cannot be written (no permission, a full disk).
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    text = {"encoding": "utf-8", "newline": "\n"} if "b" not in mode else {}
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


def write_json(path: str | Path, value: object) -> None:
    """Write `value` as indented JSON, atomically; NaN and infinity are refused (they are not JSON)."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as file:
        file.write(text + "\n")
