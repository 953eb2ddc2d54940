"""The same log-linear model as a DyNet program: its gradients come from the computation graph, not from a pencil."""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.stacking import input_batch
from common.text.batching import Batch

from .features import Active, FeatureSet
from .model import LogLinearLM, model_name, select


class DynetLogLinearLM(LogLinearLM):
    """W is a lookup table (F, V): a row is fetched by its feature id, and only rows that were fetched are updated."""

    def __init__(self, features: FeatureSet, log_frequencies: np.ndarray | None = None):
        """log_frequencies: log P(word) of a unigram model, (V,), for the bias to start from; zero without."""
        self.features, self.vocab, self.name = features, features.vocab, model_name(features)
        V = len(self.vocab)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.collection = dy.ParameterCollection()
        self.W = self.collection.add_lookup_parameters((features.size, V), init=dy.ConstInitializer(0))
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def dynet_scores(self, active: Active) -> dy.Expression:
        """s = sum over active j of W_j x_j, + b (Neubig 2017, Eq. 18): active (N, K) -> (V,) x N.

        All N * K rows are looked up at once; as a (V, K) matrix for each position they meet its values (K,).
        """
        ids, values = pack(active)
        positions, width = ids.shape
        rows = dy.lookup_batch(self.W, ids.ravel().tolist())
        rows = dy.reshape(rows, (len(self.vocab), width), positions)
        return rows * input_batch(values.T) + self.b

    def loss(self, active: Active, targets: np.ndarray) -> dy.Expression:
        """The summed loss of N positions in nats, a scalar (Eq. 21, 25 to 28): active (N, K), targets (N,)."""
        return dy.sum_batches(dy.pickneglogsoftmax_batch(self.dynet_scores(active), targets.tolist()))

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B); 0 where there is only padding."""
        dy.renew_cg()
        active, targets = select(self.features, batch)
        losses = dy.pickneglogsoftmax_batch(self.dynet_scores(active), targets.tolist())
        result = np.zeros(batch.targets.shape)
        result[batch.mask > 0] = -losses.npvalue().ravel()
        return result

    def distributions(self, active: Active) -> np.ndarray:
        """log P of every word, in nats, in the computation graph at hand: active (N, K) -> (N, V)."""
        log_probs = dy.log_softmax(self.dynet_scores(active)).npvalue()
        return log_probs.reshape(len(self.vocab), -1, order="F").T

    def start(self, batch_size: int) -> np.ndarray:
        """The state before the first word. It begins a new computation graph; earlier states of others are void."""
        dy.renew_cg()
        return super().start(batch_size)

    def arrays(self) -> list[np.ndarray]:
        return [self.W.as_array().astype(np.float32), self.b.as_array().astype(np.float32)]

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        self.W.init_from_array(arrays[0])
        self.b.set_value(arrays[1])


def pack(active: Active) -> Active:
    """The active features of each position first, and no more columns than the fullest one needs: (N, K) -> (N, K')."""
    padding = active.values == 0
    order = np.argsort(padding, axis=1, kind="stable")[:, : max((~padding).sum(axis=1).max(), 1)]
    return Active(np.take_along_axis(active.ids, order, axis=1), np.take_along_axis(active.values, order, axis=1))


def make_trainer(kind: str, collection: dy.ParameterCollection, epsilon: float) -> dy.Trainer:
    """DyNet's optimiser of this kind, without clipping."""
    trainer = {
        "sgd": lambda: dy.SimpleSGDTrainer(collection),
        "momentum": lambda: dy.MomentumSGDTrainer(collection),
        "adagrad": lambda: dy.AdagradTrainer(collection, eps=epsilon**2),
        "adam": lambda: dy.AdamTrainer(collection, eps=epsilon),
    }[kind]()
    trainer.set_clip_threshold(0)
    return trainer
