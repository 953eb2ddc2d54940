"""The same network with its gradients from automatic differentiation: forward only is written, backward follows."""

from __future__ import annotations

import numpy as np

from .autodiff import Graph, Node, relu, square, step, tanh, total
from .model import MLP

FUNCTIONS = {"tanh": tanh, "relu": relu, "step": step}


class AutodiffMLP(MLP):
    """`MLP`, but no derivative is written here."""

    def gradients(self, x: np.ndarray, targets: np.ndarray) -> tuple[float, list[np.ndarray]]:
        """The summed squared error, and its derivatives by every parameter: x (I, B), targets (1, B)."""
        graph = Graph()  # a new graph for every batch: a dynamic graph, as in DyNet
        loss = self.loss_node(graph, x, targets)
        graph.forward()
        graph.backward(loss)
        parameters = [node for node in graph.nodes if node.operation.name == "parameter"]
        return float(loss.value), [node.gradient for node in parameters]

    def loss_node(self, graph: Graph, x: np.ndarray, targets: np.ndarray) -> Node:
        """The second graph of Neubig 2017, Figure 10: the function, and the squared error on top of it."""
        y = self.output_node(graph, x)
        return total(square(graph.input(targets, "y*") - y))

    def output_node(self, graph: Graph, x: np.ndarray) -> Node:
        """The first graph of Neubig 2017, Figure 10: the function itself."""
        arrays = self.arrays()
        layers = list(zip(arrays[::2], arrays[1::2], strict=True))
        node = graph.input(x, "x")
        for number, (W, b) in enumerate(layers, start=1):
            node = graph.parameter(W, f"W{number}") @ node + graph.parameter(b, f"b{number}")
            if number < len(layers):
                node = FUNCTIONS[self.activation](node)
        return node
