"""What takes minutes without an epoch (`loop.Meter` tells of those) says so, once its first steps were timed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
TIMED, LONG = 5, 120
"""Seconds after which the length of the whole is estimated, and seconds of the whole that are reported."""


def with_cost(steps: Sequence[T], description: str) -> Iterator[T]:
    """The steps one by one. After the first `TIMED` seconds, how long all of them will take, if that is long.
    description: of what takes so long, in words."""
    started, reported = time.perf_counter(), False
    for number, step in enumerate(steps, start=1):
        yield step
        seconds = time.perf_counter() - started
        if seconds > TIMED and not reported:
            reported, whole = True, seconds / number * len(steps)
            if whole > LONG:
                seen = f"judging by its first {number:,} of {len(steps):,} steps"
                print(f"{description} takes about {whole / 60:,.0f} minutes, {seen}", flush=True)
