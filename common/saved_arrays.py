"""The arrays of a saved model, which are read whole or not at all."""

from __future__ import annotations

import math
import os
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from common.files import parse_json

NO_FILE = "no such file; give the folder of a run that has finished an epoch"
CUT_SHORT = "cut short or not a saved model; train again or take another copy"
"""What is said of the file of a model that is missing, or damaged."""


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file that is not compressed, by name.

    Raises ValueError, before anything is read, for an archive that would take more memory than its file has bytes, and
    other errors for other damage: call it inside `files.reading`.
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
