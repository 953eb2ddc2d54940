"""Pictures of a network: its decisions, the space of its hidden layer, its computation graph, its non-linearities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from autodiff import Graph, Node
from common.plotting import save_figure
from model import ACTIVATIONS
from tasks import Split
from with_autodiff import AutodiffMLP

COLOURS = {"input": "lightsteelblue", "parameter": "moccasin"}


def learning_curve(history: Sequence[dict], path: Path) -> None:
    """The mean squared error on the training points after each epoch."""
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot([record["epoch"] for record in history], [record["loss"] for record in history])
    axes.set(xlabel="epoch", ylabel="mean squared error", yscale="log")
    save_figure(figure, path)


def decision_surface(network, split: Split, path: Path) -> None:
    """The output y over the plane, with the points, and the line y = 0 where the decision turns."""
    reach = 1.3 * np.abs(split.x).max()
    figure, axes = plt.subplots(figsize=(5, 4.2))
    surface(figure, axes, network.outputs, (-reach, reach), (-reach, reach))
    scatter(axes, split.x, split.targets)
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    save_figure(figure, path)


def hidden_space(network, split: Split, path: Path) -> None:
    """The points as the output layer sees them, and its decision there, which is a straight line.

    Two units are the axes themselves; of more, the plane in which the hidden vectors differ most is shown.
    """
    hidden = network.hidden(split.x)
    origin, basis = best_plane(hidden)
    points = basis.T @ (hidden - origin)
    W, b = network.arrays()[-2:]
    figure, axes = plt.subplots(figsize=(5, 4.2))
    margin = 0.15 * np.ptp(points) + 1e-3
    ranges = [(axis.min() - margin, axis.max() + margin) for axis in points]
    surface(figure, axes, lambda plane: W @ (origin + basis @ plane) + b, *ranges)
    scatter(axes, points, split.targets)
    units = len(hidden) <= 2
    axes.set(xlabel="$h_1$" if units else "first principal component of $h$")
    axes.set(ylabel="$h_2$" if units else "second principal component of $h$")
    save_figure(figure, path)


def best_plane(hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A plane through the vectors (H, N): a point of it (H, 1), and two directions (H, 2), orthonormal where H > 1."""
    if len(hidden) <= 2:
        return np.zeros((len(hidden), 1)), np.eye(len(hidden), 2)
    origin = hidden.mean(axis=1, keepdims=True)
    directions, _, _ = np.linalg.svd(hidden - origin)
    return origin, directions[:, :2]


def surface(figure, axes, function, across: tuple[float, float], up: tuple[float, float], steps: int = 120) -> None:
    """Colour a rectangle by function((2, N)) -> (1, N), clipped to -1 ... 1, and draw where it is 0."""
    x1, x2 = np.meshgrid(np.linspace(*across, steps), np.linspace(*up, steps))
    y = function(np.stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
    image = axes.pcolormesh(x1, x2, y, cmap="RdBu", vmin=-1, vmax=1, shading="auto", rasterized=True)
    if y.min() < 0 < y.max():
        axes.contour(x1, x2, y, levels=[0], colors="black", linewidths=1)
    figure.colorbar(image, ax=axes, label="y", extend="both")


def scatter(axes, points: np.ndarray, targets: np.ndarray) -> None:
    """The points (2, N), by label."""
    for label, marker, colour in ((1, "o", "navy"), (-1, "X", "darkred")):
        chosen = targets[0] == label
        axes.scatter(
            *points[:, chosen], marker=marker, color=colour, edgecolors="white", s=36, label=f"{label}", linewidths=0.6
        )
    axes.legend(title="$y^*$", loc="upper right")


def activations(path: Path) -> None:
    """The non-linearities and their derivatives (Neubig 2017, Figure 9)."""
    x = np.linspace(-3, 3, 601)
    figure, panels = plt.subplots(1, len(ACTIVATIONS), figsize=(9, 2.6), sharey=True)
    for axes, (name, (function, derivative)) in zip(panels, ACTIVATIONS.items(), strict=True):
        axes.plot(x, function(x), label="function")
        axes.plot(x, derivative(x), "--", label="derivative")
        axes.set(title=name, xlabel="x", ylim=(-1.5, 2))
        axes.grid(alpha=0.3)
    panels[0].legend(loc="upper left")
    save_figure(figure, path)


def computation_graphs(network, split: Split, path: Path) -> None:
    """The graph of the function and the graph of the loss (Neubig 2017, Figure 10), from autodiff.py itself."""
    twin = AutodiffMLP(network.arrays(), network.activation)
    function, loss = Graph(), Graph()
    roots = twin.output_node(function, split.x), twin.loss_node(loss, *split)
    sizes = [len(graph.nodes) for graph in (function, loss)]
    figure, panels = plt.subplots(1, 2, figsize=(1.0 * sum(sizes), 5), width_ratios=sizes)
    for axes, root, title in zip(panels, roots, ("the function", "the loss"), strict=True):
        draw_graph(axes, root)
        axes.set_title(title)
    save_figure(figure, path)


def draw_graph(axes, root: Node) -> None:
    """The nodes that `root` depends on, `root` at the top, with arrows the way the values go."""
    places = lay_out(root)
    for node, place in places.items():
        for argument in node.arguments:
            line = {"arrowstyle": "->", "shrinkA": 14, "shrinkB": 14}
            axes.annotate("", xy=place, xytext=places[argument], arrowprops=line)
        kind = node.operation.name
        box = {"boxstyle": "round,pad=0.35", "facecolor": COLOURS.get(kind, "white"), "edgecolor": "gray"}
        axes.text(*place, node.name or kind, ha="center", va="center", bbox=box, parse_math=False)
    across, up = zip(*places.values(), strict=True)
    axes.set(xlim=(min(across) - 0.6, max(across) + 0.6), ylim=(min(up) - 0.6, max(up) + 0.6))
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
