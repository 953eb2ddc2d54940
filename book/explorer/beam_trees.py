"""A beam search watched step by step: what competed, what stayed, what was pruned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from common.search.beams import Beam, EndScore, ScoredBeam, advance_best
from common.search.decoding import Hypothesis, Searchable, attention_of, forms

ENDED, KEPT, PRUNED = "ended", "kept", "pruned"


class Node(NamedTuple):
    """A beginning of a sentence that competed in a step of the search.

    parent: the number of the node that it continues, -1 for those of the first step. log_prob: of the whole beginning,
    in nats. step: from 1. fate: `KEPT` in the beam, `ENDED` with `</s>` and kept, or `PRUNED`.
    """

    parent: int
    word: str
    log_prob: float
    step: int
    fate: str


class Tree(NamedTuple):
    """The nodes of a search, the best of each step first, and what the search found, the best first.

    paths: for each hypothesis found, the numbers of its nodes.
    """

    nodes: list[Node]
    hypotheses: list[Hypothesis]
    paths: list[list[int]]


def grow(model: Searchable, size: int, most_words: int, score: EndScore | None = None, branches: int = 3) -> Tree:
    """Search for one sentence as `beams.beam_search` does, with its beams, and keep what competed.

    score: what decides between sentences that have ended, if not probability. branches: how many pruned ones are
    kept of each step, the most probable.
    """
    beam = Beam(size) if score is None else ScoredBeam(size, score, most_words)
    candidates = size if score is None else size + 1
    state, nodes, ((vocab, _),) = model.start(1), [], forms(model, 1)
    numbers: dict[tuple[int, ...], int] = {(): -1}
    for step in range(1, most_words + 1):
        before = beam.live
        last = [partial.last for partial in before]
        state, words, log_probs = advance_best(model, state, last, candidates + branches)
        words, log_probs = best_first(words, log_probs)
        attention = [attention_of(state, row) for row in range(len(before))]
        parents = beam.advance(words[:, :candidates], log_probs[:, :candidates], attention)
        live, ended = {partial.ids for partial in beam.live}, {partial.ids for partial in beam.ended}
        pruned = 0
        rows = zip(before, words, log_probs, strict=True)
        longer = [partial.extended(word, cost, None) for partial, row, costs in rows
                  for word, cost in zip(row, costs, strict=True) if np.isfinite(cost)]  # fmt: skip
        for partial in sorted(longer, key=lambda partial: -partial.log_prob):
            fate = KEPT if partial.ids in live else ENDED if partial.ids in ended else PRUNED
            pruned += fate == PRUNED
            if fate != PRUNED or pruned <= branches:
                numbers[partial.ids] = len(nodes)
                nodes.append(Node(numbers[partial.ids[:-1]], vocab.words[partial.last], partial.log_prob, step, fate))
        if step == most_words:
            parents = beam.cut()
        if not parents:
            break
        state = model.select(state, parents)
    hypotheses = beam.found()
    paths = [[numbers[partial.ids[:end]] for end in range(1, len(partial.ids) + 1)] for partial in hypotheses]
    return Tree(nodes, [partial.hypothesis(vocab) for partial in hypotheses], paths)


def best_first(words: np.ndarray, log_probs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row's next words by probability, the smaller word id first among equals: (rows, listed) each."""
    order = np.lexsort((words, -log_probs), axis=1)
    return np.take_along_axis(words, order, axis=1), np.take_along_axis(log_probs, order, axis=1)
