"""The figures of chapter 3: lines, layers, a graph with its numbers, and what training makes of small networks."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures import ch03_data as data
from book.figures.ch03_draw import boundary, decisions, graph, plane, points
from book.figures.diagrams import arrow, diagram, node
from book.figures.plots import drawing, grouped, note, numbers_over
from book.figures.style import BLUE, CYCLE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.neural_networks import by_hand, linear, model, tasks

COLOURS = (*CYCLE, INK)


@drawing(7, 2.9, columns=2)
def no_line(left: Axes, right: Axes) -> None:
    """A line that is right three times of four, and how many points random lines have on the right side."""
    x, targets = tasks.equality()
    W, b = np.array([[1.0, 1.0]]), np.array([[-1.0]])
    boundary(left, W[0], b.item(), 2, color=INK)
    points(left, x, targets)
    wrong = x[:, (targets * linear.linear(W, b, x))[0] <= 0]
    left.scatter(*wrong, s=330, facecolors="none", edgecolors=RED, linewidths=1.5)
    plane(left, 2)
    left.legend(loc="upper left", bbox_to_anchor=(1, 1))
    counts = data.points_right()
    right.bar(range(5), counts, color=[BLUE] * 4 + [RED])
    numbers_over(right, counts, ",")
    right.set(xlabel="points on the right side", ylabel="random lines", ylim=(0, 1.15 * max(counts)))


@diagram(9.4, 4.6)
def network_by_hand(axes: Axes) -> None:
    """The network whose weights are set by hand, with its numbers for the point (1, 1)."""
    W_xh, b_h, w_hy, b_y = by_hand.EQUALITY_BY_HAND
    inputs, units, output = [(1, 3.4), (1, 1.4)], [(4.6, 3.4), (4.6, 1.4)], (8, 2.4)
    for row, (x, y) in enumerate(units):
        for column, place in enumerate(inputs):
            arrow(axes, (place[0] + 0.42, place[1]), (x - 0.42, y))
            label_place = (place[0] + 1.25, place[1] + 0.3 * (y - place[1]) + (0.14 if row == column else 0.2))
            axes.text(*label_place, f"{W_xh[row, column]:.0f}".replace("-", "−"), color=BLUE, fontsize=9)
        arrow(axes, (x + 0.42, y), (output[0] - 0.42, output[1]))
        axes.text(x + 1.5, (y + output[1]) / 2 + (0.3 if row == 0 else -0.5), f"{w_hy[0, row]:.0f}", color=BLUE)
        node(axes, x, y, f"$h_{row + 1}$", 0.42)
        bias(axes, x, y, b_h[row, 0])
    for number, (x, y) in enumerate(inputs, start=1):
        node(axes, x, y, f"$x_{number}$", 0.42, colour=INK)
    node(axes, *output, "$y$", 0.42, colour=GREEN)
    bias(axes, *output, b_y.item())
    for x, name in ((1, "input"), (4.6, "hidden layer"), (8, "output")):
        axes.text(x, 0.25, name, ha="center")


def bias(axes, x: float, y: float, number: float) -> None:
    """An arrow from above into a unit, with its bias."""
    arrow(axes, (x, y + 1.05), (x, y + 0.42), colour=PURPLE)
    axes.text(x + 0.12, y + 0.75, f"{number:.0f}".replace("-", "−"), color=PURPLE, fontsize=9)


@drawing(7, 3.1, columns=2)
def new_coordinates(left: Axes, right: Axes) -> None:
    """The units of that network as lines in the plane of the inputs, and the points in the plane of the units."""
    x, targets = tasks.equality()
    network = model.MLP(by_hand.EQUALITY_BY_HAND, "step")
    W_xh, b_h, w_hy, b_y = network.arrays()
    for row, colour, aside in ((0, GREEN, (-0.75, 0.75)), (1, PURPLE, (0.75, -0.75))):
        boundary(left, W_xh[row], b_h[row, 0], 2, color=colour)
        side = W_xh[row] / np.hypot(*W_xh[row])
        foot = -b_h[row, 0] * W_xh[row] / (W_xh[row] @ W_xh[row]) + np.array(aside)
        arrow(left, tuple(foot), tuple(foot + 0.45 * side), colour=colour)
        left.annotate(f"$h_{row + 1} = 1$", foot + 0.62 * side, color=colour, ha="center", va="center", fontsize=9)
    points(left, x, targets)
    plane(left, 2)
    boundary(right, w_hy[0], b_y.item(), 2, color=INK)
    points(right, network.hidden(x), targets)
    note(right, "two points", (-1, -1), (-4, -15), color=ORANGE, fontsize=9)
    plane(right, 2, "h")
    right.legend(loc="upper left", bbox_to_anchor=(1, 1))


@drawing(8.4, 2.5, columns=4, sharey=True)
def activations(*panels: Axes) -> None:
    """Four activation functions and their derivatives."""
    x = np.linspace(-4, 4, 401)
    functions = {name: tuple(model.ACTIVATIONS[name]) for name in ("step", "tanh", "relu")}
    functions["sigmoid"] = (data.sigmoid, lambda at: data.sigmoid(at) * (1 - data.sigmoid(at)))
    for axes, (name, (function, derivative)) in zip(panels, functions.items(), strict=True):
        axes.axhline(0, color=INK, linewidth=0.5)
        axes.plot(x, np.round(function(x), 4), color=BLUE, label="function")
        axes.plot(x, np.round(derivative(x), 4), "--", color=ORANGE, label="derivative")
        axes.set(title={"relu": "ReLU"}.get(name, name), ylim=(-1.4, 2), xlabel="$u$")
    panels[0].legend(loc="upper left", fontsize=9)


@diagram(11.2, 11.6, 0.62)
def graph_with_numbers(axes: Axes) -> None:
    """The worked example as the course's own graph holds it."""
    graph(axes, data.graph())


