"""Results of a model of pieces of words, one prediction per word."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from common.evaluation.perplexity import Evaluation, unknown_words
from common.text.corpus import Sentence
from common.text.subwords import MARK
from common.text.vocab import Vocabulary


def by_words(
    by_pieces: Evaluation, vocab: Vocabulary, targets: Sequence[Sentence], log_probs: Sequence[np.ndarray]
) -> Evaluation:
    """The results of a model of pieces, one prediction per word, so that they can be compared with a model of words.

    A word is given the sum of its pieces' log-probabilities. It is unknown where one of its pieces is.
    targets, log_probs: sentences of pieces, and for each (pieces + 1,) in nats. The total is the same either way; it is
    a lower bound on log P(words), because the model could have written them in other pieces too.
    """
    words = known = 0
    known_log_prob = after_first_log_prob = 0.0
    for pieces, found, unknown in zip(targets, log_probs, unknown_words(targets, vocab), strict=True):
        starts = [index for index, piece in enumerate(pieces) if piece.startswith(MARK)] + [len(pieces)]
        of_words = np.add.reduceat(found, starts)
        is_known = ~np.logical_or.reduceat([*unknown, False], starts)
        words, known = words + len(of_words), known + int(is_known.sum())
        known_log_prob += float(of_words[is_known].sum())
        after_first_log_prob += float(of_words[1:].sum())
    return dataclasses.replace(
        by_pieces,
        predictions=words,
        unknown=words - known,
        known_log_prob=known_log_prob,
        after_first_log_prob=after_first_log_prob,
    )
