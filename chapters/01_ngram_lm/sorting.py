"""Sorting more rows of numbers than fit into memory: parts of them are sorted and written, and then merged.

A sorted part is called a run. Merging reads the beginnings of all runs side by side and passes on what is certain to
come first. Every number is written once and read once, however many runs there are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from common.errors import UserError


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raises `UserError` where the folder cannot be written (no permission, a full disk)."""
    try:
        yield
    except BrokenPipeError:  # nobody reads what is printed meanwhile: no matter of this folder
        raise
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot write {folder}: {reason}; free some space or choose another place") from None


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """A new folder for files that are needed for a while; in the end, whatever happens, it is removed.

    What a killed process has left there is removed, too. Raises `UserError` as `writing` does.
    """
    try:
        with writing(folder):
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Rows:
    """Rows of numbers in a file: added at the end, read anywhere. With a width of 1 they are read as (rows,)."""

    def __init__(self, path: Path, width: int = 1, kind: type = np.int64):
        self.path, self.width, self.kind, self.size = path, width, np.dtype(kind), 0
        path.write_bytes(b"")

    def __len__(self) -> int:
        return self.size

    def add(self, rows: np.ndarray) -> None:
        """Write rows, (n,) or (n, width), behind those that are there."""
        with open(self.path, "ab") as file:
            file.write(np.ascontiguousarray(rows, dtype=self.kind).data)
        self.size += len(rows)

    def read(self, start: int, stop: int) -> np.ndarray:
        """The rows from `start` on and before `stop`, (n,) or (n, width)."""
        numbers = (min(stop, self.size) - start) * self.width
        block = np.fromfile(self.path, self.kind, numbers, offset=start * self.width * self.kind.itemsize)
        return block if self.width == 1 else block.reshape(-1, self.width)

    def chunks(self, most: int) -> Iterator[np.ndarray]:
        """All rows in their order, at most so many at a time."""
        for start in range(0, self.size, most):
            yield self.read(start, start + most)

    def mapped(self) -> np.memmap:
        """All of it as an array that the system reads where it is looked at; there must be a row."""
        return np.memmap(self.path, self.kind, "r")

    def remove(self) -> None:
        self.path.unlink()


class Sorter:
    """Rows of whole numbers, (n, width), that are added in any order and come back sorted by their first column.

    most: about how many of them are held in memory at a time.
    """

    def __init__(self, path: Path, width: int, most: int):
        self.runs, self.most = Rows(path, width), most
        self.ends: list[int] = []
        self.waiting: list[np.ndarray] = []
        self.held = 0

    def add(self, rows: np.ndarray) -> None:
        self.waiting.append(rows)
        self.held += len(rows)
        if self.held >= self.most:
            self.write_run()

    def write_run(self) -> None:
        """Sort what waits, and write it."""
        rows = np.concatenate(self.waiting)
        self.waiting, self.held = [], 0
        self.runs.add(rows[np.argsort(rows[:, 0])])
        self.ends.append(len(self.runs))

    def sorted(self) -> Iterator[np.ndarray]:
        """All rows in ascending order of their first column, a chunk at a time. Can be asked for once."""
        if self.waiting:
            self.write_run()
        yield from merge(self.runs, self.ends, max(self.most // max(len(self.ends), 1), 1))
        self.runs.remove()


def merge(runs: Rows, ends: list[int], block: int) -> Iterator[np.ndarray]:
    """The rows of several sorted runs in ascending order of their first column.

    ends: where in the file each run ends. block: how many rows of each are read at a time. What is not above the last
    row read of every run that goes on is certain to come before all that has not been read.
    """
    places, heads = [0, *ends[:-1]], [runs.read(0, 0)] * len(ends)
    while True:
        for number, (place, end) in enumerate(zip(places, ends, strict=False)):
            if not len(heads[number]) and place < end:
                heads[number] = runs.read(place, min(place + block, end))
                places[number] += len(heads[number])
        goes_on = [head[-1, 0] for head, place, end in zip(heads, places, ends, strict=False) if place < end]
        bound = min(goes_on, default=np.iinfo(np.int64).max)
        cuts = [np.searchsorted(head[:, 0], bound, side="right") for head in heads]
        rows = np.concatenate([runs.read(0, 0), *(head[:cut] for head, cut in zip(heads, cuts, strict=True))])
        if not len(rows):
            return
        heads = [head[cut:] for head, cut in zip(heads, cuts, strict=True)]
        yield rows[np.argsort(rows[:, 0], kind="stable")]  # quick where the parts are sorted already


def groups(
    chunks: Iterable[np.ndarray], summed: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Chunks of sorted rows; in each, where a new number begins in the first column; and the sizes of groups.

    A group may go on in the next chunk, so its size comes when the next group begins, or in the end with no rows.
    summed: the column whose sum is the size of a group; without one it is the number of its rows.
    """
    last, seen, opened, rows = -1, 0, np.empty(0, dtype=np.int64), None
    for rows in chunks:
        new = np.flatnonzero(np.diff(rows[:, 0], prepend=last))
        sizes = np.ones(len(rows), dtype=np.int64) if summed is None else rows[:, summed]
        until = seen + np.cumsum(sizes)
        opened = np.append(opened, (until - sizes)[new])
        yield rows, new, np.diff(opened)
        last, seen, opened = rows[-1, 0], until[-1], opened[-1:]
    if rows is not None:
        yield rows[:0], np.empty(0, dtype=np.int64), seen - opened