@drawing(6.2, 3.3)
def gradient_check(axes: Axes) -> None:
    """The difference between back-propagation and finite differences by the width of the move."""
    for (name, errors), colour in zip(data.seen("gradient_errors").items(), (BLUE, GREEN, RED), strict=True):
        axes.plot(data.WIDTHS, 10 ** np.array(errors), "o-", markersize=4, color=colour, label=name)
    axes.set(xscale="log", yscale="log", xlabel="width of the move", ylabel="largest absolute difference")
    axes.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))


@drawing(7.2, 3, columns=2, sharey=True)
def signal_by_layer(*panels: Axes) -> None:
    """Mean squares of values and derivatives through ten layers, for three sizes of random weights."""
    part2 = namespace("03", 2)
    for axes, signal, title in zip(panels, ("up", "down"), ("values, upwards", "derivatives, downwards"), strict=True):
        for scale, shares, colour in zip(part2["scales"], part2[signal], (ORANGE, BLUE, RED), strict=True):
            heights = 10 ** np.round(np.log10(shares), 3)
            axes.plot(range(len(shares)), heights, "o-", markersize=4, color=colour, label=f"{scale:g} times the limit")
        axes.set(yscale="log", xlabel="layers passed", title=title)
    panels[0].set_ylabel("mean square, as a share of the first")
    panels[0].legend(fontsize=9, loc="lower left")


@drawing(8.4, 2.7, columns=3)
def lockstep(*panels: Axes) -> None:
    """Units that start equal, and units that start nearly equal: the loss, and one weight of each unit."""
    runs = data.seen("lockstep")
    epochs = data.seen("every") * np.arange(len(runs["equal"]["loss"]))
    for (name, run), colour, axes in zip(runs.items(), (RED, BLUE), panels[1:], strict=True):
        panels[0].plot(epochs, run["loss"], color=colour, label=name)
        for weights, shade in zip(np.array(run["weights"]).T, COLOURS, strict=False):
            axes.plot(epochs, weights, color=shade)
        axes.set(title=f"weights of $x_1$, {name}", xlabel="epoch", ylim=(-0.5, 2))
    panels[0].set(title="mean squared error", xlabel="epoch", ylim=(0, 3.2))
    panels[0].legend(fontsize=9, loc="upper right")


@drawing(5.4, 3.5)
def training_paths(axes: Axes) -> None:
    """Where two tanh units put the four points, from the start to the end of training."""
    x, targets = tasks.equality()
    paths = np.array([model.MLP(data.arrays_of(arrays), "tanh").hidden(x) for arrays in data.seen("two_units")])
    for point, label in enumerate(targets[0]):
        axes.plot(*np.round(paths[:, :, point], 4).T, "-", color=BLUE if label > 0 else ORANGE, linewidth=1)
        axes.scatter(*np.round(paths[0, :, point], 4), s=16, color=INK, zorder=3)
    points(axes, paths[-1], targets)
    W, b = data.arrays_of(data.seen("two_units")[-1])[2:]
    boundary(axes, W[0], b.item(), 2, color=INK, linestyle="--")
    plane(axes, 1.25, "h")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


@drawing(6.6, 6.4, rows=2, columns=2)
def surfaces(*panels: Axes) -> None:
    """The decisions of four trained networks."""
    networks = [("equality, two units", "equality", data.seen("two_units")[-1])]
    networks += [("rings, one layer of 8", "rings", data.seen("rings"))]
    networks += [(f"spirals, {name}", "spirals", arrays) for name, arrays in data.seen("spirals").items()]
    for axes, (title, task, arrays) in zip(panels, networks, strict=True):
        decisions(axes, model.MLP(data.arrays_of(arrays), "tanh").outputs, task)
        axes.set_title(title)


@drawing(6.2, 3.3)
def loss_by_seed(axes: Axes) -> None:
    """Eight runs of the same network on the same points."""
    for (seed, losses), colour in zip(data.seen("curves").items(), COLOURS, strict=True):
        axes.plot(data.seen("every") * np.arange(len(losses)), losses, color=colour, label=f"seed {seed}")
    axes.set(xlabel="epoch", ylabel="mean squared error", ylim=(0, 1.5))
    axes.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))


@drawing(6.2, 3.2)
def how_often(axes: Axes) -> None:
    """The share of seeds that learn equality, by number of hidden units and activation function."""
    sizes, seeds = data.seen("sizes"), data.seen("seeds")
    activations = zip(data.seen("counts").items(), (BLUE, GREEN, ORANGE), strict=True)
    rows = {{"relu": "ReLU"}.get(name, name): ([100 * count / seeds for count in counts], colour)
            for (name, counts), colour in activations}  # fmt: skip
    for bars in grouped(axes, sizes, rows, 0.27, 0.25):
        axes.bar_label(bars, fmt="%.0f", fontsize=9)
    axes.set(xlabel="hidden units", ylabel=f"% of {seeds} seeds that learn", ylim=(0, 108))
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
