"""Two ways to use words further back than n-1: a cache of the sentence's own words, and skip-grams.

Each is a second distribution, interpolated with the n-gram model (Neubig 2017, Eq. 9; section 3.5 names both).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from common.evaluation.perplexity import LanguageModel, evaluate
from common.search.ensemble import mix
from common.text.batching import Batch, make_batches
from common.text.histories import previous
from common.text.vocab import Vocabulary
from common.training.setup import Setup

from .counts import Level, count_level, count_words, join
from .model import NgramLM
from .smoothing import absolute, continuation_counts, interpolate
from .tuning import tune_weight


class Extra(Protocol):
    """A second distribution of the next word. Where it is undefined, its probabilities are NaN."""

    name: str

    def probs(self, batch: Batch) -> np.ndarray:
        """P(target | words before it) of every prediction, (T, B)."""
        ...

    def start(self, batch_size: int) -> Any: ...

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word per sentence: the new state, and P(next word), (B, V)."""
        ...


class State(NamedTuple):
    """The states of the two parts of a mixture."""

    base: Any
    extra: Any


class Mixture:
    """(1 - weight) base + weight extra, or base alone where extra is undefined. A `LanguageModel` again."""

    def __init__(self, base: LanguageModel, extra: Extra, weight: float):
        self.base, self.extra, self.weight = base, extra, weight
        self.vocab, self.plain_states = base.vocab, getattr(base, "plain_states", False)

    def mix(self, log_base: np.ndarray, extra: np.ndarray) -> np.ndarray:
        """Log-probabilities of the mixture, in nats, in the shape of both."""
        return mix(log_base, extra, self.weight)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B)."""
        return self.mix(self.base.log_probs(batch), self.extra.probs(batch))

    def start(self, batch_size: int) -> State:
        """The state before the first word."""
        return State(self.base.start(batch_size), self.extra.start(batch_size))

    def advance(self, state: State, words: Sequence[int]) -> tuple[State, np.ndarray]:
        """Read one word per sentence; the new state, and log P(next word), (B, V) in nats."""
        base, log_base = self.base.advance(state.base, words)
        extra, probs = self.extra.advance(state.extra, words)
        return State(base, extra), self.mix(log_base, probs)


def look_further_back(
    setup: Setup, model: LanguageModel, train_ids: list[list[int]], dev_ids: list[list[int]]
) -> LanguageModel:
    """Mix in the requested skip-grams and cache, with weights tuned on dev."""
    vocab, settings = model.vocab, setup.settings
    extras = [train_skip_gram(vocab, train_ids, distance) for distance in range(2, settings.skip + 1)]
    caches = [Cache(len(vocab))] if settings.cache else []
    mixed: list[Extra] = [*extras, *caches]
    for extra in mixed:
        weight = tune_weight(*probs_of_both(model, extra, make_batches(dev_ids, 64)))
        model = Mixture(model, extra, weight)
        figure = evaluate(model, setup.corpus.dev, settings.unk).perplexity
        setup.log(f"with {extra.name}, weight {weight:.3f}: perplexity on dev {figure:.2f}")
    return model


def probs_of_both(base: LanguageModel, extra: Extra, batches: Sequence[Batch]) -> tuple[np.ndarray, np.ndarray]:
    """The probability of each word of a text by both, wherever extra is defined: two arrays (predictions,)."""
    log_base = np.concatenate([base.log_probs(batch)[batch.mask > 0] for batch in batches])
    second = np.concatenate([extra.probs(batch)[batch.mask > 0] for batch in batches])
    defined = ~np.isnan(second)
    return np.exp(log_base[defined]), second[defined]


class Cache:
    """P(w) = the share of w among the words of the sentence so far (Kuhn and De Mori 1990). No parameters.

    Sentences are independent here, so the cache is emptied at each `<s>`; at the first word it is undefined.
    """

    name = "a cache"

    def __init__(self, vocabulary_size: int):
        self.vocabulary_size = vocabulary_size

    def probs(self, batch: Batch) -> np.ndarray:
        """P(target | words before it) of every prediction, (T, B)."""
        steps = np.arange(len(batch.inputs))
        past = (steps[None, 1:] <= steps[:, None])[:, :, None]  # input 0 is `<s>`, input t the word before target t
        same = batch.inputs[None, 1:] == batch.targets[:, None]
        with np.errstate(invalid="ignore"):
            return (same & past).sum(axis=1) / steps[:, None]

    def start(self, batch_size: int) -> np.ndarray:
        """How often each word was read, (B, V)."""
        return np.zeros((batch_size, self.vocabulary_size))

    def advance(self, state: np.ndarray, words: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Read one word per sentence: the new state, and P(next word), (B, V)."""
        read, counts = np.asarray(words), state.copy()
        counts[np.arange(len(read)), read] += 1
        counts[read == Vocabulary.boundary] = 0
        with np.errstate(invalid="ignore"):
            return counts, counts / counts.sum(axis=1, keepdims=True)


class SkipGram:
    """P(w | the word `distance` steps back), whatever lies between; `<s>` where the sentence has not begun.

    table: an n-gram model of order 2 of such pairs.
    """

    def __init__(self, table: NgramLM, distance: int):
        self.table, self.distance = table, distance
        self.name = f"skip-grams of distance {distance}"

    def probs(self, batch: Batch) -> np.ndarray:
        """P(target | words before it) of every prediction, (T, B)."""
        return np.exp(self.table.score([previous(batch.inputs, self.distance)], batch.targets))

    def start(self, batch_size: int) -> list[np.ndarray]:
        """The last words read, the oldest first, (B,) each."""
        return [np.full(batch_size, Vocabulary.boundary)] * self.distance

    def advance(self, state: list[np.ndarray], words: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray]:
        """Read one word per sentence: the new state, and P(next word), (B, V)."""
        last = [*state[1:], np.asarray(words)]
        return last, np.exp(self.table.distributions([last[0]]))


def train_skip_gram(vocab: Vocabulary, sentences: Sequence[Sequence[int]], distance: int) -> SkipGram:
    """Count pairs of words `distance` apart and smooth them by modified Kneser-Ney."""
    levels = count_pairs(sentences, distance, len(vocab))
    uniform = np.full(len(vocab), 1 / len(vocab))
    return SkipGram(interpolate(vocab, continuation_counts(levels), uniform, absolute(3)), distance)


def count_pairs(sentences: Sequence[Sequence[int]], distance: int, vocabulary_size: int) -> list[Level]:
    """Two levels: words, and pairs of the word `distance` steps back and the word."""
    inputs, targets = join(sentences)
    at_start = inputs == Vocabulary.boundary
    contexts = inputs
    for _ in range(distance - 1):
        contexts = np.where(at_start, Vocabulary.boundary, np.concatenate([[Vocabulary.boundary], contexts[:-1]]))
    level, _ = count_level(contexts, targets, targets, np.zeros(vocabulary_size, dtype=bool), vocabulary_size)
    return [count_words(targets, vocabulary_size), level]
