"""Lab 3: a small network whose weights are dragged, its hidden plane and decisions, and its graph with gradients."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch03_data import differences, graph_of
from book.figures.ch03_draw import boundary, decisions, graph, plane, points
from book.figures.diagrams import diagram
from book.figures.plots import drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from chapters.neural_networks import by_hand, linear, model, tasks


def line_outputs(angle: float, b: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W (1, 2) of length 1 at an angle in degrees, b (1, 1), and y of the four points of equality, (1, 4)."""
    turned = np.deg2rad(angle)
    W, offset = np.array([[np.cos(turned), np.sin(turned)]]), np.array([[b]])
    return W, offset, linear.linear(W, offset, tasks.equality().x)


@drawing(3.4, 3.4)
def line(axes: Axes, angle: float, b: float) -> None:
    """A line in the plane of the four points, and how many lie on their right side."""
    W, offset, y = line_outputs(angle, b)
    decisions(axes, lambda at: linear.linear(W, offset, at))
    right = tasks.equality().targets * y
    axes.set_title(f"{int((right > 0).sum())} of 4 right; sum of y* y: {right.sum() + 0.0:.2f}")


def network(weights: dict[str, float], activation: str):
    """A network of two hidden units from nine numbers: w11 w12 w21 w22 b1 b2 v1 v2 c."""
    arrays = ([[weights["w11"], weights["w12"]], [weights["w21"], weights["w22"]]], [[weights["b1"]], [weights["b2"]]],
              [[weights["v1"], weights["v2"]]], [[weights["c"]]])  # fmt: skip
    return model.MLP([np.array(array, dtype=np.float64) for array in arrays], activation)


HAND = dict(zip(("w11", "w12", "w21", "w22", "b1", "b2", "v1", "v2", "c"),
                np.concatenate([w.ravel() for w in by_hand.EQUALITY_BY_HAND]).tolist(), strict=True))  # fmt: skip
"""The lesson's weights by hand."""
NAMES = {"w11": "unit 1, weight of x₁", "w12": "unit 1, weight of x₂", "w21": "unit 2, weight of x₁",
         "w22": "unit 2, weight of x₂", "b1": "unit 1, bias", "b2": "unit 2, bias", "v1": "output, weight of h₁",
         "v2": "output, weight of h₂", "c": "output, bias"}  # fmt: skip


@drawing(9.6, 3.3, columns=3)
def drag(left: Axes, middle: Axes, right: Axes, activation: str, **weights: float) -> None:
    """The plane of the inputs with the units' lines, the plane of the hidden units, and the decision surface."""
    own = network(weights, activation)
    x, targets = tasks.equality()
    W, b, v, c = own.arrays()
    y = own.outputs(x)
    for row, colour in ((0, GREEN), (1, PURPLE)):
        if np.hypot(*W[row]) > 1e-9:
            boundary(left, W[row], b[row, 0], 2, color=colour)
    points(left, x, targets)
    plane(left, 2)
    left.set_title("inputs; green: unit 1, purple: unit 2")
    hidden = own.hidden(x)
    reach = max(1.3, 1.15 * float(np.abs(hidden).max()))
    if np.hypot(*v[0]) > 1e-9:
        boundary(middle, v[0], c.item(), reach, color=INK)
    points(middle, hidden, targets)
    plane(middle, reach, "h")
    middle.set_title("hidden units; the output's line")
    decisions(right, own.outputs)
    loss = model.squared_error(targets, y)
    right.set_title(f"{int((y * targets > 0).sum())} of 4 right; loss {loss:.3f}")


def nodes(weights: dict[str, float], x1: float, x2: float, label: float) -> dict:
    """The course's own graph of the loss of one point, both passes made: nodes by the lesson's names."""
    return graph_of(network(weights, "tanh").arrays(), np.array([[x1], [x2]]), np.array([[label]]))


LESSON = dict(zip(HAND, (0.6, 0.2, -0.4, 0.8, 0.1, -0.2, 0.5, -0.7, 0.0), strict=True))
"""The lesson's weights of its worked example."""


