"""Has everything been translated? A score of what a translation attended to (Wu et al. 2016, section 7)."""

from __future__ import annotations

import numpy as np

NEVER = 1e-9
"""The least attention that is not rounded to none, because log 0 is not finite."""


def coverage_score(attention: np.ndarray) -> float:
    """The sum over source words j of log min(sum over t of alpha_tj, 1): 0 where each was attended to once or more.

    attention: (target steps, source words). A word whose weights sum to less than 1 lowers the score; a sum above 1
    does not raise it.
    """
    return float(np.log(np.clip(np.asarray(attention, dtype=np.float64).sum(axis=0), NEVER, 1)).sum())
