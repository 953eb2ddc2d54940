"""Pictures of a network: its decisions, the space of its hidden layer, its computation graph, activation functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from common.plots.plotting import save_figure

from .autodiff import Graph, Node
from .model import ACTIVATIONS
from .network import Network
from .tasks import Split
from .with_autodiff import AutodiffMLP

COLOURS = {"input": "lightsteelblue", "parameter": "moccasin"}


def learning_curve(history: Sequence[dict], path: Path) -> None:
    """The mean squared error on the training points after each epoch."""
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot([record["epoch"] for record in history], [record["loss"] for record in history])
    axes.set(xlabel="epoch", ylabel="mean squared error", yscale="log")
    save_figure(figure, path)


def decision_surface(network: Network, split: Split, path: Path) -> None:
    """The output y over the plane, with the points, and the line y = 0 where the decision turns."""
    reach = 1.3 * np.abs(split.x).max()
    figure, axes = plt.subplots(figsize=(5, 4.2))
    surface(figure, axes, network.outputs, (-reach, reach), (-reach, reach))
    scatter(axes, split.x, split.targets)
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    save_figure(figure, path)


def hidden_space(network: Network, split: Split, path: Path) -> None:
    """The points as the output layer sees them (Neubig 2017, Figure 8), and its decision there, a straight line.

    Two units are the axes themselves. Of more, a plane is shown: across, the direction w_hy, along which y grows;
    up, the direction in which the points differ most otherwise. A point's y is the colour under it.
    """
    hidden = network.hidden(split.x)
    w, b = network.arrays()[-2:]
    origin, basis = viewing_plane(hidden, w)
    points = basis.T @ (hidden - origin)
    margin = 0.15 * np.ptp(points) + 1e-3
    across, up = ((axis.min() - margin, axis.max() + margin) for axis in points)
    figure, axes = plt.subplots(figsize=(5, 4.2))
    surface(figure, axes, lambda plane: w @ (origin + basis @ plane) + b, across, up)
    scatter(axes, points, split.targets)
    if len(hidden) <= 2:
        axes.set(xlabel="$h_1$", ylabel="$h_2$")
    else:
        axes.set(xlabel="along $w_{hy}$", ylabel="largest spread across $w_{hy}$")
    save_figure(figure, path)


def viewing_plane(hidden: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A plane through the vectors (H, N) in which w (1, H) lies: a point (H, 1), two orthonormal directions (H, 2).

    Of one or two units it is the whole space (with an empty second axis where there is only one).
    """
    if len(hidden) <= 2:
        return np.zeros((len(hidden), 1)), np.eye(len(hidden), 2)
    origin = hidden.mean(axis=1, keepdims=True)
    along = w.T / np.linalg.norm(w)
    rest = hidden - origin - along @ (along.T @ (hidden - origin))
    directions, _, _ = np.linalg.svd(rest)
    return origin, np.concatenate([along, directions[:, :1]], axis=1)


def surface(
    figure: plt.Figure,
    axes: plt.Axes,
    function: Callable[[np.ndarray], np.ndarray],
    across: tuple[float, float],
    up: tuple[float, float],
    steps: int = 120,
) -> None:
    """Colour a rectangle by function((2, N)) -> (1, N), clipped to -1 ... 1, and draw where it is 0."""
    x1, x2 = np.meshgrid(np.linspace(*across, steps), np.linspace(*up, steps))
    y = function(np.stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
    image = axes.pcolormesh(x1, x2, y, cmap="RdBu", vmin=-1, vmax=1, shading="auto", rasterized=True)
    if y.min() < 0 < y.max():
        axes.contour(x1, x2, y, levels=[0], colors="black", linewidths=1)
    figure.colorbar(image, ax=axes, label="y", extend="both")


def scatter(axes: plt.Axes, points: np.ndarray, targets: np.ndarray) -> None:
    """The points (2, N), by label."""
    for label, marker, colour in ((1, "o", "navy"), (-1, "X", "darkred")):
        members = targets[0] == label
        x1, x2 = points[:, members]
        axes.scatter(x1, x2, marker=marker, color=colour, edgecolors="white", s=36, label=f"{label}", linewidths=0.6)
    axes.legend(title="$y^*$", loc="upper left", bbox_to_anchor=(1.25, 1))


def activations(path: Path) -> None:
    """The activation functions and their derivatives (Neubig 2017, Figure 9)."""
    x = np.linspace(-3, 3, 601)
    figure, panels = plt.subplots(1, len(ACTIVATIONS), figsize=(9, 2.6), sharey=True)
    for axes, (name, (function, derivative)) in zip(panels, ACTIVATIONS.items(), strict=True):
        axes.plot(x, function(x), label="function")
        axes.plot(x, derivative(x), "--", label="derivative")
        axes.set(title=name, xlabel="x", ylim=(-1.5, 2))
        axes.grid(alpha=0.3)
    panels[0].legend(loc="upper left")
    save_figure(figure, path)


def computation_graphs(network: Network, split: Split, path: Path) -> None:
    """The graph of the function and the graph of the loss (Neubig 2017, Figure 10), from autodiff.py itself."""
    twin = AutodiffMLP(network.arrays(), network.activation)
    layouts = [lay_out(twin.output_node(Graph(), split.x)), lay_out(twin.loss_node(Graph(), *split))]
    widths = [max(across for across, _ in layout.values()) + 1 for layout in layouts]
    height = max(-up for layout in layouts for _, up in layout.values()) + 1
    figure, panels = plt.subplots(1, 2, figsize=(0.7 * sum(widths), 0.55 * height), width_ratios=widths)
    for axes, layout, width, title in zip(panels, layouts, widths, ("the function", "the loss"), strict=True):
        draw_graph(axes, layout)
        axes.set(title=title, xlim=(-0.6, width - 0.4), ylim=(-height, 0.5))
    save_figure(figure, path)


def draw_graph(axes: plt.Axes, layout: dict[Node, tuple[float, float]]) -> None:
    """Nodes at their places, with arrows the way the values go."""
    for node, place in layout.items():
        for argument in node.arguments:
            line = {"arrowstyle": "->", "shrinkA": 9, "shrinkB": 9}
            axes.annotate("", xy=place, xytext=layout[argument], arrowprops=line)
        kind = node.operation.name
        box = {"boxstyle": "round,pad=0.25", "facecolor": COLOURS.get(kind, "white"), "edgecolor": "gray"}
        axes.text(*place, node.name or kind, ha="center", va="center", bbox=box, parse_math=False)
    axes.axis("off")


def lay_out(root: Node) -> dict[Node, tuple[float, float]]:
    """A place (across, up) for `root` and all below it: leaves side by side, each result over its arguments."""
    places: dict[Node, tuple[float, float]] = {}
    leaves = 0

    def visit(node: Node, up: float) -> None:
        nonlocal leaves
        if node in places:
            return
        if not node.arguments:
            places[node] = (leaves, up)
            leaves += 1
            return
        for argument in node.arguments:
            visit(argument, up - 1)
        places[node] = (float(np.mean([places[argument][0] for argument in node.arguments])), up)

    visit(root, 0.0)
    return places
