"""Graders of scheduled.py."""

import numpy as np

from solutions.checks import close, task


@task("10.6")
def test_the_schedules(work):
    close(work.linear(0.4, 0.25), 0.9, "linear, share 0.4, a quarter done")
    close(work.exponential(0.36, 0.5), 0.8, "exponential, share 0.36, half done: half of the way, by factors")
    for name, schedule in (("linear", work.linear), ("exponential", work.exponential)):
        close(schedule(0.3, 0.0), 1, f"{name}: in the beginning all words are the reference's")
        close(schedule(0.3, 1.0), 0.7, f"{name}, share 0.3: in the end")


@task("10.6")
def test_mixing_by_hand(work):
    inputs = np.array([[0, 0], [4, 2], [5, 3], [6, 1]])
    own = np.array([[False, False], [True, False], [True, True], [False, True]])
    inputs_read = work.mixed_inputs(inputs, own, lambda read: read[-1] + 1)
    expected = np.array([[0, 0], [1, 2], [2, 3], [6, 4]])
    message = "a model that counts on from the last word it has read: own words are read, and counted on"
    close(inputs_read, expected, message)
    inputs_read = work.mixed_inputs(inputs, own, lambda read: np.zeros(2, dtype=int))
    close(inputs_read, inputs, "a model that always draws </s>: the reference's words stay")
