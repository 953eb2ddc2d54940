"""The convolutional encoder: filters over a few words at a time, and what is kept of what they find."""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np

from common.nn.bidirectional import Bridge
from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.nn.padding import real, without_padding
from common.nn.recurrent import State
from common.nn.softmax import FORBIDDEN

Pooling = Callable[[dy.Expression, np.ndarray, int], dy.Expression]
"""What is kept of (filters, T) x B, given each sentence's windows, (B,), and k, which only `k_max` reads."""


class ConvolutionalEncoder:
    """Filters, a tanh (Kim 2014), pooling (Neubig 2017, section 7.3.2), and a layer to the decoder's first states.

    A sentence that is shorter than the filters is read with zero vectors behind it, so that there is one window.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        pooling: Pooling,
        width: int,
        k: int,
    ):
        """As many filters as `size`, each `width` words wide. k: how many numbers of each stay with `k_max`."""
        self.pooling, self.width, self.kept = pooling, width, k if pooling is k_max else 1
        uniform = dy.UniformInitializer(init_scale)
        self.W = collection.add_parameters((size, width * size), init=uniform)
        self.b = collection.add_parameters(size, init=0)
        self.bridge = Bridge(collection, cell, self.kept * size, size, layers, init_scale)

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        words = with_zeros_behind(dropout(source.words), source.lengths, self.width + self.kept - 1)
        features = dy.tanh(dy.colwise_add(convolve(self.W, words, self.width), self.b))
        windows = np.maximum(source.lengths - self.width + 1, 1)
        return self.bridge([dropout(self.pool(features, windows))] * len(self.bridge.W))

    def pool(self, features: dy.Expression, windows: np.ndarray) -> dy.Expression:
        """One vector per sentence, (kept*filters,) x B; features (filters, T) x B, of which `windows` (B,) are real."""
        return self.pooling(features, windows, self.kept)


def convolve(W: dy.Parameters, words: dy.Expression, width: int) -> dy.Expression:
    """h_t = W concat(m_t, ..., m_{t+w-1}) for every window of w words (Neubig 2017, Eq. 68).

    W (filters, w*H), words (H, T) x B -> (filters, T-w+1) x B, by one product.
    """
    (_, time), _ = words.dim()
    windows = time - width + 1
    return W * dy.concatenate([dy.pick_range(words, first, first + windows, 1) for first in range(width)])


def average(features: dy.Expression, windows: np.ndarray, k: int = 1) -> dy.Expression:
    """The mean over each sentence's own windows: (filters, T) x B -> (filters,) x B."""
    (rows, time), batch = features.dim()
    shares = real(windows, time) / windows[:, None]
    return dy.reshape(features * columns(shares, (time, 1)), (rows,), batch)


def maximum(features: dy.Expression, windows: np.ndarray, k: int = 1) -> dy.Expression:
    """The largest number that each filter found in a sentence: (filters, T) x B -> (filters,) x B."""
    (_, time), _ = features.dim()
    return dy.max_dim(features + columns((1 - real(windows, time)) * FORBIDDEN, (1, time)), 1)


def k_max(features: dy.Expression, windows: np.ndarray, k: int) -> dy.Expression:
    """The k largest numbers of each filter, in their original order (Kalchbrenner et al. 2014).

    features (filters, T) x B, T at least k -> (k*filters,) x B, zero for what a sentence with fewer windows lacks.
    DyNet's own `kmax_pooling` loses the largest where the k-th occurs more than once, as in repetitive sentences.
    """
    (rows, time), batch = features.dim()
    values = features.npvalue().reshape(rows, time, batch).transpose(2, 1, 0)
    values = np.where(real(windows, time)[:, :, None] > 0, values, -np.inf)
    places = np.sort(np.argsort(-values, axis=1, kind="stable")[:, :k], axis=1)  # (batch, k, rows)
    numbers = np.arange(rows) + rows * (places + time * np.arange(batch)[:, None, None])
    largest = dy.pick_batch_elems(dy.reshape(features, (1,), rows * time * batch), numbers.ravel().tolist())
    largest = dy.cmult(dy.reshape(largest, (rows, k), batch), columns(real(windows, k), (1, k)))
    return dy.reshape(largest, (rows * k,), batch)


def with_zeros_behind(words: dy.Expression, lengths: np.ndarray, shortest: int) -> dy.Expression:
    """Padding as zero vectors, and at least `shortest` columns: (H, T) x B."""
    (size, time), batch = words.dim()
    words = without_padding(words, lengths)
    if time < shortest:
        words = dy.concatenate_cols([words, dy.zeros((size, shortest - time), batch_size=batch)])
    return words


def columns(values: np.ndarray, shape: tuple[int, int]) -> dy.Expression:
    """Numbers (B, time) as an expression of this shape, a row or a column for each sentence."""
    return dy.reshape(dy.inputTensor(values.ravel()), shape, len(values))
