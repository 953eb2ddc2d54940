"""Graders of windows.py."""

import numpy as np

from common.text.histories import histories
from solutions.checks import check, close, plain, task

MUTANTS = [
    ("4.2", "for start in range(order - 1)]", "for start in reversed(range(order - 1))]"),
    ("4.2", "np.zeros((order - 2, batch), dtype=inputs.dtype)", "np.repeat(inputs[1:2], order - 2, axis=0)"),
    ("4.2", "np.zeros((order - 2, batch), dtype=inputs.dtype)", "inputs[len(inputs) - order + 2 :]"),
    (
        "4.2",
        "padded[start : start + time] for start in range(order - 1)",
        "np.append(padded, padded[:1] * 0, axis=0)[start + 1 : start + 1 + time] for start in range(order - 1)",
    ),
    ("4.2", "range(order - 1)", "range(order - 2)"),
    ("4.2", "return np.stack(", "return np.concatenate("),
]

INPUTS = np.array([[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]])


@task("4.2")
def test_a_trigram_model_by_hand(work):
    expected = [[[0, 0, 0], [0, 0, 0], [7, 3, 9], [4, 8, 0]], [[0, 0, 0], [7, 3, 9], [4, 8, 0], [6, 0, 0]]]
    message = "the contexts of order 3 of three sentences of 3, 2 and 1 words, the word before the last first"
    close(work.contexts(INPUTS.copy(), 3), np.array(expected), message)


@task("4.2")
def test_other_orders(work):
    close(work.contexts(INPUTS.copy(), 2), INPUTS[None], "order 2: the context is the word just read, (1, T, B)")
    found = np.asarray(plain(work.contexts(INPUTS.copy(), 6), "contexts are an array"))
    check(found.shape == (5, 4, 3), f"order 6, T = 4, B = 3: the shape must be (5, 4, 3), yours is {found.shape}")
    message = "order 6, the first sentence (7 4 6): the five words before its last prediction"
    close(found[:, 3, 0], np.array([0, 0, 7, 4, 6]), message)
    close(found[:, 0], np.zeros((5, 3)), "order 6: before the first word there are boundaries only")


@task("4.2")
def test_one_step(work):
    close(work.contexts(np.array([[0, 0]]), 4), np.zeros((3, 1, 2)), "order 4, two empty sentences, which are one step")


@task("4.2")
def test_the_future_is_not_seen(work):
    changed = INPUTS.copy()
    changed[3] = [1, 2, 5]
    before, after = (np.asarray(plain(work.contexts(one, 4), "an array")) for one in (INPUTS.copy(), changed))
    check(np.array_equal(before[:, :3], after[:, :3]), "a word must not be in the context of predictions before it")
    check(not np.array_equal(before[:, 3], after[:, 3]), "the word just read must be in the context of the prediction")


@task("4.2")
def test_the_chapter_agrees(work):
    inputs = np.random.default_rng(2).integers(0, 50, (9, 4))
    inputs[0] = 0
    for order in (2, 3, 5):
        expected = histories(inputs, order)
        close(work.contexts(inputs.copy(), order), expected, f"contexts of order {order}, as the course has them")
