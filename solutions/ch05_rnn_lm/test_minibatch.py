"""Graders of minibatch.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task


@task("5.5")
def test_padding_by_hand(work):
    ids, mask = work.pad([[5, 0, 7], [6], [4, 0]])
    close(ids, np.array([[5, 6, 4], [0, 0, 0], [7, 0, 0]]), "the ids of 5 0 7, of 6 and of 4 0: a column each, T = 3")
    expected = np.array([[1, 1, 1], [1, 0, 1], [1, 0, 0]])
    close(mask, expected, "the mask of 5 0 7, of 6 and of 4 0: the 0 of a sequence is no padding")


@task("5.5")
def test_a_minibatch_by_hand(work):
    inputs, targets, mask = work.make_minibatch([[5, 2, 4], [3], [], [2, 2]])
    expected = np.array([[0, 0, 0, 0], [5, 3, 0, 2], [2, 0, 0, 2], [4, 0, 0, 0]])
    close(inputs, expected, "the inputs of 5 2 4, of 3, of an empty sentence and of 2 2: <s>, then the words")
    expected = np.array([[5, 3, 0, 2], [2, 0, 0, 2], [4, 0, 0, 0], [0, 0, 0, 0]])
    close(targets, expected, "the targets of 5 2 4, of 3, of an empty sentence and of 2 2: the words, then </s>")
    expected = np.array([[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 0, 0]])
    close(mask, expected, "the mask: a sentence of n words has n + 1 predictions, since </s> is predicted too")


@task("5.5")
def test_the_masked_sum_by_hand(work):
    losses = input_batch(np.array([[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]]))
    total = work.masked_sum(losses, np.array([[1, 1], [1, 0], [0, 0]], dtype=np.float32))
    message = "the sum of the losses 1 2 4 of a sentence of 2 predictions and 8 16 32 of one of a single prediction"
    close(numbers(total, (1, 1), message).item(), 11.0, message, tolerance=1e-5)


@task("5.5")
def test_the_mean(work):
    masks = [np.array([[1, 1], [1, 0], [0, 0]], dtype=np.float32), np.ones((2, 3), dtype=np.float32)]
    message = "the mean of totals 6 and 3 of minibatches with 3 and 6 real predictions: each prediction counts the same"
    close(work.loss_per_prediction([6.0, 3.0], masks), 1.0, message)
