"""What is true of a corpus: the grammar that wrote it, where it is one of ours."""

from __future__ import annotations

import math
from functools import cache

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


@cache
def is_village(corpus: str) -> bool:
    """Whether the village grammar wrote a text: whether it can say the first sentences of its training split."""
    try:
        sentences = read_sentences(find_corpus(corpus) / "train.txt")[:TRIED]
    except UserError:
        return False
    return all(math.isfinite(oracle.log_prob(sentence)) for sentence in sentences)


@cache
def pair_truth(corpus: str) -> PairTruth | None:
    """The grammar that wrote a corpus of pairs; None where it is not one of ours."""
    try:
        folder = find_corpus(corpus, "train.source")
        return pairs.truth_of(folder.name, read_all_facts(folder))
    except UserError:
        return None


def first_impossible(sentence: list[str]) -> int | None:
    """The place of the first word that the village grammar cannot say after those before it, from 0; None without one.

    It is the length of the sentence where that may not end there.
    """
    costs = oracle.token_log_probs(sentence)
    return next((place for place, cost in enumerate(costs) if not math.isfinite(cost)), None)


FILES = {LANGUAGE: "dev.txt", TRANSLATION: "dev.source"}
MARKERS = {LANGUAGE: "train.txt", TRANSLATION: "train.source"}


@cache
def examples(corpus: str, kind: str, number: int = 6) -> tuple[str, ...]:
    """Sentences of the dev split to play with, short ones first; none where the corpus is gone. kind: of its models."""
    try:
        sentences = read_sentences(find_corpus(corpus, MARKERS[kind]) / FILES[kind])[:DRAWN_FROM]
    except UserError:
        return ()
    fitting = [" ".join(sentence) for sentence in sentences if len(sentence) <= MOST_TRANSLATED]
    by_length = sorted(dict.fromkeys(fitting), key=lambda text: (len(text), text))
    return tuple(by_length[:: max(len(by_length) // number, 1)][:number])
