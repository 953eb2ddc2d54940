"""Files that are read whole or not at all, such as JSON; what is wrong with one is one line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError


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
    text = Path(path).read_text(encoding="utf-8")
    return parse_json(text)


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
