"""DyNet's optimisers, as the course uses them."""

from __future__ import annotations

import dynet as dy


def make_optimiser(kind: str, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8) -> dy.Trainer:
    """An optimiser that clips the gradient's global norm at `clip` (0: no clipping).

    epsilon: what Adam adds to the root of its running mean of squares. Gradients much smaller than it hardly count.

    Made anew for each epoch: DyNet's Python interface cannot save Adam's running means, so they start afresh with
    the epoch, in an uninterrupted run as in a resumed one.
    """
    optimiser = dy.AdamTrainer(collection, eps=epsilon) if kind == "adam" else dy.SimpleSGDTrainer(collection)
    optimiser.set_clip_threshold(clip)
    return optimiser
