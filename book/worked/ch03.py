"""The worked examples of chapter 3: a line, a network with weights by hand, and one point through two tanh units."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

import numpy as np

from chapters.loglinear_lm import toy
from chapters.neural_networks import autodiff, by_hand, linear, model, settings, tasks, with_autodiff

LINE = (np.array([[1.0, 1.0]]), np.array([[-1.0]]))
"""W and b of a line that is right three times of four."""
START = (
    np.array([[0.6, 0.2], [-0.4, 0.8]]),  # W_xh
    np.array([[0.1], [-0.2]]),  # b_h
    np.array([[0.5, -0.7]]),  # w_hy
    np.array([[0.0]]),  # b_y
)
POINT, LABEL = np.array([[1.0], [-1.0]]), np.array([[-1.0]])
RATE = 0.05
WIDTH = 0.01
"""How far the worked finite difference moves a weight."""


def riddle() -> Iterator[float]:
    """The best sum of two words' votes on the riddle: the probability of the right word, its loss, the truth's."""
    best = toy.best_fit(toy.EXCLUSIVE_OR, "word1,word2")
    (right,) = {
        round(toy.probabilities(best, context)[ware], 3)
        for context, wares in toy.EXCLUSIVE_OR.items()
        for ware in wares
    }
    yield from (right, toy.cost(toy.EXCLUSIVE_OR, best), toy.cost(toy.EXCLUSIVE_OR))


def coin() -> Iterator[float]:
    """The loss of a lead of 0."""
    yield from (1, 0, 2, np.log(1 + np.exp(0)))


def line() -> Iterator[float]:
    """What the line says of each point, and whether it is right; then the sum."""
    x, targets = tasks.equality()
    y = linear.linear(*LINE, x)
    for point, output, target in zip(x.T, y[0], targets[0], strict=True):
        yield from (*point, output, target, target * output)
    yield (targets * y).sum()


def hand() -> Iterator[float]:
    """The network of steps with weights by hand, for each point."""
    x, targets = tasks.equality()
    before, after = model.MLP(by_hand.EQUALITY_BY_HAND, "step").forward(x)
    for column in np.concatenate([x, before[0], after[0], after[1], targets]).T:
        yield from column


@cache
def graph():
    """The computation graph of the loss of one point, both passes made: its nodes by their names in the lesson."""
    one = autodiff.Graph()
    loss = with_autodiff.AutodiffMLP(START, "tanh").loss_node(one, POINT, LABEL)
    one.forward()
    one.backward(loss)
    return dict(zip(by_place(one.nodes), one.nodes, strict=True))


def by_place(nodes: list) -> list[str]:
    """The lesson's name of each node of the graph of one hidden layer, in the order in which nodes are made."""
    own = {"x": "x", "W1": "W_xh", "b1": "b_h", "W2": "w_hy", "b2": "b_y", "y*": "y*"}
    results = iter(("W_xh x", "h'", "h", "w_hy h", "y", "y* − y", "square", "loss"))
    return [own[node.name] if node.name else next(results) for node in nodes]


def value(name: str) -> list[float]:
    """The numbers of a node, row by row."""
    return graph()[name].value.ravel().tolist()


def gradient(name: str) -> list[float]:
    """The derivatives of the loss with respect to the numbers of a node, row by row."""
    return graph()[name].gradient.ravel().tolist()


def forward() -> Iterator[float]:
    """The point (1, -1), number by number, to the loss."""
    (x1, x2), W, b = value("x"), START[0], START[1]
    for row in range(2):
        yield from (W[row, 0], x1, W[row, 1], x2, b[row, 0], value("h'")[row])
    for row in range(2):
        yield from (value("h'")[row], value("h")[row])
    for row in range(2):
        yield from (START[2][0, row], value("h")[row])
    yield from (START[3].item(), *value("y"))
    yield from (*value("y*"), *value("y"), *value("y* − y"))
    yield from (*value("y* − y"), *value("loss"))


