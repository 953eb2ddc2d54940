"""The worked example of chapter 7 on BLEU: one translation of a trained model, counted by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from book.figures.recorded import recorded
from book.worked.ch07 import CHAPTER
from common.evaluation.metrics import bleu

ORDERS = (1, 2, 3, 4)


class Matches(NamedTuple):
    """The n-grams of one order: how many of the translation the reference holds, and how many it has."""

    found: int
    all: int


def translation() -> tuple[list[str], list[str], list[str]]:
    """The source, the reference, and what the recorded model wrote."""
    example = recorded(CHAPTER)["bleu"]
    return tuple(example[name].split() for name in ("source", "reference", "found"))


def ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram of this order occurs."""
    return Counter(tuple(words[first : first + order]) for first in range(len(words) - order + 1))


def matches(found: Sequence[str], reference: Sequence[str], order: int) -> Matches:
    """Each n-gram of the translation counts at most as often as the reference has it."""
    ours = ngrams(found, order)
    return Matches((ours & ngrams(reference, order)).total(), ours.total())


def brevity_penalty(found: int, reference: int) -> float:
    """exp(1 - reference / found) where the translation has fewer words than the reference, else 1."""
    return math.exp(1 - reference / found) if found < reference else 1.0


def score(found: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU of one sentence, 0 to 100, where every order has a match (Papineni et al. 2002)."""
    logs = [math.log(one.found / one.all) for one in (matches(found, reference, order) for order in ORDERS)]
    return 100 * brevity_penalty(len(found), len(reference)) * math.exp(sum(logs) / len(logs))


def one_sentence() -> Iterator[float]:
    """BLEU of the recorded translation, every number on the way, and sacrebleu's."""
    _, reference, found = translation()
    logs = []
    for order in ORDERS:
        held = matches(found, reference, order)
        logs.append(math.log(held.found / held.all))
        yield from (order, held.found, held.all, held.found / held.all, logs[-1])
    mean = sum(logs) / len(logs)
    penalty = brevity_penalty(len(found), len(reference))
    yield from (mean, math.exp(mean))
    yield from (len(found), len(reference), 1, len(reference), len(found), penalty)
    yield from (100, penalty, math.exp(mean), score(found, reference), bleu([found], [reference]).value)
