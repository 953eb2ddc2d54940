"""The worked examples of chapter 10: errors multiply, BLEU of a sentence, risk and REINFORCE of three candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from chapters.beyond import mixing, objectives, rewards as scores
from tools.significance import critical_value

CHAPTER = "10_beyond"

RIGHT, LENGTH, LOST = 0.98, 12, 0.5
"""How often a word is right after right words; words of a translation; how often a word is wrong after an error."""
REFERENCE = "cestolan droduregai na trasku ka ?".split()
CANDIDATES = {
    "the reference": REFERENCE,
    "without the particle": "cestolan droduregai na trasku ?".split(),
    "with another name": "petedan droduregai na trasku ka ?".split(),
}
PROBABILITIES = np.array([0.10, 0.20, 0.40])
"""What a model gives to the three of them."""
ALPHAS = (1.0, 0.5)
SEEDS = ("1", "2", "3")
OBJECTIVES = ("likelihood", "scheduled", "risk", "reinforce")


def still_right(right: float = RIGHT) -> np.ndarray:
    """The probability that the first t words are right, t = 0 to 12."""
    return right ** np.arange(LENGTH + 1)


def wrong_words(lost: float) -> float:
    """How many words of a translation are wrong on average. lost: how often a word is, after an error."""
    before = still_right()[:-1]
    return float((before * (1 - RIGHT) + (1 - before) * lost).sum())


def errors() -> Iterator[float]:
    """The chance of a word, the length, the chance of a sentence; errors on average without and with harm."""
    yield from (RIGHT, LENGTH, RIGHT, still_right()[-1])
    yield from (LENGTH, 1 - RIGHT, wrong_words(1 - RIGHT), wrong_words(LOST))


def costs() -> np.ndarray:
    """1 - BLEU of the three candidates."""
    return np.array([1 - scores.sentence_bleu(one, REFERENCE) for one in CANDIDATES.values()])


def bleu() -> Iterator[float]:
    """For each candidate but the reference: matches and n-grams of n = 1 to 4, with 1 added from 2 on; then BLEU."""
    rows = list(CANDIDATES.values())[1:]
    for n in range(1, scores.LONGEST + 1):
        yield n
        for one in rows:
            found = scores.ngrams(one, n)
            extra = int(n > 1)
            yield (found & scores.ngrams(REFERENCE, n)).total() + extra
            yield found.total() + extra
    yield from (1, len(REFERENCE), len(rows[0]), math.exp(1 - len(REFERENCE) / len(rows[0])))
    yield from (scores.sentence_bleu(one, REFERENCE) for one in rows)


def by_log_probs(
    function: Callable[[dy.Expression], dy.Expression], log_probs: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The value of an expression of log-probabilities, those of the three unless others are given, and its gradient."""
    given = np.log(PROBABILITIES) if log_probs is None else log_probs
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(len(given), init=dy.NumpyInitializer(given))
    dy.renew_cg()
    expression = function(dy.reshape(parameter.expr(True), (len(given),), 1))
    value = expression.scalar_value()
    expression.backward()
    return value, parameter.grad_as_array().astype(np.float64)


def risk_at(alpha: float) -> tuple[float, np.ndarray]:
    """The risk of the three candidates, and its gradient by their log-probabilities, by the chapter's code."""
    return by_log_probs(lambda found: objectives.expected_cost(found, costs()[None], np.ones((1, 3), bool), alpha))


def shares(alpha: float) -> np.ndarray:
    """Q of the three candidates."""
    powers = PROBABILITIES**alpha
    return powers / powers.sum()


def risk() -> Iterator[float]:
    """For each candidate P, cost, Q times cost and the gradient with alpha 1; the risk; the same with alpha 1/2."""
    total, slope = risk_at(1.0)
    for p, cost, share, one in zip(PROBABILITIES, costs(), shares(1.0), slope, strict=True):
        yield from (p, cost, share, share * cost, one)
    yield total
    yield from (*shares(0.5), risk_at(0.5)[0])


def gradient_of_the_reference() -> Iterator[float]:
    """Its share, its cost, the risk and the gradient, with alpha 1."""
    total, slope = risk_at(1.0)
    yield from (shares(1.0)[0], costs()[0], total, slope[0])


def advantages() -> np.ndarray:
    """Each candidate's cost, less the mean of the others'."""
    return objectives.against_others(costs()[None])[0]


def reinforce() -> Iterator[float]:
    """For each sample its cost, the mean of the others, the advantage, and the gradient by log P."""
    found = advantages()
    _, slope = by_log_probs(lambda log_probs: objectives.policy_loss(log_probs, found[None]))
    for cost, advantage, one in zip(costs(), found, slope, strict=True):
        yield from (cost, cost - advantage, advantage, one)


def limit() -> Iterator[float]:
    """The gradient of risk over alpha for three alphas; two thirds of REINFORCE's."""
    for alpha in (1.0, 0.1, 0.01):
        yield from (alpha, *(risk_at(alpha)[1] / alpha))
    _, slope = by_log_probs(lambda log_probs: objectives.policy_loss(log_probs, advantages()[None]))
    yield from slope * 2 / 3


WORDS = np.array([0.5, 0.3, 0.2])
UNIFORM = np.array([0.30, 0.70, 0.15])


def gumbel() -> Iterator[float]:
    """For each of three words p, log p, the uniform number, its Gumbel noise, and the sum."""
    noise = -np.log(-np.log(UNIFORM))
    for row in zip(WORDS, np.log(WORDS), UNIFORM, noise, np.log(WORDS) + noise, strict=True):
        yield from row


