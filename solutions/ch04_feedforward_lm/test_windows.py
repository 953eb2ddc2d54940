"""Graders of windows.py."""

import numpy as np

from solutions.checks import close, task

INPUTS = np.array([[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]])


@task("4.2")
def test_a_trigram_model_by_hand(work):
    expected = [[[0, 0, 0], [0, 0, 0], [7, 3, 9], [4, 8, 0]], [[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]]]
    message = "the contexts of order 3 of three sentences of 3, 2 and 1 words, the word before the last first"
    close(work.contexts(INPUTS.copy(), 3), np.array(expected), message)
