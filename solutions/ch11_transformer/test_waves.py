"""Graders of waves.py."""

import numpy as np

from solutions.checks import close, task


@task("11.2")
def test_encodings_by_hand(work):
    label = "H = 4, positions 2 and 3"
    close(np.shape(work.sinusoids(4, 2, 2)), (4, 2), f"the shape of the encodings, {label}")
    expected = [np.sin([2.0, 3.0]), np.cos([2.0, 3.0]), np.sin([0.02, 0.03]), np.cos([0.02, 0.03])]
    message = f"{label}: rows 0 and 1 are sine and cosine of t, rows 2 and 3 of t / 100"
    close(work.sinusoids(4, 2, 2), np.array(expected), message)


@task("11.2")
def test_steps_by_hand(work):
    def encoding(t):
        return np.array([np.sin(t), np.cos(t), np.sin(t / 100), np.cos(t / 100)])

    for t, distance in ((3, 4), (9, -7), (5, 0)):
        message = (
            f"H = 4, position {t} moved by {distance}: each pair is turned by its own angle, as the sums of angles say"
        )
        close(work.move(encoding(t), distance), encoding(t + distance), message)
