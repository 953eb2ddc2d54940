"""Exercise 5.5: sentences of different lengths in one minibatch, and a loss that ignores the padding.

Letters in the shapes: T time steps, B sentences in the batch. Words are ids; id 0 is the boundary, read as <s> and
predicted as </s>.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np


def pad(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of ids as columns, padded at the end with 0 to the length of the longest: ids (T, B), and the mask.

    The mask, (T, B) of np.float32, is 1 on the ids of a sequence and 0 on padding. A 0 within a sequence is not
    padding. The ids are whole numbers.

    pad([[5, 0], [7]]) is ([[5, 7], [0, 0]], [[1, 1], [1, 0]]).
    """
    # TODO 5.5: minibatches, padding and masks
    raise NotImplementedError("Exercise 5.5: minibatches, padding and masks")


def make_minibatch(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a language model reads, what it must predict, and the mask of the predictions: inputs, targets, mask, (T,
    B).

    A sentence of n words requires n + 1 predictions: the inputs are <s> and its words, and the targets its words and
    </s>.

    make_minibatch([[5, 6], [7]]) is ([[0, 0], [5, 7], [6, 0]], [[5, 7], [6, 0], [0, 0]], [[1, 1], [1, 1], [1, 0]]).
    """
    # TODO 5.5: minibatches, padding and masks
    raise NotImplementedError("Exercise 5.5: minibatches, padding and masks")


def masked_sum(losses: dy.Expression, mask: np.ndarray) -> dy.Expression:
    """The sum of the losses of real predictions (Neubig 2017, section 6.5): one number, as an expression.

    losses: (1,) x T*B; time runs fastest, so that the T losses of the first sentence come first, then those of the
    second. mask: (T, B), 1 on real predictions and 0 on padding. Useful: dy.cmult; dy.sum_batches; and, for an array of
    n numbers, dy.reshape(dy.inputTensor(array), (1,), n), which is (1,) x n.

    With T = B = 2, losses 1, 2, 3, 4 and the mask [[1, 1], [1, 0]] it is 6: the loss 4 belongs to the second step of
    the second sentence, which is padding.
    """
    # TODO 5.5: minibatches, padding and masks
    raise NotImplementedError("Exercise 5.5: minibatches, padding and masks")


def loss_per_prediction(totals: Sequence[float], masks: Sequence[np.ndarray]) -> float:
    """The mean loss of one prediction over several minibatches, in nats; exp of it is the perplexity.

    totals: the `masked_sum` of each minibatch; masks: the mask of each, (T, B). All predictions have equal weight.

    With totals [6, 1] and masks [[1, 1], [1, 0]] and [[1]], it is 7 / 4.
    """
    # TODO 5.5: minibatches, padding and masks
    raise NotImplementedError("Exercise 5.5: minibatches, padding and masks")
