"""How much memory this process may use, and what is said where a model or a sentence does not fit into it.

Loaded where --memory is given, or where a batch could come near the limit (`memory.Footprint`).
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import sys
from pathlib import Path
from typing import Any

from common.errors import UserError

GIGABYTE = 2**30
UNITS = {"KB": 2**-20, "MB": 2**-10, "GB": 1, "TB": 2**10}
"""In gigabytes."""


def read_size(text: str) -> float:
    """Gigabytes from what stands behind --memory: 2, 1.5GB or 500MB. Raises an error of argparse for anything else."""
    unit = text[-2:].upper()
    try:
        return float(text[:-2]) * UNITS[unit] if unit in UNITS else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of memory; write 2, 1.5GB or 500MB") from None


def rows_at_once(footprint: Any, limit: int, words: int, source: int = 0, trained: bool = False) -> int:
    """How many sentences fit side by side below a limit, 1 or more, that have at most so many predictions and source
    words. Raises `UserError` where not even one does. footprint: a `memory.Footprint`."""
    row = footprint.sentence(words, source, trained)
    description = f"{'training on a sentence, or pieces of streams,' if trained else 'a sentence'} of {words - 1} words"
    return check_rows(footprint, limit, row, description + f" and a source of {source}" * bool(source), trained) // row


def check_rows(footprint: Any, limit: int, needed: int, description: str, trained: bool = False) -> int:
    """The bytes that the model leaves for batches. Raises `UserError` where the model does not fit, or where what is
    described needs more of them."""
    model = footprint.model(trained)
    if model >= limit:
        raise UserError(
            f"a model with about {footprint.parameters:,} parameters takes up to {gigabytes(model)}, and "
            f"{gigabytes(limit)} may be used; make it smaller (--hidden-size, --min-count), or raise --memory"
        )
    if model + needed > limit:
        raise UserError(
            f"{description} takes up to {gigabytes(model + needed)} with this model, "
            f"and {gigabytes(limit)} may be used; make it shorter, or raise --memory"
        )
    return limit - model


def gigabytes(number: float) -> str:
    """Bytes as people read them."""
    return f"{number / GIGABYTE:.1f} GB" if number >= GIGABYTE else f"{number / 2**20:.0f} MB"


def machine_memory() -> float:
    """The bytes of memory of this machine, or of the container that this process runs in."""
    if sys.platform == "win32":
        return windows_memory()
    return min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), cgroup_limit())


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
