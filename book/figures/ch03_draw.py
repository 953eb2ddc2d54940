"""Parts of the figures of chapter 3: points with labels, regions of the plane, and a graph with its numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred
from book.figures.style import BLUE, GREEN, INK, ORANGE
from chapters.neural_networks import tasks

LABELS = ((1, "o", BLUE), (-1, "X", ORANGE))
"""How the points of each label are drawn."""
SHADES = [(ORANGE, 0.6), (ORANGE, 0.35), (ORANGE, 0.15), (BLUE, 0.15), (BLUE, 0.35), (BLUE, 0.6)]
LEVELS = [-1e9, -1, -0.5, 0, 0.5, 1, 1e9]
"""Outputs of a network, and the colour between each two of them."""


def points(axes: Axes, x: np.ndarray, targets: np.ndarray, size: float = 60) -> None:
    """Points (2, N) by their labels (1, N)."""
    edge = {"edgecolors": "white", "linewidths": 0.5} if size > 20 else {"linewidths": 0}
    for label, marker, colour in LABELS:
        members = np.round(x[:, targets[0] == label], 4)
        axes.scatter(
            *members, marker=marker, color=colour, s=size, label=f"y* = {label}".replace("-", "−"), zorder=3, **edge
        )


def plane(axes: Axes, reach: float, labels: str = "x") -> None:
    """Equal axes from -reach to reach, with the lines of zero."""
    axes.axhline(0, color=INK, linewidth=0.5)
    axes.axvline(0, color=INK, linewidth=0.5)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal",
             xlabel=f"${labels}_1$", ylabel=f"${labels}_2$")  # fmt: skip


def boundary(axes: Axes, W: np.ndarray, b: float, reach: float, **style) -> None:
    """The line w_1 x_1 + w_2 x_2 + b = 0: W (2,)."""
    along = np.array([-W[1], W[0]]) / np.hypot(*W)
    foot = -b * W / (W @ W)
    ends = np.round(np.stack([foot - 3 * reach * along, foot + 3 * reach * along]), 4)
    axes.plot(ends[:, 0], ends[:, 1], **style)


def regions(axes: Axes, function: Callable[[np.ndarray], np.ndarray], reach: float, steps: int = 60) -> None:
    """Colour the plane by function((2, N)) -> (1, N), with a line where it is 0."""
    x1, x2 = np.meshgrid(np.linspace(-reach, reach, steps), np.linspace(-reach, reach, steps))
    y = np.round(function(np.stack([x1.ravel(), x2.ravel()])).reshape(x1.shape), 4)
    axes.contourf(x1, x2, y, levels=LEVELS, colors=SHADES)
    axes.contour(x1, x2, y, levels=[0], colors=INK, linewidths=1.2)


def decisions(axes: Axes, function: Callable[[np.ndarray], np.ndarray], task: str = "equality") -> None:
    """The plane of a task coloured by function((2, N)) -> (1, N), with points of train, at most 200."""
    split, few = tasks.make_task(task).train, task == "equality"
    reach = 2 if few else 1.45
    regions(axes, function, reach)
    points(axes, split.x[:, :200], split.targets[:, :200], 60 if few else 9)
    plane(axes, reach)


def written(numbers: np.ndarray) -> str:
    """The numbers of a node on one line: 0.851, (0.462, −0.885), or rows between bars."""
    rows = np.atleast_2d(numbers)
    rows = rows.T if rows.shape[1] == 1 else rows
    text = " | ".join(", ".join(f"{value:.3f}" for value in row) for row in np.round(rows, 4) + 0.0)
    return (f"({text})" if rows.size > 1 else text).replace("-", "−")


PLACES = {
    "x": (9.3, 0.6), "W_xh": (1.9, 0.6), "W_xh x": (5.6, 1.9), "b_h": (9.3, 1.9), "h'": (5.6, 3.2),
    "h": (5.6, 4.5), "w_hy": (1.9, 4.5), "w_hy h": (5.6, 5.8), "b_y": (9.3, 5.8), "y": (5.6, 7.1), "y*": (1.9, 7.1),
    "y* − y": (5.6, 8.4), "square": (5.6, 9.7), "loss": (5.6, 11.0),
}  # fmt: skip
"""Where each node of the graph of one hidden layer stands."""
NAMES = {"W_xh x": r"$W_{xh}\,x$", "W_xh": "$W_{xh}$", "b_h": "$b_h$", "h'": "$h'$: add", "h": "$h$: tanh",
         "w_hy": "$w_{hy}$", "w_hy h": r"$w_{hy}\,h$", "b_y": "$b_y$", "y": "$y$: add", "x": "$x$", "y*": "$y^*$",
         "y* − y": r"$y^* - y$", "square": "square", "loss": r"$\ell$: sum"}  # fmt: skip
WIDE, HIGH = 3.6, 0.98


def graph(axes: Axes, nodes: dict) -> None:
    """A graph of one hidden layer: at each node its name, its value, and, but for data, the derivative of the loss."""
    names = {node: name for name, node in nodes.items()}
    for name, node in nodes.items():
        x, y = PLACES[name]
        colour = {"parameter": GREEN, "input": INK}.get(node.operation.name, BLUE)
        box(axes, x, y, "", WIDE, HIGH, colour=colour)
        derivative = "" if node.operation.name == "input" else written(node.gradient)
        for text, up, of in ((NAMES[name], 0.27, INK), (written(node.value), 0.0, BLUE), (derivative, -0.28, ORANGE)):
            centred(axes, x, y + up, text, color=of, fontsize=9)
        for argument in node.arguments:
            there = PLACES[names[argument]]
            across = np.sign(there[0] - x)
            start, end = (there[0] - across * WIDE / 2, there[1]), (x + across * WIDE / 2, y)
            if there[1] < y:
                start, end = (there[0] - across * 0.5, there[1] + HIGH / 2), (x + across * 0.45 * WIDE, y - HIGH / 2)
            arrow(axes, start, end)
    axes.text(0.1, 11.3, "value", color=BLUE, fontsize=9)
    axes.text(0.1, 10.9, "derivative of the loss", color=ORANGE, fontsize=9)
