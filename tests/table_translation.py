"""A translation model that is a few tables of known probabilities: what evaluation and search are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary


class State(NamedTuple):
    tables: np.ndarray
    attention: np.ndarray | None


class TableTranslation:
    """P(next word | last word, source): the table of the source's first word. All attention is on its last word."""

    def __init__(self, source_words: Sequence[str], words: Sequence[str], seed: int = 1, attends: bool = True):
        self.source_vocab, self.vocab, self.attends = Vocabulary(source_words), Vocabulary(words), attends
        size = len(self.vocab)
        tables = np.random.default_rng(seed).dirichlet(np.ones(size), size=(len(self.source_vocab), size))
        tables[..., 0] += 0.3  # so that sentences end
        self.tables = np.log(tables / tables.sum(axis=-1, keepdims=True))

    def log_probs(self, batch: PairBatch) -> np.ndarray:
        return self.tables[batch.source[0], batch.target.inputs, batch.target.targets]

    def encode(self, sources: Sequence[Sequence[int]]) -> State:
        longest = max(map(len, sources))
        attention = np.array([np.eye(longest)[len(source) - 1] for source in sources])
        return State(np.array([source[0] for source in sources]), attention if self.attends else None)

    def advance(self, state: State, words: Sequence[int]) -> tuple[State, np.ndarray]:
        return state, self.tables[state.tables, np.asarray(words)]

    def select(self, state: State, rows: Sequence[int]) -> State:
        rows = list(rows)
        return State(state.tables[rows], state.attention[rows] if self.attends else None)
