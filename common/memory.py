"""What a batch takes, before its graph is built: how much memory there is, and how much of it a model needs.

DyNet keeps every number of a computation graph until the next graph begins, so what a batch takes follows from its
size.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError

GIGABYTE = 2**30
SHARE = 0.75
"""Of the machine's memory: the limit unless --memory says another."""
HELP = "most memory to use, in GB or as 500MB; larger batches are divided; 0: three quarters of the machine's"
UNITS = {"KB": 2**-20, "MB": 2**-10, "GB": 1, "TB": 2**10}
"""In gigabytes."""
BASE = 300 * 2**20
"""Bytes of Python, DyNet and the other libraries."""
NUMBER = 4
"""Bytes of a number in DyNet."""
POOLS = 2
"""A graph that does not fit into the memory of the graphs before it gets more beside it, and DyNet gives nothing back:
at most twice the largest graph. A graph in training has as many gradients as numbers, in memory of their own."""
READ = 80
"""Most bytes for a parameter of a model that is read or trained by SGD. DyNet itself keeps 8; the rest is needed for a
moment, where the default DyNet hands the numbers to Python one by one."""
TRAINED = {"adam": 180}
"""The same with an optimiser that keeps more, and hands it over for a checkpoint."""
AT_ONCE = 2 * GIGABYTE
"""What a batch takes at most that is not trained on, where a smaller one is possible: more at once is no faster."""

_chosen = 0.0


class Footprint(NamedTuple):
    """How many numbers a model has, and how many it computes when it reads a sentence.

    parameters: of the model. word: for each prediction. source: for each word of a source sentence. pair: for each step
    and each position that it attends to: of the source, or of its own past where there is no source. kept: for each
    word of a source, what goes on from step to step of a search. trained: bytes for each parameter in training.
    """

    parameters: int
    word: int
    source: int = 0
    pair: int = 0
    kept: int = 0
    trained: int = READ

    def model(self, trained: bool = False) -> int:
        """The bytes that the program and the model take."""
        return BASE + self.parameters * (self.trained if trained else min(self.trained, READ))

    def reading(self, words: int, source: int = 0) -> int:
        """The bytes that one sentence of a batch takes, with so many predictions, and so many source words."""
        numbers = words * self.word + source * self.source + words * (source or words) * self.pair
        return POOLS * NUMBER * numbers

    def training(self, words: int, source: int = 0) -> int:
        """The same in training, where every number has a gradient."""
        return 2 * self.reading(words, source)


def read_size(text: str) -> float:
    """Gigabytes from what stands behind --memory: 2, 1.5GB or 500MB. Raises an error of argparse for anything else."""
    unit = text[-2:].upper()
    try:
        return float(text[:-2]) * UNITS[unit] if unit in UNITS else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of memory; write 2, 1.5GB or 500MB") from None


def set_limit(gigabytes: float) -> None:
    """From now on use at most so much memory (--memory); 0: `SHARE` of the machine's."""
    global _chosen
    _chosen = gigabytes


def limit() -> int:
    """The most bytes that this process may use."""
    return int(_chosen * GIGABYTE) or int(SHARE * machine_memory())


def check_model(footprint: Footprint, trained: bool) -> int:
    """The bytes that are left for batches. Raises `UserError` where the model itself does not fit."""
    needed = footprint.model(trained)
    if needed >= limit():
        raise UserError(
            f"a model with about {footprint.parameters:,} parameters takes up to {gigabytes(needed)}, and "
            f"{gigabytes(limit())} may be used; make it smaller (--hidden-size, --min-count), or raise --memory"
        )
    return limit() - needed


def rows_at_once(footprint: Footprint, words: int, source: int = 0, trained: bool = False) -> int:
    """How many sentences fit side by side, 1 or more, that have at most so many predictions and source words. Raises
    `UserError` where not even one does."""
    row = (footprint.training if trained else footprint.reading)(words, source)
    description = f"{'training on a sentence, or pieces of streams,' if trained else 'a sentence'} of {words - 1} words"
    room = check_rows(footprint, row, description + (f" and a source of {source}" if source else ""), trained)
    return max(1, (room if trained else min(room, AT_ONCE)) // row)


def check_rows(footprint: Footprint, needed: int, description: str, trained: bool = False) -> int:
    """The bytes that the model leaves for batches. Raises `UserError` where `what` needs more of them."""
    room = check_model(footprint, trained)
    if needed > room:
        raise UserError(
            f"{description} takes up to {gigabytes(limit() - room + needed)} with this model, "
            f"and {gigabytes(limit())} may be used; make it shorter, or raise --memory"
        )
    return room


def gigabytes(number: float) -> str:
    """Bytes as people read them."""
    return f"{number / GIGABYTE:.1f} GB" if number >= GIGABYTE else f"{number / 2**20:.0f} MB"


def machine_memory() -> float:
    """The bytes of memory of this machine, of the container that this process runs in, or of its limit (ulimit -v)."""
    if sys.platform == "win32":
        return windows_memory()
    return min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), cgroup_limit(), process_limit())


def process_limit() -> float:
    """How many bytes of memory the system lets this process have (ulimit -v); infinite without a limit."""
    if sys.platform == "win32":
        return math.inf
    import resource  # Windows has none

    size, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if size == resource.RLIM_INFINITY else size


def cgroup_limit(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """The smallest limit that Linux has set for the groups of processes that this one is in; infinite without any. In
    version 2 the file is memory.max, in version 1 memory/.../memory.limit_in_bytes."""
    limits = [math.inf]
    try:
        lines = [line.split(":", 2) for line in own.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return math.inf
    for _, controllers, place in lines:
        if controllers and "memory" not in controllers.split(","):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        inner = top / place.strip("/")
        for folder in (inner, *inner.parents):
            limits.append(limit_in(folder / name))
            if folder == top:
                break
    return min(limits)


def limit_in(path: Path) -> float:
    """The number in a file; infinite where there is none."""
    try:
        return int(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no such file, or "max"
        return math.inf


def windows_memory() -> int:
    """What Windows says: GlobalMemoryStatusEx, whose structure has the total as its third field."""
    status = (ctypes.c_ulonglong * 8)(64)  # the length of the structure, before the share that is in use
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return status[1]
