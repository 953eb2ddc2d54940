"""The log-linear language model in NumPy: scores, softmax, loss, and its gradients by hand (Neubig 2017, section 4).

Letters in the shapes: N positions, K active features of a position, F features, V vocabulary, T time, B sentences.
W is stored as (F, V): the column W_j of the equations is row j here, so that its V numbers lie side by side in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from common.memory import Footprint
from common.text.batching import Batch

from .features import Active, FeatureSet
from .sparse import Groups, by_feature, by_position, sum_rows

NUMBERS_AT_ONCE = 2**25
"""How many numbers an evaluation holds in memory side by side."""
BYTES = 12
"""Of a parameter and of what an optimiser remembers of it."""


class Gradients(NamedTuple):
    """Of the loss: for b (V,), and for the rows of W whose features were active, (features, V). All others are zero."""

    b: np.ndarray
    features: np.ndarray
    W: np.ndarray


class LogLinearLM:
    """P(next word | context) = softmax(sum of the rows of the active features + b)."""

    plain_states = True

    def __init__(self, features: FeatureSet, log_frequencies: np.ndarray | None = None):
        """log_frequencies: log P(word) of a unigram model, (V,), for the bias to start from; zero without."""
        self.features, self.vocab = features, features.vocab
        self.name, self.footprint = model_name(features), footprint(features, BYTES)
        self.W = np.zeros((features.size, len(self.vocab)), dtype=np.float32)
        bias = np.zeros(len(self.vocab)) if log_frequencies is None else log_frequencies
        self.b = bias.astype(np.float32)

    def scores(self, positions: Groups) -> np.ndarray:
        """s = sum over active j of W_j x_j, + b (Neubig 2017, Eq. 18 and 26): N positions -> (N, V).

        Equal to W x + b (Eq. 17), in which nearly every x_j is zero.
        """
        scores = sum_rows(self.W, positions)
        scores += self.b
        return scores

    def loss_and_gradients(self, active: Active, targets: np.ndarray, divisor: float = 1) -> tuple[float, Gradients]:
        """The loss of N positions (Eq. 21 and 25 to 28), summed, in nats; and the gradients of loss / divisor.

        active (N, K), targets (N,) of word ids.
        """
        positions = by_position(active)
        log_p = log_softmax(self.scores(positions))
        chosen = (np.arange(len(targets)), targets)
        loss = -float(log_p[chosen].sum(dtype=np.float64))
        dl_ds = np.exp(log_p, out=log_p)
        dl_ds[chosen] -= 1  # p - onehot(e)
        dl_ds /= divisor
        return loss, gradients(positions, dl_ds)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B); 0 where there is only padding."""
        active, targets = select(self.features, batch)
        result = np.zeros(batch.targets.shape)
        log_probs = [self.target_log_probs(*part) for part in some_at_once(active, targets, len(self.vocab))]
        result[batch.mask > 0] = np.concatenate(log_probs)
        return result

    def target_log_probs(self, active: Active, targets: np.ndarray) -> np.ndarray:
        """log P of each target in nats: active (N, K), targets (N,) -> (N,)."""
        return self.distributions(active)[np.arange(len(targets)), targets]

    def distributions(self, active: Active) -> np.ndarray:
        """log P of every word, in nats: active (N, K) -> (N, V)."""
        return log_softmax(self.scores(by_position(active)))

    def start(self, batch_size: int) -> np.ndarray:
        """The state before the first word: the words read so far, none, (0, B)."""
        return np.zeros((0, batch_size), dtype=np.int64)

    def advance(self, state: np.ndarray, words: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Read one word per sentence; the words read so far, and log P(next word), (B, V) in nats."""
        state = np.concatenate([state, np.asarray(words)[None]])
        active = self.features.active(state)
        return state, self.distributions(Active(active.ids[-1], active.values[-1]))

    def arrays(self) -> list[np.ndarray]:
        """The parameters: W (F, V) and b (V,)."""
        return [self.W, self.b]

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        """Put numbers into the parameters, in place: an optimiser may hold on to them."""
        for parameter, array in zip(self.arrays(), arrays, strict=True):
            parameter[...] = array


def select(features: FeatureSet, batch: Batch) -> tuple[Active, np.ndarray]:
    """The N real positions of a batch: their active features (N, K), and their targets (N,)."""
    real = batch.mask > 0
    active = features.active(batch.inputs)
    return Active(active.ids[real], active.values[real]), batch.targets[real]


def some_at_once(active: Active, targets: np.ndarray, numbers: int) -> Iterator[tuple[Active, np.ndarray]]:
    """The positions a few at a time, so that `numbers` for each of them fit into the memory side by side."""
    parts = min(len(targets), -(-len(targets) * numbers // NUMBERS_AT_ONCE))
    for part in np.array_split(np.arange(len(targets)), parts):
        yield Active(active.ids[part], active.values[part]), targets[part]


def footprint(features: FeatureSet, trained: int) -> Footprint:
    """What the model takes, each position, and its bag of words. trained: bytes for each parameter in training."""
    V = len(features.vocab)
    return Footprint(features.size * V, V + 100, pair=12, trained=trained)


def model_name(features: FeatureSet) -> str:
    return f"log-linear LM, {features.spec}: {features.size:,} features x {len(features.vocab):,} words"


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """log p, where p_j = exp(s_j) / sum of exp(s) (Neubig 2017, Eq. 19, 20 and 27); written over the scores (N, V).

    The largest score is subtracted first: that changes no probability, and no exp overflows. In float32, log(exp(s))
    would lose every probability below 1e-38; logarithms from the start lose none.
    """
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


def add_up(parts: Sequence[Gradients]) -> Gradients:
    """The gradients of a batch from those of its parts."""
    features, places = np.unique(np.concatenate([part.features for part in parts]), return_inverse=True)
    W = np.zeros((len(features), len(parts[0].b)), dtype=parts[0].W.dtype)
    np.add.at(W, places, np.concatenate([part.W for part in parts]))
    return Gradients(np.sum([part.b for part in parts], axis=0), features, W)


def gradients(positions: Groups, dl_ds: np.ndarray) -> Gradients:
    """From dl/ds = p - onehot(e) of every position, (N, V), to the parameters, by the chain rule (Eq. 29 and 30).

    ds/db = 1, so b gets the sum over positions (Eq. 31); ds/dW_j = x_j, so feature j gets the sum over the
    positions where it is active, weighted by x_j (Eq. 32): the sum of `scores`, with rows and columns exchanged.
    """
    features, groups = by_feature(positions)
    return Gradients(dl_ds.sum(axis=0), features, sum_rows(dl_ds, groups))
