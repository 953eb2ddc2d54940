"""The last words before each prediction, for models that read no more than those: chapters 1, 2, 4 and 9."""

from __future__ import annotations

import numpy as np

from common.text.vocab import Vocabulary


def histories(inputs: np.ndarray, order: int) -> np.ndarray:
    """The n-1 words before each prediction, the oldest first: inputs (T, B) -> (n-1, T, B).

    inputs[t] is the word right before prediction t, `<s>` for the first. Before it there are more boundaries.
    """
    time, batch = inputs.shape
    padded = np.concatenate([np.full((order - 2, batch), Vocabulary.boundary), inputs])
    return np.stack([padded[back : back + time] for back in range(order - 1)])


def previous(inputs: np.ndarray, distance: int) -> np.ndarray:
    """The word `distance` before the one to predict, (T, B): 1 is the word just read; before the sentence is `<s>`."""
    padding = np.full_like(inputs, Vocabulary.boundary, shape=(distance - 1, *inputs.shape[1:]))
    return np.concatenate([padding, inputs])[: len(inputs)]
