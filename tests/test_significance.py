"""The bootstrap over seeds and sentences: how often it errs, and its parts against sums written out."""

from __future__ import annotations

import random
from statistics import NormalDist

import numpy as np
import pytest

from common.evaluation.metrics import bleu, bleu_metric
from tools.compare import make_metrics
from tools.significance import (
    MOST_FREEDOM,
    between_runs,
    between_systems,
    critical_value,
    degrees_of_freedom,
    draw_test_sets,
    interval,
    paired,
    scores,
    statistics_of,
    two_sided,
)

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


@pytest.mark.parametrize("summaries", [False, True])
def test_statistics_add_up_to_the_score_of_the_corpus(references: Sentences, summaries: bool) -> None:
    if summaries:
        pytest.importorskip("rouge_score")
    hypotheses = spoilt(references, 0.2, 5)
    lines = [[" ".join(words) for words in sentences] for sentences in (hypotheses, references)]
    for name, metric in make_metrics(summaries).items():
        actual = scores(metric, statistics_of(metric, hypotheses, references), np.ones((1, len(references))))
        assert actual == pytest.approx([metric.corpus_score(lines[0], [lines[1]]).score], abs=1e-9), name


def test_two_runs_against_resampled_corpora(references: Sentences) -> None:
    """BLEU of each resampled corpus by the library, from the sentences themselves."""
    systems = [spoilt(references, rate, 1) for rate in (0.25, 0.2)]
    test_sets = draw_test_sets(len(references), 15, 7)
    assert test_sets.shape == (16, len(references)) and np.all(test_sets[0] == 1)
    assert np.all(test_sets.sum(axis=1) == len(references)) and len(np.unique(test_sets, axis=0)) == 16
    metric = bleu_metric()
    every = [scores(metric, statistics_of(metric, outputs, references), test_sets) for outputs in systems]
    actual = between_runs(*every)
    differences = []
    for times in test_sets.astype(int):
        indices = np.repeat(np.arange(len(references)), times)
        right = [references[i] for i in indices]
        first, second = (bleu([outputs[i] for i in indices], right).value for outputs in systems)
        differences.append(second - first)
    assert actual.found == pytest.approx(differences[0]) and actual.found > 0
    assert (actual.low, actual.high) == pytest.approx(tuple(np.percentile(differences[1:], [2.5, 97.5])))
    strays = sum(abs(difference - differences[0]) >= abs(differences[0]) for difference in differences[1:])
    assert actual.p == pytest.approx((strays + 1) / 16)


def drawn_systems(
    rng: np.random.Generator, test_sets: np.ndarray, noise: tuple[float, float, float], runs: int, better_by: float
) -> list[np.ndarray]:
    """Two systems by a score that is the mean of the sentences': their runs' scores on each test set.

    noise: standard deviations of a seed, of each output of a run, and of what a system is good at.
    """
    seeds, outputs, talents = noise
    sentences = test_sets.shape[1]
    difficulty, seeds_scores = rng.normal(0, 1, sentences), []
    for gain in (0.0, better_by):
        of_sentences = difficulty + gain + rng.normal(0, talents, sentences)
        every = of_sentences + rng.normal(0, seeds, (runs, 1)) + rng.normal(0, outputs, (runs, sentences))
        seeds_scores.append(every @ test_sets.T / sentences)
    return seeds_scores


