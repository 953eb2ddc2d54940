"""What the figures of chapter 8 compute: a recorded step of attention, turned into weights three ways."""

from __future__ import annotations

import numpy as np

from book.figures.recorded import recorded

CHAPTER = "08_attention"
WINDOW, PLACE = 3, 5.4
"""D, and the place p that local attention is told to predict for the step that is drawn."""
STEP = 3
"""The step of the recorded short pair whose weights are drawn: that of *na*, where the model is not sure."""


def three_ways() -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The source, and the weights of one recorded step: soft, hard, local, and the bell of the local ones."""
    record = recorded(CHAPTER)["short"]
    source, soft = record["source"], np.array(record["weights"]["default"][STEP])
    distance = np.abs(np.arange(1, len(source) + 1) - PLACE)
    bell = np.exp(-(distance**2) / (2 * (WINDOW / 2) ** 2))
    near = np.where(distance < WINDOW, soft, 0)
    return source, soft, np.eye(len(source))[soft.argmax()], np.round(near / near.sum() * bell, 4), np.round(bell, 4)
