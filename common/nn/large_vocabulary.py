"""A recurrent language model for a large vocabulary: its softmax scores few of the words in training.

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary, N real predictions among the
T*B.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dynet as dy
import numpy as np

from common.nn import softmaxes
from common.nn.softmax import fold_time
from common.nn.softmaxes import Output
from common.nn.stacking import input_batch
from common.text.batching import Batch

SCORES_AT_ONCE = 2**24
"""How many scores of words an evaluation holds in memory side by side."""


class FewScores:
    """In front of the class of a model, which calls `add_embedding` and `add_output`: other words in, other words out.

    A batch reads few rows of the embedding, and its softmax, one of `CHEAPER`, few rows of its weights: both are lookup
    tables, of which the optimiser visits only those rows. Evaluation is exact all the same.

    choices: the chapter's choices of --softmax, with the names of functions of `softmaxes`.
    """

    choices: Mapping[str, Any]

    def add_embedding(self, settings: Any) -> dy.LookupParameters:
        """The embeddings of the words: (V, H)."""
        uniform = dy.UniformInitializer(settings.init_scale)
        return self.collection.add_lookup_parameters((len(self.vocab), settings.hidden_size), init=uniform)

    def add_output(self, settings: Any, log_frequencies: np.ndarray | None) -> None:
        """The softmax. log_frequencies: log P(word), (V,), that it is built on; without, all words are equal."""
        even = np.full(len(self.vocab), -np.log(len(self.vocab)))
        unigram = even if log_frequencies is None else log_frequencies
        make = getattr(softmaxes, self.choices[settings.softmax])
        self.softmax = make(Output(self.collection, settings.hidden_size, unigram, settings, None))

    def few_scores_loss(self, hidden: dy.Expression, batch: Batch, rng: np.random.Generator) -> dy.Expression:
        """What training minimises, in nats, summed over the real predictions: (H, T) x B, or folded -> a scalar.

        rng: where the softmaxes that sample take their samples from.
        """
        columns = real_columns(batch) if batch.predictions else np.zeros(1, int)
        vectors = dy.pick_batch_elems(folded(hidden), columns.tolist())
        loss = self.softmax.loss(vectors, batch.targets.T.ravel()[columns], rng)
        return loss if batch.predictions else loss * 0.0  # none of some process's sentences counts (--data-parallel)

    def exact_log_probs(self, hidden: dy.Expression, batch: Batch) -> np.ndarray:
        """The exact log P(target) in nats, 0 on padding: (H, T) x B, or folded -> (T, B). Ends the computation graph,
        so that however many words there are, only `SCORES_AT_ONCE` of their scores are held at once."""
        vectors = folded(hidden).npvalue().reshape(-1, batch.targets.size, order="F")
        columns, targets = real_columns(batch), batch.targets.T.ravel()
        found = np.zeros(batch.targets.size)
        for part in in_parts(columns, len(self.vocab)):
            dy.renew_cg()
            found[part] = self.softmax.log_probs(input_batch(vectors[:, part]), targets[part])
        return np.reshape(found, batch.targets.shape, order="F")


def in_parts(predictions: np.ndarray, words: int) -> list[np.ndarray]:
    """Predictions in parts, each of which holds at most `SCORES_AT_ONCE` scores of words, or is a single one."""
    most = max(1, SCORES_AT_ONCE // words)
    return np.array_split(predictions, -(-len(predictions) // most))


def folded(hidden: dy.Expression) -> dy.Expression:
    """(H, T) x B, or that already folded, as (H,) x T*B (`fold_time`)."""
    return fold_time(hidden) if len(hidden.dim()[0]) > 1 else hidden


def real_columns(batch: Batch) -> np.ndarray:
    """Where the real predictions of a batch are among its T*B, time running fastest as in `fold_time`: (N,)."""
    return np.flatnonzero(batch.mask.T.ravel() > 0)
