"""Part 2 of chapter 3: its cells compute what the chapter's own networks do, and its figure shows their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from book.lessons.cells import namespace
from chapters.neural_networks import autodiff, linear, model, tasks

LESSON = namespace("03", 2)


def test_the_errors_of_lines_are_the_course_s() -> None:
    x, targets = tasks.equality()
    for (*W, b), error, square in zip(LESSON["lines"], LESSON["errors"], LESSON["squares"], strict=True):
        y = linear.linear(np.array([W]), np.array([[b]]), x)
        assert error == pytest.approx(model.squared_error(targets, y)) == pytest.approx(4 + 4 * square)
    W, b = linear.least_squares(x, targets)
    np.testing.assert_allclose([*W[0], b.item()], LESSON["lines"][-1], atol=1e-12)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_signals_through_the_layers_are_those_of_the_course_s_graph(scale: float) -> None:
    """The same random weights in a graph of the chapter, whose derivatives are found by its back-propagation."""
    layers, units = 4, 6
    rng, limit = np.random.default_rng(1), scale * np.sqrt(6 / (2 * units))
    weights = rng.uniform(-limit, limit, (layers, units, units))
    start, at_the_top = (rng.normal(0, 0.3, (units, 200)) for _ in range(2))
    graph = autodiff.Graph()
    values = [graph.input(start, "h")]
    for W in weights:
        values.append(autodiff.tanh(graph.parameter(W, "W") @ values[-1]))
    loss = autodiff.total(values[-1] * graph.input(at_the_top, "g"))
    graph.forward()
    graph.backward(loss)
    up, down = LESSON["mean_squares"](scale, layers, units)
    np.testing.assert_allclose(up, [(node.value**2).mean() / (start**2).mean() for node in values])
    expected = [(node.gradient**2).mean() / (at_the_top**2).mean() for node in values[::-1]]
    np.testing.assert_allclose(down, expected)
