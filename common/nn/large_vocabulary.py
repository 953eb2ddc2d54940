"""Softmaxes for a recurrent language model with a large vocabulary, which score few of the words in training.

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary, N real predictions among the
T*B.
"""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np

from common.nn import softmaxes
from common.nn.arrays import input_batch
from common.nn.full_softmax import Softmax, in_parts
from common.nn.softmax import fold_time
from common.nn.softmaxes import Output
from common.text.batching import Batch


def make_softmax(
    kind: str, collection: dy.ParameterCollection, words: int, log_frequencies: np.ndarray | None, settings: Any
) -> Softmax:
    """A softmax over hidden vectors and a vocabulary of so many words.

    kind: the name of a function of `softmaxes`, as in `CHEAPER`. log_frequencies: log P(word), (V,), that it is built
    on; without, all words are equal.
    """
    unigram = np.full(words, -np.log(words)) if log_frequencies is None else log_frequencies
    return getattr(softmaxes, kind)(Output(collection, settings.hidden_size, unigram, settings, None))


def few_scores_loss(softmax: Softmax, hidden: dy.Expression, batch: Batch, rng: Any) -> dy.Expression:
    """What training minimises, in nats, summed over the real predictions: (H, T) x B, or folded -> a scalar.

    rng: the generator that softmaxes which sample draw from; the others need none.
    """
    columns = real_columns(batch) if batch.predictions else np.zeros(1, int)
    vectors = dy.pick_batch_elems(folded(hidden), columns.tolist())
    loss = softmax.loss(vectors, batch.targets.T.ravel()[columns], rng)
    return loss if batch.predictions else loss * 0.0  # none of some process's sentences counts (--data-parallel)


def exact_log_probs(softmax: Softmax, hidden: dy.Expression, batch: Batch, words: int) -> np.ndarray:
    """The exact log P(target) in nats, 0 on padding: (H, T) x B, or folded -> (T, B). Ends the computation graph, so
    that however many words the vocabulary has, only `full_softmax.SCORES_AT_ONCE` of their scores are held at once."""
    vectors = folded(hidden).npvalue().reshape(-1, batch.targets.size, order="F")
    columns, targets = real_columns(batch), batch.targets.T.ravel()
    log_probs = np.zeros(batch.targets.size)
    for part in in_parts(columns, words):
        dy.renew_cg()
        log_probs[part] = softmax.log_probs(input_batch(vectors[:, part]), targets[part])
    return np.reshape(log_probs, batch.targets.shape, order="F")


def folded(hidden: dy.Expression) -> dy.Expression:
    """(H, T) x B, or that already folded, as (H,) x T*B (`fold_time`)."""
    return fold_time(hidden) if len(hidden.dim()[0]) > 1 else hidden


def real_columns(batch: Batch) -> np.ndarray:
    """Where the real predictions of a batch are among its T*B, time running fastest as in `fold_time`: (N,)."""
    return np.flatnonzero(batch.mask.T.ravel() > 0)
