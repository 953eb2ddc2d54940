"""Maximum likelihood without the n-gram assumption: the whole beginning of a sentence is the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from common.text.vocab import BOUNDARY


def count_prefixes(sentences: Iterable[Sequence[str]]) -> Counter[tuple[str, ...]]:
    """How many sentences begin with each string of words; whole sentences are strings that end with `</s>`."""
    counts = Counter()
    for sentence in sentences:
        whole = (*sentence, BOUNDARY)
        counts.update(whole[:length] for length in range(len(whole) + 1))
    return counts


def prefix_prob(counts: Counter[tuple[str, ...]], prefix: Sequence[str], word: str) -> float:
    """P(word | all words before it) = c(prefix, word) / c(prefix) (Neubig 2017, Eq. 5); 0 after an unseen prefix."""
    history = tuple(prefix)
    return counts[history + (word,)] / counts[history] if counts[history] else 0.0


def sentence_prob(counts: Counter[tuple[str, ...]], sentence: Sequence[str]) -> float:
    """P(|E| = T, e_1 ... e_T), the probability of these words and this length (Neubig 2017, Eq. 3), by Eq. 4 and 5."""
    probability = 1.0
    for position, word in enumerate((*sentence, BOUNDARY)):
        probability *= prefix_prob(counts, sentence[:position], word)
    return probability


def share_possible(train: Iterable[Sequence[str]], sentences: Sequence[Sequence[str]]) -> float:
    """The share of sentences that have a probability above 0 under this model."""
    counts = count_prefixes(train)
    return sum(sentence_prob(counts, sentence) > 0 for sentence in sentences) / len(sentences)
