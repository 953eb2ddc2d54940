"""Arrays in an .npz file that can be looked into without being read: the system reads the pages that are touched.

The members of such a file are not compressed, so an array lies in it as it lies in memory. It can be mapped where it
begins at a multiple of its numbers' size, as `storage.write_arrays` sees to.
"""

from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import numpy as np

from common.saved_arrays import check_sizes

from .storage import LOCAL_HEADER


def map_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by name, to be read where they are looked at. Call it inside `files.reading`.

    The sums that tell of damage are not looked at, since they are those of the whole file.
    """
    arrays: dict[str, np.ndarray] = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        check_sizes(archive, os.path.getsize(path))
        for member in archive.infolist():
            if member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{member.filename} is compressed")
            file.seek(member.header_offset + LOCAL_HEADER - 4)
            file.seek(sum(struct.unpack("<HH", file.read(4))), os.SEEK_CUR)
            np.lib.format.read_magic(file)
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
            if len(shape) == 1 and file.tell() % kind.itemsize == 0:
                array: np.ndarray = np.memmap(path, kind, "r", file.tell(), shape)
            else:
                with archive.open(member) as whole:
                    array = np.lib.format.read_array(whole)
            arrays[member.filename.removesuffix(".npy")] = array
    return arrays
