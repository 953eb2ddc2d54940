"""Results of a model of pieces of words, one prediction per word."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import Evaluation, unknown_words
from common.text.corpus import Sentence
from common.text.subwords import MARK
from common.text.vocab import Vocabulary

MOST_UNKNOWN = 20
"""Pieces a word, on average. Each costs 16 nats and more, and the exponential of 710 is too large for a number."""


def by_words(
    by_pieces: Evaluation, vocab: Vocabulary, targets: Sequence[Sentence], log_probs: Sequence[np.ndarray]
) -> Evaluation:
    """The results of a model of pieces, one prediction per word, so that they can be compared with a model of words.

    A word is given the sum of its pieces' log-probabilities. It is unknown where one of its pieces is.
    targets, log_probs: sentences of pieces, and for each (pieces + 1,) in nats. The total is the same either way; it is
    a lower bound on log P(words), because the model could have written them in other pieces too.
    """
    words = known_words = 0
    known_log_prob = after_first_log_prob = 0.0
    for pieces, piece_log_probs, unknown in zip(targets, log_probs, unknown_words(targets, vocab), strict=True):
        starts = starts_of_words(pieces)
        of_words = np.add.reduceat(piece_log_probs, starts)
        is_known = ~np.logical_or.reduceat([*unknown, False], starts)
        words, known_words = words + len(of_words), known_words + int(is_known.sum())
        known_log_prob += float(of_words[is_known].sum())
        after_first_log_prob += float(of_words[1:].sum())
    return dataclasses.replace(
        by_pieces,
        predictions=words,
        unknown=words - known_words,
        known_log_prob=known_log_prob,
        after_first_log_prob=after_first_log_prob,
    )


def log_probs_of_words(pieces: Sentence, log_probs: np.ndarray) -> np.ndarray:
    """The log-probability of each word, the sum of its pieces', and that of `</s>`.

    log_probs: (pieces + 1,) in nats; (words + 1,) is returned.
    """
    return np.add.reduceat(log_probs, starts_of_words(pieces))


def starts_of_words(pieces: Sentence) -> list[int]:
    """Where each word begins, and where `</s>` is, which is a word of one piece."""
    return [index for index, piece in enumerate(pieces) if piece.startswith(MARK)] + [len(pieces)]


def check_pieces(targets: Sequence[Sentence], vocab: Vocabulary, words: int, place: str) -> None:
    """Raises `UserError` where so many pieces are unknown that the perplexity of words would be infinite.

    words: how many there are, `</s>` counted. place: where the targets, which are sentences of pieces, stand.
    """
    unknown = [sum(flags) for flags in unknown_words(targets, vocab)]
    if sum(unknown) > MOST_UNKNOWN * words:
        worst = unknown.index(max(unknown))
        place_of_worst = f"{place}, sentence {worst + 1}: {unknown[worst]:,} unknown pieces"
        raise UserError(f"{place_of_worst}; with so many the perplexity of words would be infinite")
