"""What tests ask of small models again and again: sentences of ids, and the gradients of a loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary

V, H = 7, 3
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [], [3, 3, 2, 6]]  # of ids; of no word too
WORDS = [[f"w{number}" if number > 1 else "<unk>" for number in sentence] for sentence in SENTENCES]
TEXT = [word for sentence in SENTENCES for word in [*sentence, 0]]  # one after the other
LONG = [0, 4, 2, 6, 3, 3, 5]  # inputs of seven steps


def vocabulary(size: int = V) -> Vocabulary:
    return Vocabulary(f"w{number}" for number in range(2, size))


def whole_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def column(ids: list[int]) -> np.ndarray:
    """The inputs of one sentence, (time, 1)."""
    return np.array(ids)[:, None]


def parameters_of(model) -> dict[str, dy.Parameters]:
    """All of them, in order, whatever the model."""
    parameters = [*model.collection.parameters_list(), *model.collection.lookup_parameters_list()]
    return {str(number): parameter for number, parameter in enumerate(parameters)}


def gradients(
    collection: dy.ParameterCollection, named: Mapping[str, dy.Parameters], make_loss: Callable[[], dy.Expression]
) -> dict[str, np.ndarray]:
    """The gradient of a loss, made in a graph of its own, for every named parameter of the collection."""
    for parameter in [*collection.parameters_list(), *collection.lookup_parameters_list()]:
        parameter.scale_gradient(0)
    dy.renew_cg()
    loss = make_loss()
    loss.forward()
    loss.backward()
    return {name: parameter.grad_as_array().astype(np.float64) for name, parameter in named.items()}


def knows_two(model, batch: Batch) -> bool:
    """Whether a language model has learnt two sentences by heart: which of the two it will be, it cannot know."""
    log_probs = model.log_probs(batch)
    first, others = np.exp(log_probs[0]), np.exp(log_probs[1:][batch.mask[1:] > 0])
    return np.abs(first - 0.5).max() < 0.05 and others.min() > 0.95


def numeric_gradient(function, array: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences of function() by every element of `array`, which is changed in place and restored."""
    gradient = np.zeros_like(array)
    for place in np.ndindex(array.shape):
        before, sides = array[place], []
        for side in (before + step, before - step):
            array[place] = side
            sides.append(function())
        array[place] = before
        gradient[place] = (sides[0] - sides[1]) / (2 * step)
    return gradient


def check_gradients(
    actual: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray], loss: Callable[[], float], least: float = 1e-4
) -> None:
    """Along random directions of all arrays that a float64 loss by hand reads, a model's gradients are its slope.

    A direction is as long in each array as its gradient is short, so that each counts. least: how large some number of
    each gradient is.
    """
    rng, before = np.random.default_rng(1), {key: array.copy() for key, array in arrays.items()}
    for key in arrays:
        assert np.abs(actual[key]).max() >= least, f"{key} gets a gradient"
    lengths = {key: max(np.linalg.norm(actual[key]), 1e-2) for key in arrays}
    for _ in range(3):
        directions = {key: rng.normal(size=array.shape) / lengths[key] for key, array in arrays.items()}
        sides = []
        for side in (1e-6, -1e-6):
            for key, array in arrays.items():
                array += side * directions[key]
            sides.append(loss())
            for key, array in arrays.items():
                array[...] = before[key]
        expected = sum((actual[key] * directions[key]).sum() for key in arrays)
        assert (sides[0] - sides[1]) / 2e-6 == pytest.approx(expected, abs=3e-3)


class CountingCollection:
    """Stands for DyNet's collection of parameters and only counts them: 50 million need not be in memory."""

    def __init__(self) -> None:
        self.total = 0

    def add_parameters(self, shape: int | tuple[int, ...], init=None) -> SimpleNamespace:
        self.total += int(np.prod(shape))
        return SimpleNamespace(shape=lambda: shape)

    add_lookup_parameters = add_parameters
