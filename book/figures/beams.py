"""Beam searches step by step: of the example in lesson 7, and of any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from book.explorer.beam_trees import PRUNED, Tree, grow
from book.lessons.cells import namespace
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


def steps_of(tree: Tree) -> list[list[Candidate]]:
    """What competed in each step of a search, the best first."""
    words: dict[int, tuple[str, ...]] = {-1: ()}
    steps: list[list[Candidate]] = [[] for _ in range(tree.nodes[-1].step)]
    for number, node in enumerate(tree.nodes):
        words[number] = (*words[node.parent], node.word)
        steps[node.step - 1].append(Candidate(words[number], node.log_prob, node.fate != PRUNED))
    return steps


def traced(model, size: int, steps: int = 100) -> list[list[Candidate]]:
    """A beam search for one sentence, step by step: all continuations of each, the best first."""
    return steps_of(grow(model, size, steps, branches=size * len(model.vocab)))
