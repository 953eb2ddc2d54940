"""The results of a model on exactly the words of the village that one phenomenon decides."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from data.grammar import Grammar
from data.oracle import phenomena, token_log_probs
from data.village_phrases import village

LogProbs = Sequence[Sequence[float]]
"""For each sentence, log P of its words and of `</s>`, in nats."""


def labels_of(sentences: Sequence[Sequence[str]], grammar: Grammar = village) -> list[list[str]]:
    """What decides each word of each sentence, and `</s>`, which counts as local order."""
    return [[*phenomena(sentence, grammar), "local"] for sentence in sentences]


def by_label(labels: Sequence[Sequence[str]], log_probs: LogProbs) -> dict[str, tuple[int, float]]:
    """How many predictions have each label, and the perplexity on them."""
    collected = defaultdict(list)
    for labels_of_sentence, costs in zip(labels, log_probs, strict=True):
        for label, log_prob in zip(labels_of_sentence, costs, strict=True):
            collected[label].append(float(log_prob))
    return {label: (len(costs), perplexity(costs)) for label, costs in collected.items()}


def perplexity(log_probs: Sequence[float]) -> float:
    """exp of minus the mean of log-probabilities in nats (infinite where that overflows)."""
    try:
        return math.exp(-math.fsum(log_probs) / len(log_probs))
    except OverflowError:
        return math.inf


def oracle_log_probs(sentences: Sequence[Sequence[str]]) -> list[list[float]]:
    """What the true distribution gives the words of each sentence and `</s>`, in nats."""
    return [token_log_probs(sentence) for sentence in sentences]


def phenomena_table(sentences: Sequence[Sequence[str]], columns: Mapping[str, LogProbs]) -> str:
    """The oracle and each model by phenomenon, as a table for people. columns: name -> log-probabilities."""
    labels = labels_of(sentences)
    columns = {"oracle": oracle_log_probs(sentences), **columns}
    groups = {name: by_label(labels, log_probs) for name, log_probs in columns.items()}
    frequent_first = sorted(groups["oracle"], key=lambda label: -groups["oracle"][label][0])
    return perplexity_table(f"{'decided by':12}{'words':>8}", groups, frequent_first)


def perplexity_table(
    head: str, columns: Mapping[str, Mapping[str, tuple[int, float]]], order: Iterable[str], narrowest: int = 0
) -> str:
    """A line for each label, how many words it has, and their perplexity by each column. head: of the first two.

    narrowest: the least width of a column.
    """
    width, first = max(narrowest, *(len(name) + 2 for name in columns)), next(iter(columns.values()))
    lines = [head + "".join(f"{name:>{width}}" for name in columns)]
    for label in order:
        start = f"{label:{len(head) - 8}}{first[label][0]:8,}"
        lines.append(start + "".join(f"{column[label][1]:{width}.2f}" for column in columns.values()))
    return "\n".join(lines)
