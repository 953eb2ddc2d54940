"""The paired bootstrap over several trainings: against resampled corpora written out sentence by sentence."""

from __future__ import annotations

import random

import numpy as np
import pytest

from common.metrics import bleu, bleu_metric
from tools.compare import make_metrics
from tools.significance import paired_bootstrap, score, statistics_of

WORDS = "ba do ku le mi no pa ru".split()
Sentences = list[list[str]]


@pytest.fixture(scope="module")
def references() -> Sentences:
    rng = random.Random(1)
    return [[rng.choice(WORDS) for _ in range(rng.randrange(4, 12))] for _ in range(120)]


def spoilt(references: Sentences, rate: float, seed: int) -> Sentences:
    """The references with a share of their words replaced."""
    rng = random.Random(seed)
    return [[word if rng.random() > rate else rng.choice(WORDS) for word in words] for words in references]


def rows(references: Sentences, rate: float, seed: int) -> np.ndarray:
    return statistics_of(bleu_metric(), spoilt(references, rate, seed), references)


@pytest.mark.parametrize("summaries", [False, True])
def test_statistics_add_up_to_the_figure_of_the_corpus(references: Sentences, summaries: bool) -> None:
    if summaries:
        pytest.importorskip("rouge_score")
    hypotheses = spoilt(references, 0.2, 5)
    joined = [[" ".join(words) for words in sentences] for sentences in (hypotheses, references)]
    for name, metric in make_metrics(summaries).items():
        found = statistics_of(metric, hypotheses, references)
        assert len(found) == len(references)
        expected = metric.corpus_score(joined[0], [joined[1]]).score
        assert score(metric, found.sum(axis=0)) == pytest.approx(expected, abs=1e-9), name


def test_against_resampled_corpora(references: Sentences) -> None:
    """Two trainings a system, BLEU of each resampled corpus by the library, from the sentences themselves."""
    systems = [[spoilt(references, rate, seed) for seed in (1, 2)] for rate in (0.25, 0.2)]
    metric = bleu_metric()
    first, second = ([statistics_of(metric, one, references) for one in system] for system in systems)
    found = paired_bootstrap(metric, first, second, 15, 7)
    draws = np.random.default_rng(7).multinomial(len(references), np.full(len(references), 1 / len(references)), 15)
    differences = []
    for times in [np.ones(len(references), int), *draws]:
        indices = np.repeat(np.arange(len(references)), times)
        drawn = [references[index] for index in indices]
        means = [np.mean([bleu([one[i] for i in indices], drawn).value for one in system]) for system in systems]
        differences.append(means[1] - means[0])
    assert found.found == pytest.approx(differences[0]) and found.found > 0
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(differences[1:], [2.5, 97.5])))
    strays = sum(abs(difference - differences[0]) >= abs(differences[0]) for difference in differences[1:])
    assert found.p == pytest.approx((strays + 1) / 16)


def test_what_differs_and_what_does_not(references: Sentences) -> None:
    good, alike, bad = rows(references, 0.1, 1), rows(references, 0.1, 2), rows(references, 0.4, 3)
    worse = paired_bootstrap(bleu_metric(), [good], [bad], 200, 1)
    assert worse.found < worse.high < 0 and worse.p < 0.01
    same = paired_bootstrap(bleu_metric(), [good], [alike], 200, 1)
    assert same.low < 0 < same.high and same.p > 0.05
    itself = paired_bootstrap(bleu_metric(), [good], [good], 200, 1)
    assert (itself.found, itself.low, itself.high, itself.p) == (0, 0, 0, 1)


def test_a_training_that_is_counted_twice_adds_no_evidence(references: Sentences) -> None:
    one, other = rows(references, 0.2, 1), rows(references, 0.18, 2)
    once = paired_bootstrap(bleu_metric(), [one], [other], 200, 1)
    assert 0.01 < once.p < 1
    assert paired_bootstrap(bleu_metric(), [one] * 3, [other] * 3, 200, 1) == pytest.approx(once)
