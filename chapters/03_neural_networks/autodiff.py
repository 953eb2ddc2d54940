"""Reverse-mode automatic differentiation over a computation graph (Neubig 2017, section 5.3), on NumPy arrays.

    graph = Graph()
    x, W = graph.input(points, "x"), graph.parameter(weights, "W")
    loss = total(square(tanh(W @ x)))
    graph.forward()
    graph.backward(loss)            # W.gradient is the derivative of loss.value by W

As in DyNet, writing an expression computes nothing: it appends a node to the graph. A node can only be made from
nodes that are there already, so the order of creation is a topological order, and both passes are loops over a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Operation(NamedTuple):
    """One kind of node.

    forward: the values of the arguments -> the node's value.
    backward: the derivative of the loss by the node's value, that value, and the values of the arguments -> the
    derivative by each argument (broadcast over the batch where the forward pass has broadcast).
    """

    name: str
    forward: Callable[..., Any]
    backward: Callable[..., tuple[np.ndarray, ...]]


INPUT = Operation("input", lambda: None, lambda g, out: ())
PARAMETER = Operation("parameter", lambda: None, lambda g, out: ())
ADD = Operation("+", lambda a, b: a + b, lambda g, out, a, b: (g, g))
SUBTRACT = Operation("-", lambda a, b: a - b, lambda g, out, a, b: (g, -g))
MULTIPLY = Operation("*", lambda a, b: a * b, lambda g, out, a, b: (g * b, g * a))
MATMUL = Operation("@", lambda a, b: a @ b, lambda g, out, a, b: (g @ b.T, a.T @ g))
TANH = Operation("tanh", np.tanh, lambda g, out, a: (g * (1 - out**2),))
RELU = Operation("relu", lambda a: np.where(a > 0, a, 0.0), lambda g, out, a: (np.where(a > 0, g, 0.0),))
STEP = Operation("step", lambda a: np.where(a > 0, 1.0, -1.0), lambda g, out, a: (np.zeros_like(g),))
SQUARE = Operation("square", np.square, lambda g, out, a: (2 * g * a,))
TOTAL = Operation("sum", np.sum, lambda g, out, a: (np.broadcast_to(g, a.shape),))


class Node:
    """An input, a parameter, or the result of an operation on other nodes.

    `value` is None until the graph's forward pass, `gradient` until its backward pass.
    """

    def __init__(
        self, graph: Graph, operation: Operation, arguments: tuple[Node, ...] = (), name: str = "", value: Any = None
    ):
        self.graph, self.operation, self.arguments, self.name = graph, operation, arguments, name
        self.value: Any = value
        self.gradient: Any = None
        graph.nodes.append(self)

    def __add__(self, other: Node) -> Node:
        return apply(ADD, self, other)

    def __sub__(self, other: Node) -> Node:
        return apply(SUBTRACT, self, other)

    def __mul__(self, other: Node) -> Node:
        """Element by element; the product of matrices is `@`."""
        return apply(MULTIPLY, self, other)

    def __matmul__(self, other: Node) -> Node:
        return apply(MATMUL, self, other)


class Graph:
    """Nodes in the order in which they were made."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def input(self, value: np.ndarray, name: str) -> Node:
        """Data, such as the points of a batch."""
        return Node(self, INPUT, name=name, value=value)

    def parameter(self, value: np.ndarray, name: str) -> Node:
        """Numbers that training moves."""
        return Node(self, PARAMETER, name=name, value=value)

    def forward(self) -> None:
        """Compute every value, in topological order."""
        for node in self.nodes:
            if node.arguments:
                node.value = node.operation.forward(*(argument.value for argument in node.arguments))

    def backward(self, loss: Node) -> None:
        """Compute the derivative of `loss`, a scalar, by every node, in reverse topological order.

        When a node's turn comes, all nodes that use it have had theirs, so its own derivative is complete: the sum
        of what each of its uses contributes. What the loss does not depend on keeps the derivative 0.
        """
        if np.size(loss.value) != 1:
            raise ValueError(f"only a scalar has a gradient here, not an array of shape {np.shape(loss.value)}")
        for node in self.nodes:
            node.gradient = np.zeros_like(node.value, dtype=np.float64)
        loss.gradient += 1.0
        for node in reversed(self.nodes):
            values = (argument.value for argument in node.arguments)
            for argument, share in zip(
                node.arguments, node.operation.backward(node.gradient, node.value, *values), strict=True
            ):
                argument.gradient += unbroadcast(share, argument.gradient.shape)


def apply(operation: Operation, *arguments: Node) -> Node:
    """A new node in the graph of its arguments."""
    return Node(arguments[0].graph, operation, arguments)


def tanh(node: Node) -> Node:
    return apply(TANH, node)


def relu(node: Node) -> Node:
    return apply(RELU, node)


def step(node: Node) -> Node:
    return apply(STEP, node)


def square(node: Node) -> Node:
    return apply(SQUARE, node)


def total(node: Node) -> Node:
    """The sum of all elements."""
    return apply(TOTAL, node)


def unbroadcast(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum over the axes along which an array of `shape` was repeated: a bias is used once for each example."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis] != 1)
    return gradient.sum(axis=repeated, keepdims=True)
