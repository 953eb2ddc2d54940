"""What the figures of chapter 8 compute: a recorded step of attention, turned into weights three ways."""

from __future__ import annotations

import math
from functools import cache

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from book.worked.ch08 import CHAPTER, numbers
from book.worked.ch08_more import LocalWindow, one_word
from common.nn.softmax import FORBIDDEN

WINDOW, PLACE = 3, 5.4
"""D, and the place p that local attention is told to predict for the step that is drawn."""
STEP = 3
"""The step of the recorded short pair whose weights are drawn: that of *na*, where the model is not sure."""


@cache
def three_ways() -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The source, and the weights of one recorded step: soft, hard, local, and the bell of the local ones.

    Scores are the logarithms of the recorded weights: a softmax takes no notice of what all scores have in common.
    """
    record = recorded(CHAPTER)["short"]
    source, soft = record["source"], np.array(record["weights"]["default"][STEP])
    collection = dy.ParameterCollection()
    window = LocalWindow(collection, 1, 1, WINDOW, 0.1)
    share = PLACE / len(source)
    window.W.set_value([[1.0]])
    window.v.set_value([[math.log(share / (1 - share)) / math.tanh(1.0)]])
    dy.renew_cg()
    length = dy.inputTensor(np.array([[float(len(source))]]))
    seen = window.window_for(dy.inputTensor([1.0]), length, len(source))
    scores = dy.inputTensor(np.log(soft)[:, None])
    hard = numbers(one_word(dy.softmax(scores)))
    local = numbers(dy.cmult(dy.softmax(scores + seen.outside), seen.gaussian))
    return source, soft, hard, np.round(local, 4), np.round(numbers(seen.gaussian), 4)


def mask(scores: np.ndarray, lengths: tuple[int, ...]) -> np.ndarray:
    """What is added to the scores (words, sentences) of a batch: 0 for words, FORBIDDEN for padding."""
    return np.where(np.arange(len(scores))[:, None] < np.array(lengths), 0.0, FORBIDDEN)
