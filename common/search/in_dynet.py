"""Sampling within DyNet, from an expression (V,) x rows of log-probabilities in nats: only few numbers leave it."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np

from common.nn.softmax import as_rows


def drawn_from(log_probs: dy.Expression, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One word per row, drawn from its distribution, and its log P: (rows,) each.

    As in `sampling.draw`, it is the word at which the running sum of the probabilities passes a random number. First
    its block of about sqrt(V) words is found, from the sums of the blocks, then the word within that block.
    """
    (size,), rows = log_probs.dim()
    width = math.isqrt(size)
    number = (size - 1) // width
    end = number * width  # behind the blocks there are one to `width` more words, each for itself
    probs = dy.exp(log_probs)
    blocks = dy.reshape(dy.pick_range(probs, 0, end), (width, number), rows)
    masses = as_rows(dy.concatenate([dy.sum_dim(blocks, [0]), dy.pick_range(probs, end, size)]))
    places, left = inverse_cdf(masses, rng.random(rows) * masses.sum(axis=1))
    within = as_rows(dy.pick_batch(blocks, np.minimum(places, number - 1).tolist(), dim=1))
    words = np.where(places < number, places * width + inverse_cdf(within, left)[0], end + places - number)
    return words, as_rows(dy.pick_batch(log_probs, words.tolist()))[:, 0]


def inverse_cdf(masses: np.ndarray, marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the running sum of each row passes its mark, and what is left of the mark there: (rows, n), (rows,)."""
    sums = np.cumsum(masses, axis=1)
    marks = np.minimum(marks, np.nextafter(sums[:, -1], 0))  # rounding could put it behind the last of them
    places = (sums <= marks[:, None]).sum(axis=1)
    before = np.pad(sums, ((0, 0), (1, 0)))[np.arange(len(sums)), places]
    return places, marks - before
