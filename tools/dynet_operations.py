"""Every operation of DyNet that the course computes with, compared with the same in NumPy.

An `Operation` has a function of DyNet expressions and one of float64 arrays whose last axis is the batch. Arguments are
given by their shapes; those in `shared` are not batched, as a parameter is not, and belong to all of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import dynet as dy
import numpy as np

Array = np.ndarray
NONE, FIRST, SECOND, LAST = frozenset(), frozenset({0}), frozenset({1}), frozenset({2})


@dataclass(frozen=True)
class Operation:
    """One operation on arguments of these shapes.

    positive: the arguments are drawn above zero. constant: arguments that must get no gradient. slope: the function
    whose gradient is the right one, where that is not `reference`.
    """

    name: str
    shapes: Sequence[tuple[int, ...]]
    compute: Callable[..., dy.Expression]
    reference: Callable[..., Array]
    shared: frozenset[int] = NONE
    positive: bool = False
    constant: frozenset[int] = NONE
    slope: Callable[..., Array] | None = None


def same_batch(*arrays: Array) -> list[Array]:
    """The arrays with what is not batched repeated for every element of the batch."""
    batch = max(array.shape[-1] for array in arrays)
    return [np.broadcast_to(array, (*array.shape[:-1], batch)) for array in arrays]


def times(a: Array, b: Array) -> Array:
    """Matrix times matrix, or vector, for every element of the batch."""
    a, b = same_batch(a, b)
    return np.einsum("ikz,kjz->ijz", a, b) if b.ndim == 3 else np.einsum("ikz,kz->iz", a, b)


def affine(b: Array, *pairs: Array) -> Array:
    for W, x in zip(pairs[::2], pairs[1::2], strict=True):
        b = b + times(W, x)
    return b


def turn(a: Array) -> Array:
    return a.transpose(1, 0, 2)


def log_softmax(x: Array) -> Array:
    return x - x.max(axis=0) - np.log(np.exp(x - x.max(axis=0)).sum(axis=0))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def operations(batch: int) -> list[Operation]:
    """All operations, for arguments of this many (at most 3) elements in the batch."""
    return [*products(), *elementwise(), *distributions(batch), *parts(batch), *sums()]


V, M = (4,), (3, 4)


def listed(function: Callable[[list], dy.Expression]) -> Callable[..., dy.Expression]:
    """A function of a list of expressions as one of its elements."""
    return lambda *arguments: function(list(arguments))


def products() -> list[Operation]:
    """Matrix products. A parameter is on the left, the side on which it is right on every device."""
    transform, turned_product = listed(dy.affine_transform), lambda A, x: dy.transpose(A) * x
    return [
        Operation("parameter * vector", [M, V], lambda W, x: W * x, times, FIRST),
        Operation("parameter * matrix", [M, (4, 5)], lambda W, X: W * X, times, FIRST),
        Operation("matrix * vector", [M, V], lambda A, x: A * x, times),
        Operation("matrix * matrix", [M, (4, 2)], lambda A, B: A * B, times),
        Operation("matrix * column", [M, (4, 1)], lambda A, x: A * x, times),
        Operation("transposed * column", [M, (3, 1)], turned_product, lambda A, x: times(turn(A), x)),
        Operation("transposed parameter * matrix", [M, (3, 2)], turned_product, lambda W, X: times(turn(W), X), FIRST),
        Operation("affine_transform", [(3,), M, V], transform, affine, frozenset({0, 1})),
        Operation("affine_transform, batched bias", [(3,), M, V], transform, affine, SECOND),
        Operation("affine_transform of two", [(3,), M, V, (3, 2), (2,)], transform, affine, frozenset({0, 1, 3})),
        Operation("dot_product", [V, V], dy.dot_product, lambda x, y: (x * y).sum(axis=0)[None]),
    ]


def elementwise() -> list[Operation]:
    """Sums and products element by element, and functions of one number."""
    return [
        Operation("x + y", [M, M], lambda x, y: x + y, lambda x, y: x + y),
        Operation("x - y", [M, M], lambda x, y: x - y, lambda x, y: x - y),
        Operation("x + a column", [M, (3, 1)], lambda x, y: x + y, lambda x, y: x + y),
        Operation("x + a parameter's column", [M, (3, 1)], lambda x, y: x + y, lambda x, y: x + y, SECOND),
        Operation("every pair of columns", [(3, 4, 1), (3, 1, 2)], lambda x, y: x + y, lambda x, y: x + y),
        Operation("colwise_add", [M, (3,)], dy.colwise_add, lambda x, b: x + b[:, None], SECOND),
        Operation("x * number + number", [V], lambda x: x * 2.5 + 1.0, lambda x: 2.5 * x + 1),
        Operation("-x", [V], lambda x: -x, lambda x: -x),
        Operation("cmult", [M, M], dy.cmult, lambda x, y: x * y),
        Operation("cmult with a parameter", [V, V], dy.cmult, lambda x, y: x * y, FIRST),
        Operation("tanh", [M], dy.tanh, np.tanh),
        Operation("logistic", [M], dy.logistic, sigmoid),
        Operation("log_sigmoid", [V], dy.log_sigmoid, lambda x: np.log(sigmoid(x))),
        Operation("exp", [V], dy.exp, np.exp),
        Operation("log", [V], dy.log, np.log, positive=True),
        Operation("abs", [V], dy.abs, np.abs),
        Operation("rectify", [V], dy.rectify, lambda x: np.maximum(x, 0)),
        Operation("cdiv", [M, M], dy.cdiv, lambda x, y: x / y, positive=True),
        Operation("square", [V], dy.square, np.square),
        Operation("pow", [V], lambda x: dy.pow(x, dy.scalarInput(-0.5)), lambda x: x**-0.5, positive=True),
        Operation(
            "floor of nobackprop",
            [V, V],
            lambda x, y: dy.cmult(dy.floor(dy.nobackprop(x), "zero_gradient"), y),
            lambda x, y: np.floor(x) * y,
            constant=FIRST,
        ),
        Operation("nobackprop", [V, V], lambda x, y: dy.cmult(dy.nobackprop(x), y), lambda x, y: x * y, constant=FIRST),
    ]


def distributions(batch: int) -> list[Operation]:
    """Softmax and its relatives."""
    rows = [2, 0, 1][:batch]
    return [
        Operation("softmax", [V], dy.softmax, lambda x: np.exp(log_softmax(x))),
        Operation("softmax of columns", [M], dy.softmax, lambda x: np.exp(log_softmax(x))),
        Operation("log_softmax", [V], dy.log_softmax, log_softmax),
        Operation("logsumexp_dim", [M], lambda x: dy.logsumexp_dim(x, 0), lambda x: np.log(np.exp(x).sum(axis=0))),
        Operation(
            "pickneglogsoftmax_batch",
            [V],
            lambda x: dy.pickneglogsoftmax_batch(x, rows),
            lambda x: -log_softmax(x)[rows, np.arange(batch)][None],
        ),
        Operation(
            "argmax, straight through",
            [V],
            lambda x: dy.argmax(x, gradient_mode="straight_through_gradient"),
            lambda x: (x == x.max(axis=0)).astype(float),
            slope=lambda x: x,
        ),
    ]


def parts(batch: int) -> list[Operation]:
    """Taking apart and putting together."""
    rows, back = [2, 0, 1][:batch], list(reversed(range(batch)))
    row_each, column_each = (partial(dy.pick_batch, indices=rows, dim=dim) for dim in (0, 1))
    long_batch = partial(dy.reshape, d=(3,), batch_size=4 * batch)
    return [
        Operation("concatenate", [V, (2,)], listed(dy.concatenate), lambda *a: np.concatenate(same_batch(*a))),
        Operation("concatenate, matrices", [M, (2, 4)], listed(dy.concatenate), lambda *a: np.concatenate(a)),
        Operation("concatenate_cols", [V, V], listed(dy.concatenate_cols), lambda *a: np.stack(a, axis=1)),
        Operation("concatenate_to_batch", [V, V], listed(dy.concatenate_to_batch), lambda *a: np.concatenate(a, -1)),
        Operation("pick, a column", [M], lambda x: dy.pick(x, 2, dim=1), lambda x: x[:, 2]),
        Operation("pick_range", [V], lambda x: dy.pick_range(x, 1, 3), lambda x: x[1:3]),
        Operation("pick_batch, a row each", [M], row_each, lambda E: E[rows, :, 0].T, FIRST),
        Operation("pick_batch, a column each", [M], column_each, lambda x: x[:, rows, range(batch)]),
        Operation("pick_batch_elems", [M], lambda x: dy.pick_batch_elems(x, back), lambda x: x[..., back]),
        Operation("reshape, time into the batch", [M], long_batch, lambda x: x.reshape(3, -1, order="F")),
        Operation("transpose", [M], dy.transpose, turn),
    ]


def sums() -> list[Operation]:
    """Sums and maxima."""
    return [
        Operation("sum_dim", [M], lambda x: dy.sum_dim(x, [0]), lambda x: x.sum(axis=0)),
        Operation("sum_elems", [M], dy.sum_elems, lambda x: x.sum(axis=(0, 1))[None]),
        Operation("sum_batches", [V], dy.sum_batches, lambda x: x.sum(axis=-1, keepdims=True)),
        Operation("esum", [V, V, V], lambda *a: dy.esum(list(a)), lambda *a: sum(a)),
        Operation("average", [V, V, V], lambda *a: dy.average(list(a)), lambda *a: sum(a) / len(a)),
        Operation("max_dim", [M], lambda x: dy.max_dim(x, 1), lambda x: x.max(axis=1)),
        Operation("squared_distance", [V, V], dy.squared_distance, lambda x, y: ((x - y) ** 2).sum(axis=0)[None]),
    ]
