"""Is the difference between two systems more than chance? A bootstrap over seeds and sentences.

A system is a kind of model that was trained several times, once per seed; its score is the mean of its runs' scores.
Two things could have been others: the seeds and the test sentences. Every resample draws both with replacement: runs
within each system, and sentences, the same for all runs of both systems. The standard deviation of the difference over
the resamples is its standard error. Two corrections keep it from being too small or too large:

- n runs that are drawn from n deviate too little from their mean, so their deviations are multiplied by
  sqrt(n / (n - 1)); and since the variance of five runs is known only roughly, the interval and p are those of
  Student's t with the degrees of freedom of Welch and Satterthwaite, not those of a normal distribution.
- How well one run happens to do on one sentence shows twice: runs differ by it, and drawn sentences do. It is counted
  once, with the runs: as in the quasi-F of Clark (1973), its variance is taken from that of the sentences.

`between_runs` knows two runs only and draws sentences only (Koehn 2004). It says nothing about systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics.base import Metric

from common.evaluation.metrics import join_words
from common.text.corpus import Sentence

MOST_FREEDOM = 10_000
"""Degrees of freedom from which on Student's t is taken for normal."""


class Difference(NamedTuple):
    """How much larger the second score is, its 95% interval, and the two-sided p; None where they cannot be known."""

    found: float
    low: float | None
    high: float | None
    p: float | None


def statistics_of(metric: Metric, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> np.ndarray:
    """What each sentence adds to the score of a corpus, (sentences, K); of BLEU, say, matches and lengths."""
    statistics = metric._extract_corpus_statistics(join_words(hypotheses), [join_words(references)])
    return np.array(statistics, dtype=np.float64)


def draw_test_sets(sentences: int, resamples: int, seed: int) -> np.ndarray:
    """How often each test set has each sentence, (1 + resamples, sentences). The first one is the test set itself."""
    counts = np.random.default_rng(seed).multinomial(sentences, np.full(sentences, 1 / sentences), size=resamples)
    return np.vstack([np.ones(sentences), counts])


def scores(metric: Metric, statistics: np.ndarray, test_sets: np.ndarray) -> np.ndarray:
    """The score of a run on each of N test sets, (N,). statistics: (sentences, K); test_sets: (N, sentences)."""
    return np.array([metric._compute_score_from_stats(total.tolist()).score for total in test_sets @ statistics])


def between_runs(first: np.ndarray, second: np.ndarray) -> Difference:
    """Compare two runs by their scores on the test set and on N resampled ones, (1 + N,) each.

    p is the share of resampled test sets on which the difference strays from the one that was found by at least as much
    as that one lies from zero. With N = 0 there is none.
    """
    difference, *resampled = second - first
    if not resampled:
        return Difference(float(difference), None, None, None)
    strays = np.sum(np.abs(np.array(resampled) - difference) >= abs(difference))
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Difference(float(difference), float(low), float(high), float((strays + 1) / (len(resampled) + 1)))


def between_systems(first: np.ndarray, second: np.ndarray, resamples: int, seed: int) -> Difference:
    """Compare two systems by the scores of their runs on the test set and on N resampled ones, (runs, 1 + N) each.

    N is `resamples`, or 0 where only the seeds are to be resampled. A system of one run has no interval and no p.
    """
    difference = float(second[:, 0].mean() - first[:, 0].mean())
    if min(len(first), len(second)) < 2:
        return Difference(difference, None, None, None)
    rng = np.random.default_rng(seed)
    parts = [draw_runs(system[:, 0], resamples, rng) for system in (first, second)]
    parts.append(effect_of_sentences(first, second) if first.shape[1] > 1 else np.zeros(resamples))
    error = float(np.std(parts[1] - parts[0] + parts[2]))
    if error == 0:
        return Difference(difference, difference, difference, float(difference == 0))
    freedom = degrees_of_freedom([part.var() for part in parts], [len(first) - 1, len(second) - 1, np.inf])
    margin = critical_value(freedom) * error
    return Difference(difference, difference - margin, difference + margin, two_sided(difference / error, freedom))


def paired(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Compare two systems seed by seed, with Student's t: the scores of their runs, in the same order of seeds."""
    differences = np.subtract(second, first)
    mean = float(differences.mean())
    if len(differences) < 2:
        return Difference(mean, None, None, None)
    freedom, error = len(differences) - 1, float(differences.std(ddof=1) / np.sqrt(len(differences)))
    if error == 0:
        return Difference(mean, mean, mean, float(mean == 0))
    margin = interval(differences)
    return Difference(mean, mean - margin, mean + margin, two_sided(mean / error, freedom))


def interval(values: Sequence[float]) -> float:
    """Half of the 95% interval of the mean of two values or more."""
    return critical_value(len(values) - 1) * float(np.std(values, ddof=1)) / np.sqrt(len(values))


def draw_runs(values: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How far the mean of n drawn runs is from that of the n runs, (resamples,), times sqrt(n / (n - 1))."""
    deviations = (values - values.mean()) * np.sqrt(len(values) / (len(values) - 1))
    return rng.choice(deviations, size=(resamples, len(values))).mean(axis=1)


def effect_of_sentences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How far the difference of the means is on resampled test sets from that on the test set itself, (N,).

    It is scaled down, so that its variance lacks what the variance over the runs contains already.
    """
    differences = second.mean(axis=0) - first.mean(axis=0)
    deviations = differences[1:] - differences[0]
    counted = variance_of_outputs(first) + variance_of_outputs(second)
    return deviations * np.sqrt(max(0.0, 1 - counted / max(deviations.var(), 1e-300)))


def variance_of_outputs(system: np.ndarray) -> float:
    """The variance of a system's mean that comes from what each run happens to write for each sentence."""
    deviations = system[:, 1:] - system[:, :1]
    return float(deviations.var(axis=0, ddof=1).mean() / len(system))


def degrees_of_freedom(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    """Of a sum of independent parts, each estimated with its own degrees of freedom (Welch 1947, Satterthwaite)."""
    share = sum(variance**2 / freedom for variance, freedom in zip(variances, freedoms, strict=True))
    return min(sum(variances) ** 2 / share, MOST_FREEDOM) if share > 0 else MOST_FREEDOM


@lru_cache(maxsize=1)  # a comparison needs it twice, for its interval and for p
def student(freedom: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles from 0 to pi / 2, and how probable it is that |t| > sqrt(freedom) tan(angle).

    With t = sqrt(freedom) tan(angle), the density of Student's t is proportional to cos(angle) ** (freedom - 1).
    """
    angles = np.linspace(0, np.pi / 2, 4_001)
    density = np.cos(angles) ** (freedom - 1)
    areas = density[1:] + density[:-1]
    return angles, np.append(np.cumsum(areas[::-1])[::-1], 0) / areas.sum()


def two_sided(t: float, freedom: float) -> float:
    """The probability that Student's t is at least as far from zero as this one, on either side."""
    return float(np.interp(np.arctan(abs(t) / np.sqrt(freedom)), *student(freedom)))


def critical_value(freedom: float, share: float = 0.05) -> float:
    """What |t| exceeds with this probability."""
    angles, beyond = student(freedom)
    return float(np.sqrt(freedom) * np.tan(np.interp(share, beyond[::-1], angles[::-1])))
