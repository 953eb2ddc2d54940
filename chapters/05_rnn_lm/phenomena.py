"""Perplexity on the words that one phenomenon of the village decides."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from common.corpus import Sentence
from data.oracle import phenomena, token_log_probs

CORPUS = "village"


def show(columns: Mapping[str, Sequence[np.ndarray]], sentences: Sequence[Sentence]) -> None:
    """Print a row for each phenomenon, a column for the oracle and for each model.

    columns: by name, the log-probabilities of every sentence's words and `</s>`, in nats.
    """
    labels = [[*phenomena(sentence), "local"] for sentence in sentences]
    oracle = [np.array(token_log_probs(sentence)) for sentence in sentences]
    table = {name: by_label(labels, log_probs) for name, log_probs in {"oracle": oracle, **columns}.items()}
    width = max(map(len, table)) + 2
    print(f"\n{'decided by':12}{'words':>8}" + "".join(f"{name:>{width}}" for name in table))
    for label, (words, _) in sorted(table["oracle"].items(), key=lambda item: -item[1][0]):
        print(f"{label:12}{words:8,}" + "".join(f"{column[label][1]:{width}.2f}" for column in table.values()))


def by_label(labels: Sequence[Sequence[str]], log_probs: Sequence[np.ndarray]) -> dict[str, tuple[int, float]]:
    """How many predictions have each label, and the perplexity on them."""
    collected = defaultdict(list)
    for sentence_labels, costs in zip(labels, log_probs, strict=True):
        for label, cost in zip(sentence_labels, costs, strict=True):
            collected[label].append(float(cost))
    return {label: (len(found), math.exp(-math.fsum(found) / len(found))) for label, found in collected.items()}
