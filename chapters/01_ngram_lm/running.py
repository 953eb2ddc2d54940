"""A cache of running text: what was said lately is likely to be said again (Kuhn and De Mori 1990).

`longer.Cache` remembers one sentence. Here a text is read in order, and the cache remembers its last words across
sentences: a distribution of the next word that changes with the text, interpolated with a model that does not
(Neubig 2017, section 3.5). Two of them: how often each word came lately, and how often it came after the same word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from common.evaluation.perplexity import LanguageModel, sentence_log_probs
from common.search.ensemble import mix
from common.text.corpus import Sentence

from .counts import join
from .tuning import tune_weight

WINDOWS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""How many predictions back a cache may reach; the best on dev is taken."""


class RunningText(NamedTuple):
    """A text in order, all (N,): each word read, the word or `</s>` that follows, and log P of it by a model, in nats.

    A sentence begins with reading `<s>`, whose id is that of `</s>`. Unknown words are `<unk>`, without their spelling.
    """

    inputs: np.ndarray
    words: np.ndarray
    log_probs: np.ndarray


class Cache(NamedTuple):
    """A cache that is mixed in: the order of its counts, how many predictions back it reaches, and its weight."""

    order: int
    window: int
    weight: float


CACHES = {"unigram cache": (1,), "bigram cache": (2,), "both": (1, 2)}
"""The orders of the caches that are tried together, mixed in one after the other."""


def read(model: LanguageModel, sentences: Sequence[Sentence]) -> RunningText:
    """What a model gives the sentences, one after the other."""
    inputs, words = join([model.vocab.encode(sentence) for sentence in sentences])
    return RunningText(inputs, words, np.concatenate(sentence_log_probs(model, sentences)))


def times_before(ids: np.ndarray, window: int) -> np.ndarray:
    """How often each id of a text stands among the `window` ids before it: (N,) -> (N,).

    Places are sorted by id: the places of one id lie side by side, and two binary searches find those of the window.
    """
    places = np.arange(len(ids))
    beginnings = np.unique(ids, return_inverse=True)[1] * (len(ids) + 1)
    sorted_places = np.sort(beginnings + places)
    first = np.maximum(places - window, 0)
    return np.searchsorted(sorted_places, beginnings + places) - np.searchsorted(sorted_places, beginnings + first)


def cache_probs(text: RunningText, order: int, window: int) -> np.ndarray:
    """P of each word by the counts of the last `window` predictions (Neubig 2017, Eq. 8): (N,).

    order 1: c(w) / all; order 2: c(the word before, w) / c(the word before). NaN where the divisor is 0.
    """
    histories = text.inputs if order == 2 else np.zeros_like(text.inputs)
    pairs = histories * (text.words.max() + 1) + text.words
    with np.errstate(invalid="ignore"):
        return times_before(pairs, window) / times_before(histories, window)


def adapted(text: RunningText, caches: Sequence[Cache]) -> np.ndarray:
    """log P of each word with the caches mixed in, (N,) in nats; where a cache is undefined, without it."""
    log_probs = text.log_probs
    for cache in caches:
        log_probs = mix(log_probs, cache_probs(text, cache.order, cache.window), cache.weight)
    return log_probs


def tune(text: RunningText, orders: Sequence[int]) -> list[Cache]:
    """The caches of these orders under which a text is most likely: first the first, then the next over the mixture."""
    caches: list[Cache] = []
    for order in orders:
        mixed = text._replace(log_probs=adapted(text, caches))
        tried = [tune_weight_in(mixed, order, window) for window in WINDOWS]
        caches.append(max(tried, key=lambda cache: adapted(mixed, [cache]).sum()))
    return caches


def tune_weight_in(text: RunningText, order: int, window: int) -> Cache:
    """The cache of this order and window, with the weight that EM finds."""
    cached = cache_probs(text, order, window)
    defined = ~np.isnan(cached)
    return Cache(order, window, tune_weight(np.exp(text.log_probs[defined]), cached[defined]))
