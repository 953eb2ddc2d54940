"""Every smoothing method of chapter 1 once more, with plain dictionaries, one probability at a time.

Written from the definitions, without a look at the code that it judges: an n-gram is a tuple of words, a sentence is
`<s>`, its words and `</s>`, and P(word | history) is a recursion over shorter and shorter histories.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

START, END = "<s>", "</s>"
Words = tuple[str, ...]


def count(sentences: Sequence[Sequence[str]], order: int) -> list[Counter]:
    """counts[n][n-gram] for n = 1 ... order (counts[0] is empty), for n-grams that end in a word or `</s>`."""
    counts = [Counter() for _ in range(order + 1)]
    for sentence in sentences:
        text = [START, *sentence, END]
        for end in range(1, len(text)):
            for n in range(1, order + 1):
                if end - n + 1 >= 0:
                    counts[n][tuple(text[end - n + 1 : end + 1])] += 1
    return counts


def followers(counts: Counter) -> dict[Words, dict[str, int]]:
    """For each history the counts of the words after it."""
    table = defaultdict(dict)
    for ngram, times in counts.items():
        if times > 0:
            table[ngram[:-1]][ngram[-1]] = times
    return table


class Reference:
    """P(word | history) by one method. words: every word that can be predicted, `</s>` and `<unk>` among them."""

    def __init__(self, sentences, order: int, words: Sequence[str], zero: dict[str, float], method: str, weights=None):
        self.order, self.words, self.zero, self.method, self.weights = order, list(words), zero, method, weights
        self.counts = count(sentences, order)
        if method.endswith("kneser-ney"):
            self.counts = continuation(self.counts)
        self.after = [followers(counter) for counter in self.counts]
        self.of = functools.cache(self.of)

    def sentence(self, sentence: Sequence[str]) -> list[float]:
        text = [START, *sentence, END]
        return [self.prob(text[end], tuple(text[:end])) for end in range(1, len(text))]

    def prob(self, word: str, history: Sequence[str]) -> float:
        history = tuple(history)[max(len(history) - self.order + 1, 0) :] if self.order > 1 else ()
        return self.of(word, history)

    def of(self, word: str, history: Words) -> float:
        """The recursion. At the end of it stands the distribution of order zero."""
        n = len(history) + 1
        shorter = (lambda w: self.of(w, history[1:])) if history else (lambda w: self.zero[w])
        seen = self.after[n].get(history, {})
        if not seen:
            return shorter(word)
        c, total = seen.get(word, 0), sum(seen.values())
        if self.method == "maximum-likelihood":
            return c / total
        if self.method == "fixed-weights":
            return (1 - self.weights[n - 1]) * c / total + self.weights[n - 1] * shorter(word)
        if self.method == "witten-bell":
            return (c + len(seen) * shorter(word)) / (total + len(seen))
        if self.method == "katz":
            return self.katz(word, n, seen, shorter)
        discount = discounts(self.counts[n], 3 if self.method.startswith("modified") else 1)
        discounted = sum(discount(times) for times in seen.values())
        return (c - (discount(c) if c else 0) + discounted * shorter(word)) / total

    def katz(self, word: str, n: int, seen: dict[str, int], shorter: Callable[[str], float]) -> float:
        ratio = katz_ratios(self.counts[n])
        total = sum(seen.values())
        if math.isclose(sum(times * ratio(times) for times in seen.values()), total):
            total += 1
        own = {w: times * ratio(times) / total for w, times in seen.items()}
        left = sum(shorter(w) for w in self.words if w not in seen)
        if left < 1e-9:
            return own.get(word, 0.0) / sum(own.values())
        return own[word] if word in own else (1 - sum(own.values())) * shorter(word) / left


def continuation(counts: list[Counter]) -> list[Counter]:
    """How many different words stand before each n-gram; n-grams that begin a sentence keep their counts."""
    changed = [counts[0]]
    for n in range(1, len(counts) - 1):
        before = defaultdict(set)
        for ngram in counts[n + 1]:
            before[ngram[1:]].add(ngram[0])
        changed.append(
            Counter({ngram: times if ngram[0] == START else len(before[ngram]) for ngram, times in counts[n].items()})
        )
    return [*changed, counts[-1]]


def discounts(counts: Counter, number: int) -> Callable[[int], float]:
    """One for all counts, or one each for 1, 2 and more; half of those counts where the text does not say."""
    n = Counter(counts.values())
    if number == 1:
        return lambda times: n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5
    estimates = {}
    if n[1] and n[2] and n[3]:
        share = n[1] / (n[1] + 2 * n[2])
        estimates = {r: r - (r + 1) * share * n[r + 1] / n[r] for r in (1, 2, 3)}
    if not estimates or any(not 0 < value < r for r, value in estimates.items()):
        estimates = {1: 0.5, 2: 1.0, 3: 1.5}
    return lambda times: estimates[min(times, 3)]


def katz_ratios(counts: Counter) -> Callable[[int], float]:
    """d_r = (r*/r - A) / (1 - A), A = (k+1) n_{k+1} / n_1, for the largest k up to 5 for which all lie in (0, 1)."""
    n = Counter(counts.values())
    for k in (5, 4, 3, 2, 1):
        if any(n[r] == 0 for r in range(1, k + 2)) or (k + 1) * n[k + 1] == n[1]:
            continue
        A = (k + 1) * n[k + 1] / n[1]
        ratios = {r: ((r + 1) * n[r + 1] / n[r] / r - A) / (1 - A) for r in range(1, k + 1)}
        if all(0 < value < 1 for value in ratios.values()):
            return lambda times, ratios=ratios: ratios.get(times, 1.0)
    return lambda times: 0.5 if times == 1 else 1.0