TRIALS = 1000
TOLERANCE = 3 * (0.05 * 0.95 / TRIALS) ** 0.5
"""Three standard deviations of the share of errors, if each trial errs with a probability of 5%: 2.1 points."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "noise", [(1, 0, 0), (0, 10, 0), (0.5, 5, 5)], ids=["only seeds", "only outputs", "seeds, outputs, sentences"]
)
def test_five_seeds_of_one_system_are_rarely_called_different(noise: tuple[float, float, float]) -> None:
    """In 5% of the trials, whatever the noise is, in half of them for the better; the interval says the same as p.

    Shifting all scores of a system shifts the interval, so it misses a true difference just as rarely. The bounds would
    catch a bootstrap that draws sentences only, one without sqrt(n / (n - 1)) and Student's t (12%) or without the
    latter (9%), one that does not draw sentences (28%), and one that counts the noise of outputs twice (1%).
    """
    rng, test_sets = np.random.default_rng(3), draw_test_sets(100, 200, 1)
    better = worse = 0
    for trial in range(TRIALS):
        first, second = drawn_systems(rng, test_sets, noise, 5, 0.0)
        difference = between_systems(first, second, 200, trial)
        better += difference.p < 0.05 and difference.found > 0
        worse += difference.p < 0.05 and difference.found < 0
        assert (difference.p < 0.05) == (not difference.low <= 0 <= difference.high)
        if trial == 0:
            shifted = between_systems(first, second + 7, 200, trial)
            assert shifted[:3] == pytest.approx([value + 7 for value in difference[:3]])
    assert abs((better + worse) / TRIALS - 0.05) < TOLERANCE
    assert better > 0 and worse > 0


def test_seeds_alone_are_welchs_test() -> None:
    """Without resampled test sets: standard error and p are those of Welch's t-test , worked out by hand."""
    first, second = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([[4.0], [4.5], [5.0], [5.5], [6.0]])
    difference = between_systems(first, second, 20_000, 1)
    error, freedom = (2.5 / 5 + 0.625 / 5) ** 0.5, 0.625**2 / (0.5**2 / 4 + 0.125**2 / 4)
    assert difference.found == pytest.approx(2.0) and freedom == pytest.approx(5.882, abs=0.001)
    margin = 2.459 * error  # t of 5.88 degrees, from a table
    assert difference.high - difference.found == pytest.approx(margin, rel=0.03)
    assert difference.p == pytest.approx(0.0455, rel=0.08)


def test_a_sentence_that_decides_is_not_certain() -> None:
    """Runs that agree with each other but owe all to a few sentences: resampled sentences widen the interval."""
    test_sets = draw_test_sets(100, 500, 1)
    rng = np.random.default_rng(5)
    gains = np.zeros(100)
    gains[:2] = 50.0
    first, second = ((rng.normal(0, 0.01, (5, 1)) + gain) @ test_sets.T / 100 for gain in (np.zeros(100), gains))
    assert between_systems(first[:, :1], second[:, :1], 500, 1).p < 1e-6
    difference = between_systems(first, second, 500, 1)
    margin = 1.96 * 50 * 2**0.5 / 100
    assert difference.p > 0.05 and difference.high - difference.found == pytest.approx(margin, rel=0.15)


def test_what_cannot_be_known() -> None:
    first, second = np.array([[1.0, 1.5]]), np.array([[2.0, 2.5]] * 5)
    assert between_systems(first, second, 10, 1) == (1.0, None, None, None)
    assert between_runs(first[0, :1], second[0, :1]) == (1.0, None, None, None)
    assert between_systems(second, second, 10, 1) == (0, 0, 0, 1)
    assert between_runs(second[0], second[0]) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    "freedom, critical", [(1, 12.706), (2, 4.303), (4, 2.776), (8, 2.306), (30, 2.042), (MOST_FREEDOM, 1.960)]
)
def test_students_t_against_its_table(freedom: float, critical: float) -> None:
    assert critical_value(freedom) == pytest.approx(critical, abs=0.001)
    assert two_sided(critical, freedom) == two_sided(-critical, freedom) == pytest.approx(0.05, abs=1e-4)
    assert two_sided(0, freedom) == pytest.approx(1)
    if freedom == MOST_FREEDOM:
        assert two_sided(3, freedom) == pytest.approx(2 * NormalDist().cdf(-3), rel=0.01)


def test_degrees_of_freedom() -> None:
    assert degrees_of_freedom([1, 1, 0], [4, 4, np.inf]) == pytest.approx(8)
    assert degrees_of_freedom([1, 0, 0], [4, 4, np.inf]) == pytest.approx(4)
    assert degrees_of_freedom([1, 1, 2], [4, 4, np.inf]) == pytest.approx(32)
    assert degrees_of_freedom([0, 0, 1], [4, 4, np.inf]) == MOST_FREEDOM


def test_paired_differences_by_hand() -> None:
    """Differences 1, 2 and 3: standard error 1 / sqrt(3); Student's t has 4.3027 for 2 degrees of freedom."""
    difference = paired([1.0, 5.0, 2.0], [2.0, 7.0, 5.0])
    margin = 4.3027 / 3**0.5
    assert (difference.found, difference.low, difference.high) == pytest.approx((2, 2 - margin, 2 + margin), abs=1e-3)
    assert difference.p == pytest.approx(0.0742, abs=1e-3)
    assert interval([1.0, 2.0, 3.0]) == pytest.approx(margin, abs=1e-3)
    assert paired([1.0], [2.0]) == (1.0, None, None, None) and paired([1.0, 2.0], [2.0, 3.0]) == (1.0, 1.0, 1.0, 0.0)
