"""Files that are read whole or not at all: JSON, and the arrays of a model; what is wrong with one is one line."""

from __future__ import annotations

import json
import math
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError

NO_FILE = "no such file; give the folder of a run that has finished an epoch"
CUT_SHORT = "cut short or not a saved model; train again or take another copy"
"""What is said of the file of a model that is missing, or damaged."""


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


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file that is not compressed, by name.

    Raises ValueError, before anything is read, for an archive that would take more memory than its file has bytes, and
    other errors for other damage: call it inside `reading`.
    """
    with zipfile.ZipFile(path) as archive:
        check_sizes(archive, os.path.getsize(path))
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def check_sizes(archive: zipfile.ZipFile, file_size: int) -> int:
    """How many numbers there are in all. Raises ValueError unless every member is as large as its header says, and all
    together fit into the file."""
    numbers = 0
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("compressed: a member may be far larger than its header states")
    if sum(member.file_size for member in members) > file_size:
        raise ValueError("the members are larger than the file")
    if len({member.filename for member in members}) < len(members):
        raise ValueError("two members have one name")
    for member in members:
        with archive.open(member) as file:
            version = np.lib.format.read_magic(file)
            read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # NumPy only warns of a header that it had to repair
                shape, _, kind = read_header[version](file)
            if kind.hasobject or file.tell() + math.prod(shape) * kind.itemsize != member.file_size:
                raise ValueError(f"{member.filename}: its size is not that of its header")
            numbers += math.prod(shape)
    return numbers


def read_facts(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Take the JSON object "about" out of arrays that were read. Raises an error where there is none."""
    facts = parse_json(str(arrays.pop("about")))
    if not isinstance(facts, dict):
        raise ValueError("not an object")
    return facts