@diagram(10.8, 11.6, 0.62)
def flow(axes: Axes, w11: float, w12: float, v1: float, v2: float, x1: float, x2: float, label: float) -> None:
    """The graph with the value and the derivative of the loss at each node; the other weights are the lesson's."""
    graph(axes, nodes({**LESSON, "w11": w11, "w12": w12, "v1": v1, "v2": v2}, x1, x2, label))


def profile(name: str, activation: str, weights: dict[str, float]) -> tuple[np.ndarray, np.ndarray, float]:
    """The loss of equality as one weight moves: its values, the losses, and the derivative where it stands."""
    x, targets = tasks.equality()
    values = np.linspace(-6, 6, 241)
    losses = [model.squared_error(targets, network({**weights, name: value}, activation).outputs(x))
              for value in values.tolist()]  # fmt: skip
    _, gradients = network(weights, activation).gradients(x, targets)
    flat = dict(zip(HAND, np.concatenate([gradient.ravel() for gradient in gradients]).tolist(), strict=True))
    return values, np.array(losses), flat[name]


@drawing(5.6, 3)
def slope(axes: Axes, name: str, activation: str, value: float) -> None:
    """The loss as one weight moves, and its tangent by back-propagation; the other weights are those by hand."""
    weights = {**HAND, name: value}
    values, losses, derivative = profile(name, activation, weights)
    x, targets = tasks.equality()
    here = model.squared_error(targets, network(weights, activation).outputs(x))
    axes.plot(values, losses, color=BLUE)
    near = np.array([value - 0.7, value + 0.7])
    axes.plot(near, here + derivative * (near - value), color=ORANGE, linewidth=2)
    axes.plot(value, here, "o", color=RED)
    axes.set(
        xlabel=NAMES[name], ylabel="loss of the four points", title=f"derivative {derivative:+.3f}", ylim=(-0.5, 13)
    )


@cache
def run(task: str, activation: str, hidden: int, seed: int, rate: float, epochs: int) -> tuple[list, list[float]]:
    """Train on a task by the chapter's update, in minibatches of 32: the arrays at the end, and the mean losses."""
    split = tasks.make_task(task).train
    rng = np.random.default_rng(seed)
    own = model.MLP(model.initial_arrays(2, hidden, 1, rng), activation)
    losses, size = [], split.x.shape[1]
    for _ in range(epochs):
        order = rng.permutation(size)
        parts = [order[start : start + 32] for start in range(0, size, 32)]
        losses.append(sum(own.update(split.x[:, part], split.targets[:, part], rate) for part in parts) / size)
    return own.arrays(), losses


@drawing(7.6, 3.3, columns=2)
def training(left: Axes, right: Axes, task: str, activation: str, hidden: int, seed: int, rate: float) -> None:
    """The decisions of a trained network, and its loss by epoch."""
    epochs = 400 if task == "equality" else 60
    arrays, losses = run(task, activation, hidden, seed, rate, epochs)
    own, split = model.MLP(arrays, activation), tasks.make_task(task).train
    decisions(left, own.outputs, task)
    right_share = float((own.outputs(split.x) * split.targets > 0).mean())
    left.set_title(f"{right_share:.0%} of train right")
    right.plot(losses, color=BLUE)
    right.set(xlabel="epoch", ylabel="mean squared error", ylim=(0, max(1.2, min(3, losses[0]))))


def check(width_power: float) -> tuple[float, float]:
    """The largest difference of back-propagation from finite differences to one side, and to both, of this width."""
    derivatives = np.concatenate([node.gradient.ravel() for name, node in nodes(LESSON, 1.0, -1.0, -1.0).items()
                                  if name in ("W_xh", "b_h", "w_hy", "b_y")])  # fmt: skip
    width = 10.0**width_power
    return tuple(float(np.abs(derivatives - differences(width, both)).max()) for both in (False, True))
