"""Beam searches step by step: of the example in lesson 7, and of any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from book.lessons.cells import namespace
from common.search.beams import Beam, advance_best
from common.text.vocab import Vocabulary


class Table:
    """A model whose next word depends on all words before it, as lesson 7's `next_word` says; after anything else the
    sentence ends. It has the form that search asks for."""

    def __init__(self, words: Sequence[str] = ("rurnal", "mega", "ya")):
        self.vocab = Vocabulary(words)

    def start(self, batch_size: int) -> list[tuple[int, ...]]:
        return [()] * batch_size

    def advance(self, state: list, words: Sequence[int]) -> tuple[list, np.ndarray]:
        """Read one word a row; all words before each, and log P(next word), (rows, vocabulary)."""
        state = [(*before, word) for before, word in zip(state, words, strict=True)]
        probs, next_word = np.zeros((len(state), len(self.vocab))), namespace("07")["next_word"]
        for row, ids in enumerate(state):
            so_far = " ".join(self.vocab.decode(ids))
            for word, prob in next_word.get(so_far, {"</s>": 1.0}).items():
                probs[row, self.vocab.ids[word]] = prob
        with np.errstate(divide="ignore"):
            return state, np.log(probs)

    def select(self, state: list, rows: Sequence[int]) -> list:
        return [state[row] for row in rows]


class Candidate(NamedTuple):
    """A continuation that competed in one step of a beam search."""

    words: tuple[str, ...]
    log_prob: float
    kept: bool


def traced(model, size: int, shown: int, steps: int = 100) -> list[list[Candidate]]:
    """A beam search for one sentence, step by step: the continuations of each, the best first.

    It is common.search's own `Beam`. shown: how many next words of each hypothesis are listed, at least `size`.
    """
    beam, state, competitions = Beam(size), model.start(1), []
    while beam.live and len(competitions) < steps:
        before, ended = beam.live, len(beam.ended)
        state, words, log_probs = advance_best(model, state, [partial.last for partial in before], shown)
        parents = beam.advance(words, log_probs, [None] * len(before))
        survivors = {partial.ids for partial in (*beam.live, *beam.ended[ended:])}
        longer = [
            before[row].extended(words[row, place], log_probs[row, place], None)
            for row, place in zip(*np.nonzero(np.isfinite(log_probs)), strict=True)
        ]
        longer.sort(key=lambda partial: -partial.log_prob)
        competitions.append([
            Candidate(tuple(model.vocab.words[i] for i in partial.ids), partial.log_prob, partial.ids in survivors)
            for partial in longer
        ])  # fmt: skip
        state = model.select(state, parents)
    return competitions
