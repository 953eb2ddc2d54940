"""Decoding as the benchmarks measure it: greedy search for a fixed number of steps, whatever words it finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from common.search.decoding import Searchable, advance_best
from common.text.vocab import Vocabulary


def greedy_steps(model: Searchable, state: Any, rows: int, steps: int) -> float:
    """Read `<s>`, then `steps - 1` times the most probable next word, in `rows` sentences side by side.

    state: where to start. Unlike `search.greedy` it goes on after `</s>`, so that the work depends on neither
    the words nor the parameters. The sum of log P of the chosen words, in nats.
    """
    words, total = [Vocabulary.boundary] * rows, 0.0
    for _ in range(steps):
        state, best, log_probs = advance_best(model, state, words, 1)
        words = best[:, 0].tolist()
        total += float(log_probs.sum(dtype=np.float64))
    return total
