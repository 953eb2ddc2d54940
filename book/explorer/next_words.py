"""What language models say about the next word, and how far that is from the truth.

A distribution over next words is a NumPy array (V,) of log-probabilities in nats, in the order of a vocabulary. The
truth is a dictionary, word -> probability, from `data.oracle`; words that a vocabulary lacks are one `<unk>` together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from common.evaluation.perplexity import LanguageModel
from common.search.decoding import Hypothesis
from common.search.sampling import sample
from common.text.vocab import Vocabulary


def distributions(model: LanguageModel, words: Sequence[str]) -> np.ndarray:
    """log P(next word | `<s>` and the words so far) after none of the words, after one, ... : (n + 1, V), in nats."""
    state, rows = model.start(1), []
    for word in [Vocabulary.boundary, *model.vocab.encode(words)]:
        state, log_probs = model.advance(state, [word])
        rows.append(np.array(log_probs[0], dtype=np.float64))
    return np.stack(rows)


def surprisals(rows: np.ndarray, vocab: Vocabulary, words: Sequence[str]) -> list[float]:
    """-log P(word | words before it) of each word, n numbers in nats; an unknown word costs what `<unk>` costs."""
    return [-float(row[number]) for row, number in zip(rows, vocab.encode(words), strict=False)]


def over_vocabulary(truth: Mapping[str, float], vocab: Vocabulary) -> np.ndarray:
    """The true probabilities in the order of a vocabulary, (V,): what it lacks is added up in `<unk>`."""
    probs = np.zeros(len(vocab))
    for word, prob in truth.items():
        probs[vocab.ids.get(word, vocab.unknown)] += prob
    return probs


def divergence(truth: np.ndarray, log_probs: np.ndarray) -> float:
    """KL(P || Q) = sum of P (log P - log Q), in nats: what it costs on average to believe Q (V,) where P (V,) is true.

    truth: probabilities; log_probs: log Q. Infinite where Q is zero and P is not.
    """
    possible = truth > 0
    return float(np.sum(truth[possible] * (np.log(truth[possible]) - log_probs[possible])))


def shown_words(truth: Mapping[str, float], models: Sequence[tuple[Vocabulary, np.ndarray]], number: int) -> list[str]:
    """The words that a page lists: the most probable ones of the truth, or else of the mean of the models.

    With a truth, a quarter of the places is left for what the models find most probable beside it. A true word that a
    model does not know is listed, too.
    """
    totals: dict[str, float] = {}
    for vocab, log_probs in models:
        for place in np.argsort(-log_probs)[:number]:
            word = vocab.words[int(place)]
            totals[word] = totals.get(word, 0.0) + math.exp(log_probs[place]) / len(models)
    by_models = sorted(totals, key=lambda word: (-totals[word], word))
    by_truth = sorted(truth, key=lambda word: (-truth[word], word))
    if not truth:
        return by_models[:number]
    best = by_truth[: number - number // 4]
    return [*best, *[word for word in by_models if word not in best][: number - len(best)]]


def probability(vocab: Vocabulary, log_probs: np.ndarray, word: str) -> float:
    """What a model gives a word; 0 for one that it does not know."""
    return math.exp(log_probs[vocab.ids[word]]) if word in vocab else 0.0


class Continued:
    """A language model after a prefix, at a temperature: log P(word) / T, normalised again (a `decoding.Searchable`).

    T = 1 leaves the model as it is; near 0 only its best word is left; above 1 all words come closer together.
    """

    def __init__(self, model: LanguageModel, prefix: Sequence[str], temperature: float = 1.0):
        self.model, self.vocab, self.temperature = model, model.vocab, temperature
        self.prefix = model.vocab.encode(prefix)

    def start(self, batch_size: int) -> tuple[Any, bool]:
        return self.model.start(batch_size), True

    def advance(self, state: tuple[Any, bool], words: Sequence[int]) -> tuple[tuple[Any, bool], np.ndarray]:
        """Read one word per sentence; what `<s>` begins goes on with the prefix."""
        inner, first = state
        inner, log_probs = self.model.advance(inner, words)
        for word in self.prefix if first else ():
            inner, log_probs = self.model.advance(inner, [word] * len(words))
        scaled = np.asarray(log_probs, dtype=np.float64) / self.temperature
        return (inner, False), scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)


def continuations(
    model: LanguageModel, prefix: Sequence[str], number: int, seed: int, temperature: float, most_words: int
) -> list[Hypothesis]:
    """`number` random endings of a prefix. Their log-probabilities are those at this temperature."""
    return sample(Continued(model, prefix, temperature), number, np.random.default_rng(seed), most_words)


def unknown_words(vocab: Any, words: Sequence[str]) -> list[str]:
    """The words that a model reads as `<unk>`."""
    return [word for word in dict.fromkeys(words) if word not in vocab]
