"""Exercise 5.5: sentences of different lengths in one minibatch, and a loss that does not notice.

Letters in the shapes: T time steps, B sentences in the batch. Words are ids; id 0 is the boundary, read as <s> and
predicted as </s>.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np


def pad(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of ids as columns, padded behind with 0 to the longest: ids (T, B) of whole numbers, and the mask.

    The mask, (T, B) of np.float32, is 1 on the ids of a sequence and 0 on padding. An id that is 0 itself is no
    padding.

    pad([[5, 0], [7]]) is ([[5, 7], [0, 0]], [[1, 1], [1, 0]]).
    """
    # BEGIN SOLUTION 5.5
    time = max(len(sentence) for sentence in sentences)
    ids = np.zeros((time, len(sentences)), dtype=int)
    mask = np.zeros((time, len(sentences)), dtype=np.float32)
    for column, sentence in enumerate(sentences):
        ids[: len(sentence), column] = sentence
        mask[: len(sentence), column] = 1
    return ids, mask
    # END SOLUTION


def make_minibatch(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a language model reads, what it must predict, and the mask of the predictions: inputs, targets, mask, (T,
    B).

    A sentence of n words costs n + 1 predictions: it is read as <s> and its words, and its targets are its words and
    </s>.

    make_minibatch([[5, 6], [7]]) is ([[0, 0], [5, 7], [6, 0]], [[5, 7], [6, 0], [0, 0]], [[1, 1], [1, 1], [1, 0]]).
    """
    # BEGIN SOLUTION 5.5
    inputs, mask = pad([[0, *sentence] for sentence in sentences])
    targets, _ = pad([[*sentence, 0] for sentence in sentences])
    return inputs, targets, mask
    # END SOLUTION


def masked_sum(losses: dy.Expression, mask: np.ndarray) -> dy.Expression:
    """The sum of the losses of real predictions (Neubig 2017, section 6.5): one number, as an expression.

    losses: (1,) x T*B; time runs fastest, so that the T losses of the first sentence come first, then those of the
    second. mask: (T, B), 1 on real predictions and 0 on padding. Of use: dy.cmult; dy.sum_batches; and, for an array of
    n numbers, dy.reshape(dy.inputTensor(array), (1,), n), which is (1,) x n.

    With T = B = 2, losses 1, 2, 3, 4 and the mask [[1, 1], [1, 0]] it is 6: the 4 is the second sentence's second.
    """
    # BEGIN SOLUTION 5.5
    weights = dy.reshape(dy.inputTensor(mask.T.ravel()), (1,), mask.size)
    return dy.sum_batches(dy.cmult(losses, weights))
    # END SOLUTION


def loss_per_prediction(totals: Sequence[float], masks: Sequence[np.ndarray]) -> float:
    """The mean loss of one prediction over several minibatches, in nats; exp of it is the perplexity.

    totals: of each minibatch its `masked_sum`; masks: of each, (T, B). Every prediction of the text has the same
    weight.

    With totals [6, 1] and masks [[1, 1], [1, 0]] and [[1]] it is 7 / 4.
    """
    # BEGIN SOLUTION 5.5
    return sum(totals) / float(sum(mask.sum() for mask in masks))
    # END SOLUTION
