"""Arrays in an .npz file that can be looked into without being read: the system reads the pages that are touched.

The members of such a file are not compressed, so an array lies in it as it lies in memory. It can be mapped where it
begins at a multiple of its numbers' size; `write_arrays` fills the gap before each member, and else is `numpy.savez`.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import numpy as np

from common.files import check_sizes

ALIGNED = 64
LOCAL_HEADER, ZIP64 = 30, 20
"""Bytes before the name of a member, and of what zipfile writes behind it for files of any size."""
FILLER = 0xD935
"""Says in an archive that a field only fills a gap."""
AT_ONCE = 2**20
"""Numbers that are copied at a time."""


def write_arrays(file: IO[bytes], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays as an .npz file, a part at a time; those that are mapped from another file are not read whole."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            gap = -(file.tell() + LOCAL_HEADER + len(member.filename) + ZIP64 + 4) % ALIGNED
            member.extra = struct.pack("<HH", FILLER, gap) + bytes(gap)
            with archive.open(member, "w", force_zip64=True) as out:
                np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(array))
                for part in some_at_a_time(array):
                    out.write(part.tobytes())


def some_at_a_time(array: np.ndarray) -> Iterator[np.ndarray]:
    """The numbers of an array in their order, some at a time."""
    for start in range(0, array.size, AT_ONCE):
        if isinstance(array, np.memmap):  # read, not mapped: what was mapped stays in memory as long as the array
            place = array.offset + start * array.itemsize
            yield np.fromfile(array.filename, array.dtype, min(AT_ONCE, array.size - start), offset=place)
        else:
            yield array.reshape(-1)[start : start + AT_ONCE]


def map_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by name, to be read where they are looked at. Call it inside `files.reading`.

    The sums that tell of damage are not looked at, since they are those of the whole file.
    """
    found = {}
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
                array = np.memmap(path, kind, "r", file.tell(), shape)
            else:
                with archive.open(member) as whole:
                    array = np.lib.format.read_array(whole)
            found[member.filename.removesuffix(".npy")] = array
    return found
