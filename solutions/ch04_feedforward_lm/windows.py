"""Exercise 4.2: the contexts of all predictions of a batch at once.

Letters in the shapes: n the order, T time steps, B sentences in the batch.
"""

from __future__ import annotations

import numpy as np


def contexts(inputs: np.ndarray, order: int) -> np.ndarray:
    """The n-1 words before each prediction, the oldest first: inputs (T, B) of word ids -> (n-1, T, B), ids too.

    inputs[t] is the word right before prediction t: the boundary, id 0, for t = 0, and then the sentence. Before a
    sentence, there are as many boundaries as the order requires. order is at least 2. The inputs must not change.

    contexts(np.array([[0], [7], [4]]), 3)[:, :, 0] is [[0, 0, 7], [0, 7, 4]]: before prediction 2 come 7 and 4.
    """
    # BEGIN SOLUTION 4.2
    time, batch = inputs.shape
    padded = np.concatenate([np.zeros((order - 2, batch), dtype=inputs.dtype), inputs])
    return np.stack([padded[start : start + time] for start in range(order - 1)])
    # END SOLUTION
