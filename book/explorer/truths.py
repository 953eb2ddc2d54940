"""What is true of a corpus: the grammar that wrote it, where it is one of ours."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

from common.errors import UserError
from common.text.corpus import find_corpus, read_all_facts, read_sentences
from data import oracle, pairs
from data.pair_truth import PairTruth

from .bounds import MOST_TRANSLATED
from .shelf import LANGUAGE, TRANSLATION

TRIED = 10
"""Sentences of a corpus that the village grammar must be able to say."""
DRAWN_FROM = 300
"""Sentences of a dev split that examples are taken from."""


def is_village(corpus: str) -> bool:
    """Whether the village grammar wrote a text: whether it can say the first sentences of its training split."""
    try:
        return village_says(find_corpus(corpus) / "train.txt")
    except UserError:  # not kept in mind: the corpus may come yet
        return False


@cache
def village_says(path: Path) -> bool:
    sentences = read_sentences(path)[:TRIED]
    return all(math.isfinite(oracle.log_prob(sentence)) for sentence in sentences)


def pair_truth(corpus: str) -> PairTruth | None:
    """The grammar that wrote a corpus of pairs; None where it is not one of ours."""
    try:
        return truth_in(find_corpus(corpus, "train.source"))
    except UserError:
        return None


@cache
def truth_in(folder: Path) -> PairTruth:
    return pairs.truth_of(folder.name, read_all_facts(folder))


def first_impossible(sentence: list[str]) -> int | None:
    """The place of the first word that the village grammar cannot say after those before it, from 0; None without one.

    It is the length of the sentence where that may not end there.
    """
    costs = oracle.token_log_probs(sentence)
    return next((place for place, cost in enumerate(costs) if not math.isfinite(cost)), None)


FILES = {LANGUAGE: "dev.txt", TRANSLATION: "dev.source"}
MARKERS = {LANGUAGE: "train.txt", TRANSLATION: "train.source"}


def examples(corpus: str, kind: str, number: int = 6) -> tuple[str, ...]:
    """Sentences of the dev split to play with, short ones first; none where the corpus is gone. kind: of its models."""
    try:
        return examples_of(find_corpus(corpus, MARKERS[kind]) / FILES[kind], number)
    except UserError:
        return ()


@cache
def examples_of(path: Path, number: int) -> tuple[str, ...]:
    sentences = read_sentences(path)[:DRAWN_FROM]
    fitting = [" ".join(sentence) for sentence in sentences if len(sentence) <= MOST_TRANSLATED]
    by_length = sorted(dict.fromkeys(fitting), key=lambda text: (len(text), text))
    return tuple(by_length[:: max(len(by_length) // number, 1)][:number])
