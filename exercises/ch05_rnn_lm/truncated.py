"""Exercise 5.6, advanced: a text read as one sequence: states pass from batch to batch, gradients do not.

Letters in the shapes: T time steps, B streams, H hidden size. Words are ids; id 0 is the boundary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import dynet as dy
import numpy as np

from common.text.batching import Batch

Carried = list[np.ndarray]
"""States as numbers, each (H, B)."""


def make_streams(sentences: Sequence[Sequence[int]], streams: int, steps: int) -> list[Batch]:
    """A text as batches of streams: a stream is a piece of the text, and each batch contains its next steps.

    The text is the targets of all sentences one after the other: words and </s>, words and </s> ... It is padded with 0
    at its end, as little as possible, so that it can be cut into `streams` pieces of equal length. The pieces are
    placed side by side as columns, and the batches are their rows 0 to steps - 1, then the next `steps`, and so on; the
    last batch may have fewer rows. inputs contains the word before each target *in the text*, also at the beginning of
    a piece; before the very first word, 0.

    Result: batches with inputs, targets and mask (0 on padding, np.float32), each (steps, streams); indices are
    np.arange(streams). There are at least as many words as streams.

    make_streams([[5, 6], [7]], 2, 2): the text is 5 6 0 7 0; its pieces are 5 6 0 and 7 0 (padding). The first batch
    has the targets [[5, 7], [6, 0]] and the inputs [[0, 0], [5, 7]], the second the targets [[0, 0]], the inputs [[6,
    0]] and the mask [[1, 0]].
    """
    # TODO 5.6: truncated back-propagation through time (advanced)
    raise NotImplementedError("Exercise 5.6: truncated back-propagation through time (advanced)")


def train_through(
    batches: Sequence[Batch],
    loss: Callable[[Batch, Carried | None], tuple[dy.Expression, Sequence[dy.Expression]]],
    update: Callable[[], None],
) -> float:
    """One pass over a text in streams by truncated back-propagation through time -> the mean loss of a prediction, in
    nats.

    For each batch, in order: a new graph (dy.renew_cg()); loss(batch, carried), which returns the summed loss of the
    batch and the states after its last step, each (H,) x B; the loss's value() and backward(); and update(). The states
    are passed to the next batch as `carried`: a list of *numbers*, arrays (H, B), so that no gradient flows back into
    an earlier batch. carried is None for the first batch. If B is 1, npvalue() leaves out the last axis.

    The losses are those before each update. Their sum is divided by the real predictions of all batches.
    """
    # TODO 5.6: truncated back-propagation through time (advanced)
    raise NotImplementedError("Exercise 5.6: truncated back-propagation through time (advanced)")
