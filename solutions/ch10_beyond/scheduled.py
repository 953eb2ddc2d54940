"""Exercise 10.6: scheduled sampling, in which a model learns to continue after its own words.

Letters in the shapes: T time steps, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def linear(share: float, progress: float) -> float:
    """epsilon, the share of words that are read from the reference: it falls linearly, from 1 to 1 - share.

    share: that of the model's own words at the end. progress: the fraction of training that is done, from 0 to 1.

    linear(0.5, 0.5) == 0.75
    """
    # BEGIN SOLUTION 10.6
    return 1 - share * progress
    # END SOLUTION


def exponential(share: float, progress: float) -> float:
    """The same, but epsilon falls by the same factor in each equal part of the training, from 1 to 1 - share.

    exponential(0.75, 0.5) == 0.5
    """
    # BEGIN SOLUTION 10.6
    return (1 - share) ** progress
    # END SOLUTION


def mixed_inputs(inputs: np.ndarray, own: np.ndarray, draw: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The words that the decoder reads (Bengio et al. 2015): those of the reference, and some of the model's own.

    inputs (T, B): the ids of the reference, <s> in the first row. own (T, B): True where the model's own word is to be
    read. draw(read): the words that the model draws next, (B,), after reading these ids, (t, B), t at least 1.
    -> (T, B), a new array.

    Row t comes from draw(the rows before t, as they are read, own words included). The reference's word stays in
    the first row, whatever own is there, and also where the model draws </s>, the id 0.
    """
    # BEGIN SOLUTION 10.6
    read = inputs.copy()
    for t in range(1, len(read)):
        samples = draw(read[:t].copy())
        read[t] = np.where(own[t] & (samples != 0), samples, read[t])
    return read
    # END SOLUTION
