"""Sentences drawn from a translation model, many at once, by noise that DyNet adds to the log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary


def draw_words(log_probs: dy.Expression) -> np.ndarray:
    """One word per row, drawn from exp(log_probs): (V,) x rows in nats -> (rows,).

    argmax(log p + g) is distributed as p where each g is Gumbel noise, -log(-log u) with u uniform (Gumbel 1954). So
    only the words that were drawn leave DyNet, not the probabilities of all words.
    """
    shape, rows = log_probs.dim()
    noisy = log_probs + dy.random_gumbel(shape, batch_size=rows)
    return noisy.tensor_value().argmax(0).as_numpy().ravel().astype(int)


def draw_sentences(model: Any, sources: Sequence[Sequence[int]], number: int, limit: int) -> list[list[int]]:
    """`number` samples from P(E | F) for each source, in a computation graph of their own, side by side by source.

    A sample is the word ids that were predicted, `</s>` included; one that reached `limit` predictions has none.
    """
    dy.renew_cg()
    rows = np.repeat(np.arange(len(sources)), number)
    state, words = model.select(model.encode(sources), rows.tolist()), np.full(len(rows), Vocabulary.boundary)
    samples: list[list[int]] = [[] for _ in rows]
    open_rows = np.ones(len(rows), dtype=bool)
    for _ in range(limit):
        state, log_probs = model.next_words(state, words.tolist())
        words = draw_words(log_probs)
        for row in np.flatnonzero(open_rows):
            samples[row].append(int(words[row]))
        open_rows &= words != Vocabulary.boundary
        if not open_rows.any():
            break
    return samples


def sources_of(batch: PairBatch) -> list[list[int]]:
    """The source sentences of a batch, without its padding, and with their trees where a model follows them."""
    lengths = batch.source_mask.sum(axis=0).astype(int)
    sources = [column[:length].tolist() for column, length in zip(batch.source.T, lengths, strict=True)]
    if all(tree is None for tree in batch.trees):
        return sources
    from common.text.trees import Parsed

    return [Parsed(*both) for both in zip(sources, batch.trees, strict=True)]


def references_of(batch: PairBatch) -> list[list[int]]:
    """What has to be predicted for each pair of a batch: the words of the target and `</s>`."""
    lengths = batch.target.mask.sum(axis=0).astype(int)
    return [column[:length].tolist() for column, length in zip(batch.target.targets.T, lengths, strict=True)]
