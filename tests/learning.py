"""How tests train: until a mark is reached, however many steps the machine needs, within a generous budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dynet as dy
import numpy as np

from solutions.checks import train_until


def learn(
    model: Any, loss: Callable[[], dy.Expression], reached: Callable[[], bool], budget: int, fixed: Sequence[Any] = ()
) -> int:
    """Train a model with Adam until a mark is reached. Returns the number of steps.

    loss: made in a graph of its own. reached: whether the mark is. fixed: parameters that have nothing to learn. Raises
    `AssertionError` where the budget of steps ends before, and where another parameter of the model has not moved.
    """
    trainer = dy.AdamTrainer(model.collection, 0.03)

    def step() -> float:
        dy.renew_cg()
        result = loss()
        result.backward()
        trainer.update()
        return result.scalar_value()

    return train_until(lambda _: reached(), step, model.collection, budget, "it", fixed)


def sole_words(softmax: Any) -> list[dy.LookupParameters]:
    """The weights of classes of one word, whose probability within the class is 1 whatever they are."""
    sizes = np.diff(softmax.begin) if hasattr(softmax, "W_words") else []
    return [softmax.W_words[number] for number, size in enumerate(sizes) if size == 1]
