"""The same log-linear model as a DyNet program: its gradients come from the computation graph, not from a pencil."""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np

from common.memory import READ, Footprint
from common.nn.arrays import input_batch
from common.text.batching import Batch
from common.text.dividing import parts_that_fit

from .features import SUFFIX_LENGTHS, Active, FeatureSet
from .model import LogLinearLM, footprint, model_name, select, some_at_once


class DynetLogLinearLM(LogLinearLM):
    """W is a lookup table (F, V): a row is fetched by its feature id, and only rows that were fetched are updated."""

    W: Any
    b: Any

    def __init__(self, features: FeatureSet, log_frequencies: np.ndarray | None = None):
        """log_frequencies: log P(word) of a unigram model, (V,), for the bias to start from; zero without."""
        self.features, self.vocab, self.name = features, features.vocab, model_name(features)
        self.footprint, V = footprint(features, READ), len(self.vocab)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.collection = dy.ParameterCollection()
        self.W = self.collection.add_lookup_parameters((features.size, V), init=dy.ConstInitializer(0))
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    @property
    def trained_footprint(self) -> Footprint:
        """In training, the rows of all features of all positions are looked up side by side."""
        V, names = len(self.vocab), self.features.names
        fixed, bag = len(names) * len(SUFFIX_LENGTHS), "bag" in names
        return self.footprint._replace(word=(2 + fixed) * V, pair=12 + bag * V)

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

    def target_log_probs(self, active: Active, targets: np.ndarray) -> np.ndarray:
        """log P of each target in nats: active (N, K), targets (N,) -> (N,)."""
        width, log_probs = active.ids.shape[1], []
        for few, their_targets in some_at_once(active, targets, len(self.vocab) * width):
            dy.renew_cg()
            losses = dy.pickneglogsoftmax_batch(self.dynet_scores(few), their_targets.tolist())
            log_probs.append(-losses.npvalue().ravel())
        return np.concatenate(log_probs)

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


class DynetLearner:
    """The same on DyNet. Its optimisers cannot be saved, so they start afresh with every epoch."""

    bytes = READ

    def __init__(self, settings: Any, features: FeatureSet, log_frequencies: np.ndarray | None = None):
        self.model = DynetLogLinearLM(features, log_frequencies)
        self.arrays, self.set_arrays = self.model.arrays, self.model.set_arrays
        self.settings = settings

    def begin_epoch(self) -> None:
        """A new optimiser."""
        self.trainer = make_trainer(self.settings.optimiser, self.model.collection, self.settings.its_epsilon)

    def step(self, batch: Batch, rate: float) -> float:
        """Learn from a batch: its summed loss in nats, before the step."""
        value = 0.0
        for part in parts_that_fit(batch, self.model.trained_footprint, trained=True):
            dy.renew_cg()
            loss = self.model.loss(*select(self.model.features, part))
            value += loss.scalar_value()
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
        self.trainer.learning_rate = rate
        self.trainer.update()
        return value
