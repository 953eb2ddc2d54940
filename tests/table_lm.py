"""A bigram language model that is a table of known probabilities: what evaluation and search are judged by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.batching import Batch
from common.text.vocab import Vocabulary


class TableLM:
    """P(next word | last word) is `table[last word, next word]`, of any shape that the vocabulary asks for."""

    def __init__(self, words: Sequence[str], table: np.ndarray):
        self.vocab = Vocabulary(words)
        assert table.shape == (len(self.vocab), len(self.vocab)) and np.allclose(table.sum(axis=1), 1)
        with np.errstate(divide="ignore"):
            self.table = np.log(table)

    def log_probs(self, batch: Batch) -> np.ndarray:
        return self.table[batch.inputs, batch.targets]

    def start(self, batch_size: int) -> None:
        return None

    def advance(self, state: None, words: Sequence[int]) -> tuple[None, np.ndarray]:
        return None, self.table[np.asarray(words)]

    def select(self, state: None, rows: Sequence[int]) -> None:
        return None


def random_table(size: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(size), size=size)
