"""The worked examples of chapter 8 on priors on attention, and on coverage: two steps of the worked example, priced."""

from __future__ import annotations

import math
from collections.abc import Iterator

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from book.worked.ch08 import CHAPTER, QUERIES, SOURCE, look, numbers, scores
from common.chapters import chapter_module
from common.text.alignment import links_of

priors = chapter_module(CHAPTER, "attention_priors")

QUERY = QUERIES["galin"]
STRENGTH = 0.5
"""eta, the price of a word's distance from the diagonal; with as many source words as target words, rho is 1."""
STEP = 1
"""The target word *galin* stands at place 1, counted from 0 as in the code; the lesson counts from 1."""
JUMPS = (0.0, 0.0, 1.0)
"""w_-1, w_0 and w_1: only a jump to the next word is worth something."""
EXPECTED = 1
"""The fertility of each source word."""


def diagonal() -> np.ndarray:
    """What the course's position bias adds to the three scores."""
    collection = dy.ParameterCollection()
    bias = priors.PositionBias(collection, 1.0)
    bias.strength.set_value([[STRENGTH]])
    dy.renew_cg()
    return numbers(bias.scores(len(SOURCE), STEP)) + 0.0  # no minus zero


def moved_on() -> np.ndarray:
    """What the course's Markov bias adds to the three scores, after the weights of the first step."""
    before, _ = look(QUERIES["mirena"])
    collection = dy.ParameterCollection()
    bias = priors.MarkovBias(collection, len(JUMPS) // 2)
    bias.jumps.set_value([JUMPS])
    dy.renew_cg()
    return numbers(bias.matrix(len(SOURCE)) * dy.inputTensor(before))


def added_to_scores() -> Iterator[float]:
    """The dot scores of the step with a belief in the diagonal, and with one in jumps of one word."""
    yield from (STRENGTH, 1, STEP + 1, STEP + 1, JUMPS[-1], 0, *look(QUERIES["mirena"])[0])
    columns = [scores(QUERY)]
    for bias in (diagonal(), moved_on()):
        total = scores(QUERY) + bias
        columns += [bias, total, np.exp(total) / np.exp(total).sum()]
    for number, row in enumerate(zip(*columns, strict=True), start=1):
        yield from (number, *row)


def received() -> np.ndarray:
    """The weights of both steps, and their sum for each source word: (3, 3)."""
    first, second = (look(query)[0] for query in QUERIES.values())
    return np.array([first, second, first + second])


def fertilities() -> Iterator[float]:
    """What each source word has got after both steps, and what fertility adds to the loss, in units of lambda."""
    first, second, both = received()
    yield from (first[0], second[0], both[0], both[1], both[2], EXPECTED)
    prices = (both - EXPECTED) ** 2
    yield from (*prices, prices.sum())


def supervision() -> Iterator[float]:
    """What supervision adds to the loss in the step that writes *galin*, in units of lambda."""
    weight = look(QUERY)[0][SOURCE.index("galin")]
    yield from (weight, weight, -math.log(weight))


def agreeing() -> Iterator[float]:
    """What symmetry takes from the loss, in units of lambda: two weights that agree, and two that do not."""
    high, low = 0.9, 0.1
    yield from (high, high * high, low, high * low)


def uncovered() -> Iterator[float]:
    """What coverage takes from the log-probability for a word with little attention, in units of beta."""
    attention = 0.1
    yield from (attention, attention, -math.log(min(attention, 1.0)))


def with_priors() -> Iterator[int]:
    """How many true links the drawn pair has, and how many of them each of the three drawn models finds."""
    told = recorded(CHAPTER)["long"]
    true = {tuple(link) for link in told["links"]}
    yield len(true)
    for name in ("default", "position-bias", "supervised"):
        yield len(true & links_of(np.array(told["weights"][name])))
