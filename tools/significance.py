"""Would the difference between two systems also show on other sentences? Paired bootstrap resampling (Koehn 2004).

A system here is a kind of model that was trained several times, once a seed. Its figure is the mean of its trainings'.
The test sentences are drawn anew, with replacement, and whatever is drawn is drawn for all trainings of both systems:
their outputs for one sentence are no independent evidence, however many there are. (sacrebleu's own test, behind
`python -m tools.compare`, knows one training a system.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics.base import Metric

from common.corpus import Sentence


class Difference(NamedTuple):
    """How much larger the second system's figure is, in which interval 95% of the resamples have it, and the p-value.

    p: the share of resampled test sets on which the difference strays from the one that was found by at least as much
    as that one lies from zero.
    """

    found: float
    low: float
    high: float
    p: float


def statistics_of(metric: Metric, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> np.ndarray:
    """What each sentence adds to the figure of a corpus, (sentences, K); of BLEU, say, matches and lengths."""
    joined = [[" ".join(words) for words in sentences] for sentences in (hypotheses, references)]
    return np.array(metric._extract_corpus_statistics(joined[0], [joined[1]]), dtype=np.float64)


def score(metric: Metric, total: np.ndarray) -> float:
    """The figure of a corpus from the sum of its sentences' statistics, (K,)."""
    return metric._compute_score_from_stats(total.tolist()).score


def paired_bootstrap(
    metric: Metric, first: Sequence[np.ndarray], second: Sequence[np.ndarray], resamples: int, seed: int
) -> Difference:
    """Compare two systems: for each, the statistics of every training, each (sentences, K), of the same sentences."""
    sentences = len(first[0])
    drawn = np.random.default_rng(seed).multinomial(sentences, np.full(sentences, 1 / sentences), size=resamples)
    times = np.vstack([np.ones(sentences), drawn])
    found, *resampled = mean_scores(metric, second, times) - mean_scores(metric, first, times)
    strays = np.sum(np.abs(np.array(resampled) - found) >= abs(found))
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Difference(float(found), float(low), float(high), float((strays + 1) / (resamples + 1)))


def mean_scores(metric: Metric, trainings: Sequence[np.ndarray], times: np.ndarray) -> np.ndarray:
    """The mean figure of the trainings on each of N test sets: times (N, sentences), how often it has each sentence."""
    return np.mean([[score(metric, total) for total in times @ statistics] for statistics in trainings], axis=0)
