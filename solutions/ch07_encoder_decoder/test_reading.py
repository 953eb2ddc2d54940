"""Graders of reading.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task

COLUMNS = np.array([[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], [[-1.0, 0.1], [-2.0, 0.2], [-3.0, 0.3]]])
"""Three columns of two sentences, (2, 3) x 2."""


@task("7.2")
def test_reverse_by_hand(work):
    reversed_columns = numbers(
        work.reverse(input_batch(COLUMNS), np.array([3, 2])), (2, 3, 2), "sentences of 3 and 2 words"
    )
    first, second = np.array([[3.0, 2.0, 1.0], [-3.0, -2.0, -1.0]]), np.array([[20.0, 10.0, 30.0], [0.2, 0.1, 0.3]])
    close(reversed_columns[:, :, 0], first, "a sentence of 3 words in 3 columns, its last word first", tolerance=1e-5)
    message = "a sentence of 2 words in 3 columns: its second word, its first word, and then the padding, which stays"
    close(reversed_columns[:, :, 1], second, message, tolerance=1e-5)


@task("7.2")
def test_last_states_by_hand(work):
    last = numbers(work.last_states(input_batch(COLUMNS), np.array([3, 1])), (2, 2), "sentences of 3 and 1 words")
    message = "sentences of 3 and 1 words: the state after each one's own last word, not after the padding"
    close(last, np.array([[3.0, 10.0], [-3.0, 0.1]]), message, tolerance=1e-5)
