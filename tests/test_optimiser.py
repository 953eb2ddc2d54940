"""Adam's running means can be read and set, although DyNet shows neither, and its steps are those of the formula."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.nn import adam_means
from common.nn.adam_means import propagate, weighted_sum
from common.nn.optimiser import BETA1, BETA2, OPTIMISERS, Adam, make_optimiser

SHAPES, ROWS, SQUARE = [(30, 20), (7,)], (9, 4), (6, 6)


class NumpyAdam:
    """Adam in float64, from the paper (Kingma and Ba 2015, algorithm 1)."""

    def __init__(self, values: list[np.ndarray], epsilon: float):
        self.values, self.epsilon, self.steps = values, epsilon, 0
        self.m, self.v = ([np.zeros(value.shape) for value in values] for _ in "mv")

    def step(self, gradients: list[np.ndarray], rate: float) -> None:
        self.steps += 1
        for number, g in enumerate(gradients):
            m, v = self.m[number], self.v[number]
            m[...] = BETA1 * m + (1 - BETA1) * g
            v[...] = BETA2 * v + (1 - BETA2) * g**2
            rate_now = rate * np.sqrt(1 - BETA2**self.steps) / (1 - BETA1**self.steps)
            self.values[number] -= rate_now * m / (np.sqrt(v) + self.epsilon)


def collection_of(epsilon: float) -> tuple[Adam, NumpyAdam]:
    collection = dy.ParameterCollection()
    for shape in SHAPES:
        collection.add_parameters(shape)
    collection.add_lookup_parameters(ROWS)
    collection.add_lookup_parameters(SQUARE)
    adam = make_optimiser("adam", collection, 0, epsilon)
    return adam, NumpyAdam([parameter.as_array().astype(np.float64) for parameter in adam.parameters()], epsilon)


def train(adam: Adam, reference: NumpyAdam, steps: int, rng: np.random.Generator) -> None:
    """Both make the same steps: gradients of very different sizes, many of them 0, some always so."""
    shapes = [value.shape for value in reference.values]
    sizes = [10 ** np.random.default_rng(7).uniform(-6, 0, shape) for shape in shapes]
    for _ in range(steps):
        samples = [(rng.normal(0.3, 1, size.shape) * size) * (rng.random(size.shape) < 0.3) for size in sizes]
        samples[0][:, 0] = 0
        gradients = [gradient.astype(np.float32).astype(np.float64) for gradient in samples]
        dy.renew_cg()
        loss = dy.esum([weighted_sum(*pair) for pair in zip(adam.parameters(), gradients, strict=True)])
        loss.forward()
        loss.backward()
        adam.learning_rate = 0.01
        adam.update()
        reference.step(gradients, 0.01)


def assert_same_parameters(adam: Adam, reference: NumpyAdam, tolerance: float) -> None:
    for parameter, value in zip(adam.parameters(), reference.values, strict=True):
        np.testing.assert_allclose(parameter.as_array(), value, atol=tolerance)


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_means_are_measured_and_set(epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """m to a hundredth of sqrt(v), and sqrt(v) to a twentieth of itself and epsilon, both before and after."""
    monkeypatch.setattr(adam_means, "AT_ONCE", 599)  # the last of 600 numbers is in a block of its own
    adam, reference = collection_of(epsilon)
    train(adam, reference, 200, np.random.default_rng(1))
    before = [parameter.as_array() for parameter in adam.parameters()]
    for _ in range(2):  # the second time what was set is measured
        steps, *means = adam.arrays()
        assert steps == [200]
        for number, (m, v) in enumerate(zip(reference.m, reference.v, strict=True)):
            found_m, found_v = means[2 * number], means[2 * number + 1]
            assert (np.abs(found_m - m) <= 0.01 * (np.sqrt(v) + 1e-9)).mean() > 0.97
            assert (np.abs(np.sqrt(found_v) - np.sqrt(v)) <= 0.05 * (np.sqrt(v) + epsilon + 1e-8)).all()
            assert (np.abs(found_m - m) <= 0.1 * (np.sqrt(v) + 1e-9)).all()
    for parameter, value in zip(adam.parameters(), before, strict=True):
        np.testing.assert_array_equal(parameter.as_array(), value)


def test_a_mean_that_has_faded_to_nothing() -> None:
    """Of a number that had a gradient once, long ago, only v is left: it is found all the same."""
    collection = dy.ParameterCollection()
    parameter, adam = collection.add_parameters(3), make_optimiser("adam", collection, 0)
    reference = NumpyAdam([np.zeros(3)], 1e-8)
    for number in range(1000):
        dy.renew_cg()
        gradient = np.array([1.0, -2.0, 0.5]) * (number == 0)
        propagate([weighted_sum(parameter, gradient)])
        adam.update()
        reference.step([gradient], 0.0)
    _, m, v = adam.arrays()
    assert not m.any() and np.abs(np.sqrt(v) / np.sqrt(reference.v[0]) - 1).max() < 0.05


def test_steps_are_those_of_the_formula_also_after_the_means_were_measured() -> None:
    adam, reference = collection_of(1e-8)
    rng = np.random.default_rng(2)
    train(adam, reference, 50, rng)
    assert_same_parameters(adam, reference, 2e-5)
    adam.arrays()
    train(adam, reference, 50, rng)
    assert_same_parameters(adam, reference, 2e-3)


@pytest.mark.parametrize("place, value", [(0, -1.0), (0, 1e30), (2, -1e-6)])
def test_what_no_optimiser_can_remember(place: int, value: float) -> None:
    """A number of steps, or a mean of squares, that cannot be: refused before anything is changed."""
    adam, reference = collection_of(1e-8)
    train(adam, reference, 5, np.random.default_rng(3))
    saved = adam.arrays()
    damaged = [array.copy() for array in saved]
    damaged[place].flat[0] = value
    with pytest.raises(ValueError, match="a number of steps out of range, or means of squares"):
        adam.set_arrays(damaged)
    assert adam.steps == 5 and adam.trainer_steps > 0, "nothing has begun anew"


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_new_optimiser_remembers_nothing_and_clips(kind: str) -> None:
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(4, init=0)
    optimiser = make_optimiser(kind, collection, clip=1.0)
    assert not any(array.any() for array in optimiser.arrays())
    for gradient in (np.full(4, 100.0), np.full(4, -100.0)):
        dy.renew_cg()
        loss = weighted_sum(parameter, gradient)
        loss.forward()
        loss.backward()
        optimiser.learning_rate = 0.5
        optimiser.update()
        assert np.abs(parameter.as_array()).max() <= 0.5 + 1e-6


@pytest.mark.parametrize("name", OPTIMISERS)
def test_gradients_that_cannot_be_clipped_are_told_in_one_line(name: str) -> None:
    """The loss is 1, and the square of its gradient is beyond float32: a model whose weights were damaged, say."""
    collection = dy.ParameterCollection()
    weight = collection.add_parameters(1, init=dy.ConstInitializer(1e-25))
    optimiser = make_optimiser(name, collection, 5, 1e-8)
    loss = dy.sum_elems(weight * 1e25)
    assert loss.value() == pytest.approx(1)
    loss.backward()
    with pytest.raises(UserError, match="the norm of the gradients is not finite; lower --learning-rate"):
        optimiser.update()
