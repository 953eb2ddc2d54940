"""Chapter 3: what no line can do, a network that does it by hand, and gradients that three engines agree on."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest

from chapters.neural_networks import by_hand, linear, model, tasks, with_autodiff, with_dynet
from tests.small_models import numeric_gradient

CHAPTER = "03_neural_networks"
POINTS = [((1, 1), 1), ((-1, 1), -1), ((1, -1), -1), ((-1, -1), 1)]
SHAPES = [(1, 1), (1, 5), (2, 4), (3, 3)]
"""Hidden layers and their size."""
NUMPY = {model.MLP: 1e-12, with_autodiff.AutodiffMLP: 1e-12}
ENGINES = NUMPY | {with_dynet.DynetMLP: 1e-5}
"""The three engines and their precision; DyNet has no step function."""


def random_arrays(layers: int, hidden_size: int, seed: int = 4) -> list[np.ndarray]:
    return model.initial_arrays(2, hidden_size, layers, np.random.default_rng(seed))


def batch(size: int, seed: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, size)), rng.choice([-1.0, 1.0], (1, size))


def plain_forward(arrays, function, x) -> tuple[list[list[float]], float]:
    """One example, number by number: the layers before their non-linearity, and y."""
    values, before = list(x), []
    layers = list(zip(arrays[::2], arrays[1::2], strict=True))
    for number, (W, b) in enumerate(layers):
        before.append([b[i, 0] + sum(W[i, j] * values[j] for j in range(len(values))) for i in range(len(b))])
        values = before[-1] if number == len(layers) - 1 else [function(value) for value in before[-1]]
    return before, values[0]


FUNCTIONS = {"tanh": math.tanh, "relu": lambda x: max(x, 0.0), "step": lambda x: 1.0 if x > 0 else -1.0}


def plain_loss(arrays, activation: str, x, targets) -> float:
    """The summed squared error, with the plain forward computation above."""
    outputs = [plain_forward(arrays, FUNCTIONS[activation], point)[1] for point in x.T]
    return sum((target - y) ** 2 for target, y in zip(targets[0], outputs, strict=True))


# --- no line


@pytest.mark.equation("neubig2017", 33)
def test_the_best_line_says_nothing_about_equality() -> None:
    """The normal equations, solved by hand: sums of y*, y* x1, y* x2 are all 0, so W, b = 0 and every error is 1."""
    x, targets = tasks.equality()
    W, b = linear.least_squares(x, targets)
    np.testing.assert_allclose(np.append(W, b), 0, atol=1e-12)
    assert model.squared_error(targets, linear.linear(W, b, x)) == pytest.approx(4)
    rng = np.random.default_rng(1)
    for _ in range(200):  # and any other line is worse, by 4 (w1^2 + w2^2 + b^2)
        W, b = rng.normal(size=(1, 2)), rng.normal(size=(1, 1))
        error = model.squared_error(targets, linear.linear(W, b, x))
        assert error == pytest.approx(4 + 4 * ((W**2).sum() + (b**2).sum()))


def test_least_squares_finds_a_line_where_there_is_one() -> None:
    x, _ = batch(30)
    W, b = linear.least_squares(x, np.array([[2.0, -3.0]]) @ x + 0.5)
    np.testing.assert_allclose(np.append(W, b), [2, -3, 0.5])


def test_the_perceptron_finds_a_line_where_there_is_one_and_else_goes_round_in_circles() -> None:
    x, targets = tasks.equality()
    *_, mistakes = linear.perceptron(x, targets, 50)
    assert mistakes == [4] * 50
    both = np.where(x.min(axis=0) > 0, 1.0, -1.0)[None]  # the conjunction of the two
    W, b, mistakes = linear.perceptron(x, both, 50)
    assert mistakes[0] > 0 and mistakes[-1] == 0
    assert (both * linear.linear(W, b, x) > 0).all()


# --- the network by hand


@pytest.mark.equation("neubig2017", 34, 35)
def test_the_network_by_hand_solves_equality() -> None:
    W_xh, b_h, w_hy, b_y = by_hand.EQUALITY_BY_HAND
    network = model.MLP(by_hand.EQUALITY_BY_HAND, "step")
    for (x1, x2), target in POINTS:
        h = [1 if W_xh[i, 0] * x1 + W_xh[i, 1] * x2 + b_h[i, 0] > 0 else -1 for i in range(2)]
        y = w_hy[0, 0] * h[0] + w_hy[0, 1] * h[1] + b_y[0, 0]
        x = np.array([[x1], [x2]], dtype=float)
        assert y == target == network.outputs(x).item()
        assert h == network.hidden(x).ravel().tolist()


def test_the_program_by_hand(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["by_hand.py"])
    by_hand.main()
    printed = capsys.readouterr().out
    assert "mean squared error 1.000" in printed and "largest derivative 0.000" in printed
    rows = [
        [int(part) for part in re.findall(r"-?\d+", line)]
        for line in printed.splitlines()
        if re.match(r"^[ \d-]+$", line)
    ]
    assert [((row[0], row[1]), row[6]) for row in rows] == POINTS


# --- forward and backward


@pytest.mark.equation("neubig2017", 34, 36, 37, 38, 39, 40)
@pytest.mark.parametrize("layers, size", SHAPES)
@pytest.mark.parametrize("engine, activation", [*product(ENGINES, ("tanh", "relu")), *product(NUMPY, ("step",))])
def test_values_and_gradients(engine: type, layers: int, size: int, activation: str) -> None:
    """Forwards number by number, backwards by finite differences."""
    precision = ENGINES[engine]
    arrays, (x, targets) = random_arrays(layers, size), batch(5)
    network = engine(arrays, activation)
    loss, actual = network.gradients(x, targets)
    for example, point in enumerate(x.T):
        before, y = plain_forward(arrays, FUNCTIONS[activation], point)
        last = [FUNCTIONS[activation](value) for value in before[-2]]
        np.testing.assert_allclose(network.hidden(x)[:, example], last, atol=precision)
        assert network.outputs(x)[0, example] == pytest.approx(y, abs=precision)
    assert loss == pytest.approx(plain_loss(arrays, activation, x, targets), rel=precision)
    assert [array.shape for array in actual] == [array.shape for array in arrays]
    for array, gradient in zip(arrays, actual, strict=True):
        expected = numeric_gradient(lambda: plain_loss(arrays, activation, x, targets), array)
        np.testing.assert_allclose(gradient, expected, rtol=max(precision, 1e-6), atol=max(precision, 1e-7))


@pytest.mark.equation("neubig2017", 37)
@pytest.mark.parametrize("engine", NUMPY)
def test_with_the_step_function_nothing_below_the_output_layer_moves(engine) -> None:
    network = engine(random_arrays(2, 6), "step")
    start = network.arrays()
    x, targets = batch(20)
    *below, w_gradient, b_gradient = network.gradients(x, targets)[1]
    assert all((gradient == 0).all() for gradient in below)
    assert (w_gradient != 0).any() and (b_gradient != 0).all()
    start = [array.copy() for array in start]
    for _ in range(20):
        network.update(x, targets, 0.02)
    moved = [not np.array_equal(*pair) for pair in zip(start, network.arrays(), strict=True)]
    assert moved == [False, False, False, False, True, True]


@pytest.mark.trains
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_three_engines_train_to_the_same_result(activation: str) -> None:
    """Of eight starts with each activation none ended more than 2.4e-7 apart."""
    arrays, split = random_arrays(2, 6), tasks.make_task("rings").train
    networks = [engine(arrays, activation) for engine in ENGINES]
    for network in networks:
        network.gradients(split.x, split.targets)  # leaves nothing behind that the next update would use
        for start in range(0, 400, 20):
            network.update(split.x[:, start : start + 20], split.targets[:, start : start + 20], 0.1)
    for network in networks[1:]:
        for array, expected in zip(network.arrays(), networks[0].arrays(), strict=True):
            np.testing.assert_allclose(array, expected, atol=2e-5)
    assert np.abs(networks[0].arrays()[0] - arrays[0]).max() > 0.05, "training must have moved something"


def test_where_training_starts() -> None:
    arrays = model.initial_arrays(2, 300, 2, np.random.default_rng(1))
    assert [array.shape for array in arrays] == [(300, 2), (300, 1), (300, 300), (300, 1), (1, 300), (1, 1)]
    for W, b, limit in zip(arrays[::2], arrays[1::2], [(6 / 302) ** 0.5, 0.1, (6 / 301) ** 0.5], strict=True):
        assert np.abs(W).max() <= limit and np.abs(b).max() <= limit
        assert np.abs(W).max() > 0.95 * limit


# --- where training starts, and what is learnt


@pytest.mark.parametrize("name", ["rings", "spirals"])
def test_tasks_that_are_drawn(name: str) -> None:
    task, again = tasks.make_task(name), tasks.make_task(name)
    for split in (task.train, task.test):
        assert split.x.shape == (2, tasks.SIZE) and split.targets.shape == (1, tasks.SIZE)
        assert (split.targets == 1).sum() == (split.targets == -1).sum() == tasks.SIZE // 2
    np.testing.assert_array_equal(task.train.x, again.train.x)
    assert not np.array_equal(task.train.x, task.test.x)
    W, b = linear.least_squares(*task.train)
    assert ((linear.linear(W, b, task.train.x) > 0) == (task.train.targets > 0)).mean() < 0.75, "no line does it"


def test_the_second_spiral_is_the_first_turned_by_half_a_circle() -> None:
    split = tasks.spirals(np.random.default_rng(1), size=2000, noise=0)
    radius = np.hypot(*split.x)
    angle = np.arctan2(split.x[1], split.x[0]) - np.pi * (split.targets[0] < 0)
    expected = 2 * np.pi * 1.5 * (radius - 0.1) / 1.1
    np.testing.assert_allclose(np.cos(angle - expected), 1, atol=1e-9)
