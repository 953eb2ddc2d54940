"""Automatic differentiation gives the derivatives that finite differences give, whatever the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from chapters.neural_networks import autodiff
from tests.small_models import numeric_gradient

Graph, Node = autodiff.Graph, autodiff.Node
Build = Callable[..., Node]


def value_of(build: Build, arrays: Sequence[np.ndarray]) -> float:
    graph = Graph()
    root = build(*(graph.parameter(array, f"p{number}") for number, array in enumerate(arrays)))
    graph.forward()
    return float(root.value)


def gradients_of(build: Build, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    graph = Graph()
    leaves = [graph.parameter(array, f"p{number}") for number, array in enumerate(arrays)]
    root = build(*leaves)
    graph.forward()
    graph.backward(root)
    return [leaf.gradient for leaf in leaves]


def finite_differences(build: Build, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Central differences, one number at a time."""
    return [numeric_gradient(lambda: value_of(build, arrays), array, 1e-6) for array in arrays]


def agrees(build: Build, *arrays: np.ndarray) -> None:
    pairs = zip(gradients_of(build, arrays), finite_differences(build, arrays), strict=True)
    for result, expected in pairs:
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)


def random(*shape: int, seed: int = 3) -> np.ndarray:
    """Numbers far enough from 0, where relu and step have no derivative."""
    rng = np.random.default_rng([seed, *shape])
    return np.asarray(rng.choice([-1, 1], shape) * rng.uniform(0.1, 1.5, shape))


def weighted(node: Node) -> Node:
    """A sum in which every element counts differently, so that a derivative in the wrong place shows."""
    shape = (3, 4)
    weights = node.graph.input(np.arange(1.0, 13.0).reshape(shape) ** 1.5, "weights")
    return autodiff.total(node * weights)


OPERATIONS = {
    "add": (lambda a, b: weighted(a + b), [(3, 4), (3, 4)]),
    "subtract": (lambda a, b: weighted(a - b), [(3, 4), (3, 4)]),
    "multiply": (lambda a, b: weighted(a * b), [(3, 4), (3, 4)]),
    "matrix product": (lambda a, b: weighted(a @ b), [(3, 5), (5, 4)]),
    "tanh": (lambda a: weighted(autodiff.tanh(a)), [(3, 4)]),
    "relu": (lambda a: weighted(autodiff.relu(a)), [(3, 4)]),
    "step": (lambda a: weighted(autodiff.step(a)), [(3, 4)]),
    "square": (lambda a: weighted(autodiff.square(a)), [(3, 4)]),
    "sum": (lambda a: autodiff.square(autodiff.total(a)), [(3, 4)]),
    "a bias over the batch": (lambda a, b: weighted(a + b), [(3, 4), (3, 1)]),
    "a bias subtracted from": (lambda a, b: weighted(b - a), [(3, 4), (3, 1)]),
    "a row over all rows": (lambda a, b: weighted(a * b), [(3, 4), (1, 4)]),
    "a vector without its axis": (lambda a, b: weighted(a * b), [(3, 4), (4,)]),
    "a scalar over all": (lambda a, b: weighted(a * b), [(3, 4), ()]),
    "outer sum, both repeated": (lambda a, b: weighted(a + b), [(3, 1), (1, 4)]),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str) -> None:
    build, shapes = OPERATIONS[name]
    agrees(build, *(random(*shape, seed=number) for number, shape in enumerate(shapes)))


def test_every_operation_computes_what_its_name_says() -> None:
    a, b = random(3, 4, seed=1), random(3, 4, seed=2)
    graph = Graph()
    x, y = graph.input(a, "x"), graph.input(b, "y")
    built = {
        "+": (x + y, a + b),
        "-": (x - y, a - b),
        "*": (x * y, a * b),
        "@": (x @ graph.input(b.T, "y'"), np.einsum("ik,jk->ij", a, b)),
        "tanh": (autodiff.tanh(x), (np.exp(2 * a) - 1) / (np.exp(2 * a) + 1)),
        "relu": (autodiff.relu(x), np.maximum(a, 0)),
        "step": (autodiff.step(x), np.sign(a)),
        "square": (autodiff.square(x), a**2),
        "sum": (autodiff.total(x), sum(a.ravel())),
    }
    graph.forward()
    for name, (node, expected) in built.items():
        assert node.operation.name == name
        np.testing.assert_allclose(node.value, expected, atol=1e-12)


def test_a_shared_node_is_visited_once() -> None:
    """y = x doubled 60 times over is a graph of 60 additions: without sharing it would be 2^60 paths."""

    def doubled(x: Node) -> Node:
        for _ in range(60):
            x = x + x
        return x

    (gradient,) = gradients_of(doubled, [np.array(1.0)])
    assert gradient == 2.0**60


def test_a_graph_can_be_used_again_with_other_values() -> None:
    """A static graph: built once, then only its inputs change. No gradient is left over from the time before."""
    graph = Graph()
    x, W = graph.input(random(5, 4, seed=1), "x"), graph.parameter(random(3, 5, seed=2), "W")
    loss = weighted(autodiff.tanh(W @ x))
    for seed in (1, 7):
        x.value = random(5, 4, seed=seed)
        graph.forward()
        graph.backward(loss)
        (fresh,) = gradients_of(lambda w, x=x: weighted(autodiff.tanh(w @ w.graph.input(x.value, "x"))), [W.value])
        np.testing.assert_allclose(W.gradient, fresh)


def test_only_a_scalar_has_a_gradient() -> None:
    graph = Graph()
    node = autodiff.tanh(graph.input(random(2, 3), "x"))
    graph.forward()
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        graph.backward(node)
