"""Graders of merging.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task
from solutions.grading.exam import parameters


@task("6.5")
def test_a_merged_state_by_hand(work):
    W_c = np.array([[1.0, -0.5, 2.0, 0.25], [0.3, 0.75, -1.5, 0.6], [-0.2, 1.25, 0.4, -0.9]])
    collection, weights = parameters(W_c, np.array([0.1, -0.3, 0.5]))
    h, c = input_batch(np.array([[[1.0]], [[-2.0]]])), input_batch(np.array([[[0.5]], [[4.0]]]))
    label = "h' of h = (1, -2), c = (0.5, 4); is the context read?"
    merged = numbers(work.merge(*weights, h, c), (3, 1, 1), label)[:, 0, 0]
    expected = np.tanh([1.0 + 1.0 + 1.0 + 1.0 + 0.1, 0.3 - 1.5 - 0.75 + 2.4 - 0.3, -0.2 - 2.5 + 0.2 - 3.6 + 0.5])
    close(merged, expected, f"{label}: the state stands above the context, the bias inside the tanh", tolerance=1e-5)


@task("6.5")
def test_scores_of_the_vocabulary_by_hand(work):
    embedding, bias = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]), np.array([0.2, -0.1])
    collection, weights = parameters(embedding, bias)
    label = "the scores of 2 words for h' = (1, 2, -1) and (0.5, -1, 0.25)"
    logits = work.tied_logits(*weights, input_batch(np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 0.25]])))
    rows = [[0.5 - 2.0 - 2.0 + 0.2, 0.25 + 1.0 + 0.5 + 0.2], [1.5 + 0.5 + 0.75 - 0.1, 0.75 - 0.25 - 0.1875 - 0.1]]
    message = f"{label}: embedding . h' + bias, neither squashed nor normalised"
    close(numbers(logits, (2, 2), label), np.array(rows), message, tolerance=1e-5)
