"""Decoding as the benchmarks measure it: greedy search or sampling for a fixed number of steps, whatever they find."""

from __future__ import annotations

from typing import Any

import numpy as np

from common.search.decoding import Searchable, best_word, next_words
from common.search.sampling import drawn_from
from common.text.vocab import Vocabulary


def decoded_steps(
    model: Searchable, state: Any, rows: int, steps: int, rng: np.random.Generator | None = None
) -> float:
    """Read `<s>`, then `steps - 1` times the most probable next word, in `rows` sentences side by side.

    state: where to start. rng: with it, words are drawn from their distribution instead. Unlike `search.greedy` it goes
    on after `</s>`, so that the work depends on neither the words nor the parameters. The sum of log P of the chosen
    words, in nats.
    """
    words, total = [Vocabulary.boundary] * rows, 0.0
    for _ in range(steps):
        state, distribution = next_words(model, state, words)
        chosen, log_probs = best_word(distribution) if rng is None else drawn_from(distribution, rng)
        words = chosen.tolist()
        total += float(log_probs.sum(dtype=np.float64))
    return total
