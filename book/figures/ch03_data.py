"""What the figures of chapter 3 show, computed by the chapter's own code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.neural_networks import autodiff, linear, model, tasks, with_autodiff

POINT, LABEL = np.array([[1.0], [-1.0]]), np.array([[-1.0]])
"""The point of the lesson's example, and what is wanted of it."""
LOCKSTEP = (0.5, 0.5, 0.5, 0.0)
"""Where W_xh, b_h, w_hy and b_y start when all units start equal."""
WIDTHS = tuple(10.0**power for power in range(-12, 1))
NO_SQUARE = autodiff.Operation("tanh", np.tanh, lambda g, out, a: (g * (1 - out),))
"""tanh with a mistake in its derivative: 1 - tanh instead of 1 - tanh^2."""


@cache
def start() -> tuple[np.ndarray, ...]:
    """The parameters of the lesson's example, in the shapes of the chapter's networks: W_xh, b_h, w_hy, b_y."""
    lesson = namespace("03")
    return lesson["W_xh"], lesson["b_h"][:, None], lesson["w_hy"][None], np.array([[lesson["b_y"]]])


@cache
def graph() -> dict[str, autodiff.Node]:
    """The computation graph of the loss of the lesson's point."""
    return graph_of(start(), POINT, LABEL)


def graph_of(arrays: Sequence[np.ndarray], point: np.ndarray, label: np.ndarray) -> dict[str, autodiff.Node]:
    """The computation graph of the loss of a point, both passes made: its nodes by their names in the lesson."""
    graph = autodiff.Graph()
    loss = with_autodiff.AutodiffMLP(arrays, "tanh").loss_node(graph, point, label)
    graph.forward()
    graph.backward(loss)
    return dict(zip(by_place(graph.nodes), graph.nodes, strict=True))


def by_place(nodes: list[autodiff.Node]) -> list[str]:
    """The lesson's name of each node of the graph of one hidden layer, in the order in which nodes are made."""
    own = {"x": "x", "W1": "W_xh", "b1": "b_h", "W2": "w_hy", "b2": "b_y", "y*": "y*"}
    results = iter(("W_xh x", "h'", "h", "w_hy h", "y", "y* − y", "square", "loss"))
    return [own[node.name] if node.name else next(results) for node in nodes]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), which is a tanh of half the width, moved to 0 ... 1."""
    return (1 + np.tanh(x / 2)) / 2


def loss_of(arrays: list[np.ndarray]) -> float:
    return model.squared_error(LABEL, model.MLP(arrays, "tanh").outputs(POINT))


def differences(width: float, both_sides: bool) -> np.ndarray:
    """Finite differences of the worked example's loss by every parameter: to one side, or to both."""
    slopes = []
    for which, array in enumerate(start()):
        for index in np.ndindex(array.shape):
            up, down = ([parameter.copy() for parameter in start()] for _ in range(2))
            up[which][index] += width
            down[which][index] -= width if both_sides else 0
            slopes.append((loss_of(up) - loss_of(down)) / (2 * width if both_sides else width))
    return np.array(slopes)


def derivatives(tanh: autodiff.Operation) -> np.ndarray:
    """The same derivatives from a graph whose tanh is this operation."""
    graph = autodiff.Graph()
    W_xh, b_h, w_hy, b_y = parameters = [graph.parameter(array, "") for array in start()]
    h = autodiff.apply(tanh, W_xh @ graph.input(POINT, "x") + b_h)
    loss = autodiff.total(autodiff.square(graph.input(LABEL, "y*") - (w_hy @ h + b_y)))
    graph.forward()
    graph.backward(loss)
    return np.concatenate([parameter.gradient.ravel() for parameter in parameters])


def gradient_errors() -> dict[str, list[float]]:
    """The largest difference between back-propagation and finite differences, as a power of 10, by their width."""
    cases = {"one side": (autodiff.TANH, False), "both sides": (autodiff.TANH, True),
             "both sides, wrong derivative": (NO_SQUARE, True)}  # fmt: skip
    return {name: [float(np.log10(np.abs(derivatives(tanh) - differences(width, both)).max())) for width in WIDTHS]
            for name, (tanh, both) in cases.items()}  # fmt: skip


def arrays_of(lists: list) -> list[np.ndarray]:
    """Recorded parameters as a network takes them."""
    return [np.array(values) for values in lists]


def seen(name: str):
    """What ch03_record.py has recorded under a name."""
    return recorded("03_neural_networks")[name]


def points_right(lines: int = 10_000) -> list[int]:
    """Of so many random lines, how many have 0, 1, 2, 3, 4 of the points of equality on the right side."""
    x, targets = tasks.equality()
    rng = np.random.default_rng(1)
    right = [int((targets * linear.linear(rng.normal(size=(1, 2)), rng.normal(size=(1, 1)), x) > 0).sum())
             for _ in range(lines)]  # fmt: skip
    return np.bincount(right, minlength=5).tolist()
