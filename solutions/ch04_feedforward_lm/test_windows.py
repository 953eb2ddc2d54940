"""Graders of windows.py."""

import numpy as np

from solutions.checks import check, close, plain, task

INPUTS = np.array([[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]])


@task("4.2")
def test_a_trigram_model_by_hand(work):
    expected = [[[0, 0, 0], [0, 0, 0], [7, 3, 9], [4, 8, 0]], [[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]]]
    message = "the contexts of order 3 of three sentences of 3, 2 and 1 words, the word before the last first"
    close(work.contexts(INPUTS.copy(), 3), np.array(expected), message)


@task("4.2")
def test_order_six_by_hand(work):
    found = np.asarray(plain(work.contexts(INPUTS.copy(), 6), "contexts are an array"))
    check(found.shape == (5, 4, 3), f"order 6, T = 4, B = 3: the shape must be (5, 4, 3), yours is {found.shape}")
    message = "order 6, the first sentence (7 4 6): the five words before its last prediction"
    close(found[:, 3, 0], np.array([0, 0, 7, 4, 6]), message)
    close(found[:, 0], np.zeros((5, 3)), "order 6: before the first word there are boundaries only")