def backward() -> Iterator[float]:
    """Every derivative of that loss, from the output down."""
    (by_y,), h, (x1, x2) = gradient("y"), value("h"), value("x")
    yield from (2, *value("y"), *value("y*"), by_y)
    yield by_y
    for row in range(2):
        yield from (by_y, h[row], gradient("w_hy")[row])
    for row in range(2):
        yield from (START[2][0, row], by_y, gradient("h")[row])
    for row in range(2):
        yield from (gradient("h")[row], 1, abs(h[row]), gradient("h'")[row])
    yield from gradient("b_h")
    for column, x in enumerate((x1, x2)):
        for row in range(2):
            yield from (gradient("h'")[row], x, gradient("W_xh")[2 * row + column])


def stepped() -> list[np.ndarray]:
    """The parameters after one step of gradient descent on this point."""
    network = model.MLP(START, "tanh")
    network.update(POINT, LABEL, RATE)
    return network.arrays()


def update() -> Iterator[float]:
    """One step: every parameter before and after, then the output and the loss before and after."""
    new = stepped()
    yield from (RATE, START[0][0, 0], RATE, gradient("W_xh")[0], new[0][0, 0])
    for column in range(2):
        for row in range(2):
            yield from (START[0][row, column], new[0][row, column])
    for which in (1, 2, 3):
        for before, after in zip(START[which].ravel(), new[which].ravel(), strict=True):
            yield from (before, after)
    outputs = [model.MLP(arrays, "tanh").outputs(POINT) for arrays in (START, new)]
    yield from (one.item() for one in outputs)
    yield from (model.squared_error(LABEL, one) for one in outputs)


def uses() -> Iterator[float]:
    """The loss (2 v + v)^2 at v = 3 on the course's graph: each node's value and derivative, from the loss down."""
    one = autodiff.Graph()
    two, v = one.input(np.array([2.0]), "2"), one.parameter(np.array([3.0]), "v")
    u1 = two * v
    u2 = u1 + v
    loss = autodiff.square(u2)
    one.forward()
    one.backward(loss)
    factor, at = two.value.item(), v.value.item()
    by_u2, by_u1, by_v = (node.gradient.item() for node in (u2, u1, v))
    yield from (factor, at)
    yield from (u2.value.item(), 2, u2.value.item(), by_u2)
    yield from (u1.value.item(), by_u2, 1, by_u1)
    yield from (at, by_u2, 1, by_u1, factor, by_v)
    yield from ((factor + 1) ** 2, 2 * (factor + 1) ** 2, at, by_v)


def moved(width: float) -> float:
    """The loss of the point with the first weight of W_xh moved by `width`."""
    arrays = [array.copy() for array in START]
    arrays[0][0, 0] += width
    return model.squared_error(LABEL, model.MLP(arrays, "tanh").outputs(POINT))


def check() -> Iterator[float]:
    """The derivative with respect to the first weight, measured by moving it to both sides."""
    w = START[0][0, 0]
    up, down = moved(WIDTH), moved(-WIDTH)
    yield from (w, WIDTH, w + WIDTH, up, w - WIDTH, down)
    yield from (up, down, 2 * WIDTH, (up - down) / (2 * WIDTH), gradient("W_xh")[0])


def limit() -> Iterator[float]:
    """Between which numbers the weights of the default network's hidden layer start."""
    inputs, units = 2, settings.Settings().hidden_size
    draws = SimpleNamespace(uniform=lambda low, high, shape: np.full(shape, high))
    largest = model.initial_arrays(inputs, units, 1, draws)[0][0, 0]
    yield from (units, inputs, -largest, largest, 6, inputs, units, 6 / (inputs + units), largest)


def hidden_of(arrays) -> np.ndarray:
    """The four points as the hidden layer of a network of tanh units has them, (H, 4)."""
    return model.MLP(arrays, "tanh").hidden(tasks.equality().x)
