"""What cannot be chosen together: --prune and --counting disk are for methods that need nothing but counts."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from common.errors import UserError
from common.memory import limit
from common.memory_limit import gigabytes

from .disk_smoothing import DISK_METHODS


def check_prune(settings: Any) -> None:
    """Raises `UserError` for thresholds of --prune that cannot be, and for a smoothing that cannot prune."""
    prune, order = settings.prune, settings.order
    if not re.fullmatch("0(,[0-9]{1,9})*", prune):
        raise UserError(f"--prune {prune!r:.40}: write whole numbers, an order each and 0 for words: 0,0,1")
    thresholds = [int(threshold) for threshold in prune.split(",")]
    if any(threshold > longer for threshold, longer in pairwise(thresholds)):
        raise UserError(f"--prune {prune:.40}: no order can have a lower number than the one before")
    if len(thresholds) > order:
        raise UserError(f"--prune {prune:.40}: numbers for {len(thresholds)} orders, but --order {order}")
    if problem := not_by_counts_alone(settings):
        raise UserError(f"--prune: {problem}")


def check_disk(settings: Any, needed: int) -> None:
    """Raises `UserError` where the settings do not allow that n-grams are counted on disk.

    needed: the bytes that counting them in memory would take.
    """
    problem = not_by_counts_alone(settings) or ("not with --skip" if settings.skip else "")
    if problem:
        reason = "--counting disk" if settings.counting == "disk" else "--scheduler" if settings.scheduler else ""
        why = reason or f"{short_of(needed)}; on disk"
        raise UserError(f"{why}: {problem}")


def not_by_counts_alone(settings: Any) -> str:
    """What is wrong where the smoothing needs more than counts, and so cannot prune nor be estimated on disk."""
    if settings.smoothing in DISK_METHODS:
        return ""
    return f"not with --smoothing {settings.smoothing}; choose from {', '.join(DISK_METHODS)}"


def short_of(needed: int) -> str:
    """Says that counting in memory takes so many bytes, and that fewer may be used."""
    return f"counting in memory takes about {gigabytes(needed)}, and {gigabytes(limit())} may be used (--memory)"