def schedules() -> Iterator[float]:
    """The share of the reference's words at the beginning, half way, and at the end, for a quarter of own words."""
    for kind in ("linear", "exponential", "sigmoid"):
        yield from (getattr(mixing, objectives.MIXINGS[kind])(0.25, progress) for progress in (0.0, 0.5, 1.0))


def second_targets(epsilon: float) -> dict[str, float]:
    """What is to be predicted after the input a, in scheduled sampling of two equally probable translations, a b and
    b a, by a model that has learnt how they begin: each target word with its probability."""
    counted = dict.fromkeys("ab", 0.0)
    for first, second in ("ab", "ba"):
        for own in "ab":
            for word, share in ((first, epsilon), (own, 1 - epsilon)):
                counted[second] += share * (word == "a")
    return {word: share / sum(counted.values()) for word, share in counted.items()}


def optimum() -> Iterator[float]:
    """The probabilities of b and a after the input a, with a quarter of own words and with own words alone."""
    yield 0.75
    for epsilon in (0.75, 0.0):
        found = second_targets(epsilon)
        yield from (found["b"], found["a"])


def unlearnt() -> Iterator[float]:
    """The gradient of the risk by ln P of a reference with next to no share, and that of likelihood."""
    share, risk, alpha = 1e-4, 0.4, 1.0
    log_probs, two = np.log([share, 1 - share]), np.array([[0.0, risk / (1 - share)]])
    found, slope = by_log_probs(lambda one: objectives.expected_cost(one, two, np.ones((1, 2), bool), alpha), log_probs)
    yield from (share, found, alpha, slope[0], by_log_probs(objectives.reference_loss, log_probs)[1][0])


# --- what was recorded


def runs(objective: str) -> list[dict]:
    """The recorded runs of an objective, one for each seed."""
    return [recorded(CHAPTER)["runs"][objective][seed] for seed in SEEDS]


def gains(objective: str, figure: str = "bleu") -> list[float]:
    """What each run's result on test is more than before."""
    return [run["after"][figure] - run["before"][figure] for run in runs(objective)]


def results() -> Iterator[float]:
    """For each objective: its gain in BLEU with each seed, their mean, and the mean of the perplexity afterwards."""
    for objective in OBJECTIVES:
        found = gains(objective)
        yield from (*found, np.mean(found), np.mean([run["after"]["perplexity"] for run in runs(objective)]))


def ahead(objective: str) -> np.ndarray:
    """How much more than likelihood an objective gains, seed by seed, from the gains as they are printed."""
    return np.round(gains(objective), 2) - np.round(gains("likelihood"), 2)


def more_than_likelihood() -> Iterator[float]:
    """`ahead` of each objective and its mean; for REINFORCE the standard deviation, the standard error of the mean,
    degrees of freedom, Student's factor and the interval."""
    for objective in OBJECTIVES[1:]:
        yield from (*ahead(objective), ahead(objective).mean())
    found = ahead("reinforce")
    deviation, freedom = found.std(ddof=1), len(found) - 1
    error, factor = deviation / math.sqrt(len(found)), critical_value(freedom)
    yield from (deviation, error, freedom, factor, found.mean() - factor * error, found.mean() + factor * error)


def before() -> Iterator[float]:
    """The mean BLEU and perplexity of the models before, on test."""
    for figure in ("bleu", "perplexity"):
        yield np.mean([run["before"][figure] for run in runs("risk")])


FIRST = 5
"""Positions that are compared: later ones have few own prefixes left."""


def exposure() -> Iterator[float]:
    """Sentences; errors per hundred predictions after each kind of prefix, a mean of the rates from the second position
    on."""
    found = recorded(CHAPTER)["exposure"]
    yield found["reference"]["possible"][0]
    for prefixes in ("reference", "sampled", "greedy"):
        yield 100 * float(rates(prefixes)[1:FIRST].mean())


def uncertain() -> Iterator[float]:
    """The standard errors of the three means of `exposure`, in percentage points, each step taken as independent of the
    others; then the nats of the first positions by which the model misses the true distribution."""
    found = recorded(CHAPTER)["exposure"]
    for prefixes in ("reference", "sampled", "greedy"):
        share, steps = rates(prefixes)[1:FIRST], np.array(found[prefixes]["possible"][1:FIRST])
        yield 100 * math.sqrt((share * (1 - share) / steps).sum()) / len(share)
    for prefixes in ("reference", "sampled", "greedy"):
        yield float(np.mean(np.divide(found[prefixes]["excess"], np.maximum(found[prefixes]["possible"], 1))[1:FIRST]))


def rates(prefixes: str) -> np.ndarray:
    """The share of possible prefixes after which the most probable word is impossible, by position."""
    found = recorded(CHAPTER)["exposure"][prefixes]
    return np.array(found["wrong"]) / np.maximum(found["possible"], 1)


def survival() -> Iterator[float]:
    """Greedy translations whose first predictions have no error; how many the rates of the reference promise."""
    found = recorded(CHAPTER)["exposure"]
    yield found["greedy"]["possible"][FIRST - 1] - found["greedy"]["wrong"][FIRST - 1]
    yield found["reference"]["possible"][0]
    yield 100 * float(np.prod(1 - rates("reference")[:FIRST]))
    yield found["sampled"]["possible"][FIRST]
