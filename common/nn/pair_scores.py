"""What every model of pairs makes of the losses of its predictions."""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.dropout import NO_DROPOUT
from common.nn.softmax import NextWords, masked_sum
from common.text.pair_batching import PairBatch


class PairScores(NextWords):
    """`loss` and `log_probs` of a model, from its `losses(batch, dropout)` and the `dropout` of its training.

    The former are -log P(word | source, words before it) of every prediction, (1,) x T*B, padding included.
    """

    def loss(self, batch: PairBatch) -> dy.Expression:
        """-log P(E | F) of all pairs of the batch, summed, in nats, with dropout."""
        return masked_sum(self.losses(batch, self.dropout), batch.target.mask)

    def log_probs(self, batch: PairBatch) -> np.ndarray:
        """log P(word | source, words before it) in nats, (T, B), without dropout."""
        dy.renew_cg()
        return -np.reshape(self.losses(batch, NO_DROPOUT).npvalue(), batch.target.targets.shape, order="F")
