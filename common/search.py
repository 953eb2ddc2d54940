"""Getting sentences out of a language model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from common.evaluation import LanguageModel


class Sample(NamedTuple):
    """A sampled sentence and its log-probability in nats, `</s>` included where it was reached."""

    words: list[str]
    log_prob: float
    finished: bool


def sample(model: LanguageModel, number: int, rng: np.random.Generator, max_words: int = 100) -> list[Sample]:
    """Draw `number` sentences from the model, all side by side, word by word from P(next word | words so far).

    A sentence that reaches `max_words` words is cut there and marked as not finished.
    """
    boundary = model.vocab.boundary
    ids = [[] for _ in range(number)]
    log_probs, finished = np.zeros(number), np.zeros(number, dtype=bool)
    state, words = model.start(number), np.full(number, boundary)
    for _ in range(max_words):
        state, next_log_probs = model.advance(state, words.tolist())
        words = np.array([draw(distribution, rng) for distribution in next_log_probs])
        for sentence in np.flatnonzero(~finished):
            log_probs[sentence] += next_log_probs[sentence, words[sentence]]
            finished[sentence] = words[sentence] == boundary
            if not finished[sentence]:
                ids[sentence].append(int(words[sentence]))
        if finished.all():
            break
    return [
        Sample(model.vocab.decode(sentence), float(log_prob), bool(end))
        for sentence, log_prob, end in zip(ids, log_probs, finished, strict=True)
    ]


def draw(log_probs: np.ndarray, rng: np.random.Generator) -> int:
    """One id from a distribution given as log-probabilities (V,): where its running sum passes a random number."""
    cumulative = np.cumsum(np.exp(log_probs, dtype=np.float64))
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
