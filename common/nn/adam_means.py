"""The running means of Adam, which DyNet's trainer hides: found out for a checkpoint, and set for a resumed run.

DyNet's Python interface can neither show nor set m and v. But they follow from the trainer's steps. From parameters
that are all 0, a step without a gradient leads to d_0 = -rate * b1 m / (sqrt(b2 v) + e). When m has faded, a step with
a known gradient g leads to d_1, in which v is the only unknown; and d_0 and v give m. The other way round, two steps
that do not move, with gradients that are chosen for it, make any m and v. `adam` is an `optimiser.Adam` throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.parameters import Parameter, arrays_of, set_arrays

BETA1, BETA2 = 0.9, 0.999
"""How much of its running means Adam keeps at each step (Kingma and Ba 2015)."""
FADING_STEPS, KNOWN_GRADIENT = 40, 1e-5
TINY = 1e-30
"""Added to numbers so that even 0 has a sign."""
AT_ONCE = 2**15
"""Numbers that are computed with together: so few stay near to the processor."""


def read_means(adam: Any) -> list[np.ndarray]:
    """m and v of each parameter, float32.

    Measuring changes m and v: they are set to what was measured, and so are those of a run that is resumed from these
    arrays. m / sqrt(v) is exact to float32; sqrt(v) is to about 1% where gradients are as large as 1, and the better
    the smaller they are.
    """
    if not adam.steps:
        return [np.zeros(parameter.shape(), np.float32) for parameter in adam.parameters() for _ in "mv"]
    weights = arrays_of(adam.parameters())
    means = measure(adam)
    set_arrays(adam.parameters(), weights)
    adam.start_trainer()
    write_means(adam, means)
    return means


def write_means(adam: Any, means: Sequence[np.ndarray]) -> None:
    """Let the means of a trainer that has made no step be these m and v, by two steps of rate 0 with the gradients that
    lead to them."""
    adam.trainer.set_clip_threshold(0)
    pairs = zip(means[::2], means[1::2], strict=True)
    for gradients in zip(*(in_blocks(gradients_for, *pair) for pair in pairs), strict=True):
        propagate([weighted_sum(*pair) for pair in zip(adam.parameters(), gradients, strict=True)])
        adam.step(0.0)
        dy.renew_cg()


def measure(adam: Any) -> list[np.ndarray]:
    """m and v of each parameter. Leaves the parameters and the trainer's means at other values."""
    adam.trainer.set_sparse_updates(False)  # every row of a lookup table is to move
    adam.trainer.set_clip_threshold(0)
    touch(adam)
    first = moves(adam)
    for _ in range(FADING_STEPS):
        touch(adam)
        adam.step(0.0)
    dy.renew_cg()  # and for every number the known gradient that moves it on in the direction in which it has moved
    parts = map(as_expression, adam.parameters())
    propagate([dy.sum_elems(dy.abs(part + TINY)) * -KNOWN_GRADIENT for part in parts])
    second = moves(adam)
    pairs = (in_blocks(measured_means, *both, adam.epsilon) for both in zip(first, second, strict=True))
    return [mean for pair in pairs for mean in pair]


def touch(adam: Any) -> None:
    """A gradient of 0 for every parameter, so that the trainer visits it."""
    dy.renew_cg()
    pick = {dy.Parameters: dy.pick, dy.LookupParameters: dy.lookup}
    propagate([dy.sum_elems(pick[type(parameter)](parameter, 0)) * 0 for parameter in adam.parameters()])


def moves(adam: Any) -> list[np.ndarray]:
    """How far a step of rate 1, with the gradients at hand, moves each parameter from 0, against the gradient."""
    for parameter in adam.parameters():
        parameter.scale(0)
    adam.step(1.0)
    return [-moved for moved in arrays_of(adam.parameters())]


def as_expression(parameter: Parameter) -> dy.Expression:
    """All of a parameter, with a gradient; of a lookup table, (size, rows), the transpose of its array."""
    return parameter.expr(True) if isinstance(parameter, dy.Parameters) else parameter.expr()


def propagate(losses: Sequence[dy.Expression]) -> None:
    """Add the gradient of a sum of losses to those of the parameters."""
    total = dy.esum(list(losses))
    total.forward()
    total.backward()


def weighted_sum(parameter: Parameter, weights: np.ndarray) -> dy.Expression:
    """What has the gradient `weights`, in the shape of the parameter's array, with respect to the parameter."""
    same_order = weights.T if isinstance(parameter, dy.LookupParameters) else weights
    return dy.sum_elems(dy.cmult(as_expression(parameter), dy.inputTensor(same_order)))


def measured_means(first: np.ndarray, second: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """m and v from the two moves that `measure` makes.

    first = b1 m / (sqrt(b2 v) + e) and, n steps after m and v,
    second = (b1^n m + (1 - b1) g) / (sqrt(b2^n v + (1 - b2) g^2) + e), where g has the sign of m.
    Put m from the first into the second and square: a quadratic equation for sqrt(v) with one positive root.
    """
    sign, first, second = np.copysign(1, first), np.abs(first), np.abs(second)
    n, g = FADING_STEPS + 2, KNOWN_GRADIENT
    slope = BETA1 ** (n - 1) * np.sqrt(BETA2) * first
    rest = (1 - BETA1) * g + (BETA1 ** (n - 1) * first - second) * epsilon
    a = second**2 * BETA2**n - slope**2
    c = second**2 * (1 - BETA2) * g**2 - rest**2
    root = np.sqrt(np.maximum((slope * rest) ** 2 - a * c, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        sqrt_v = np.where(a > 0, np.maximum((slope * rest + root) / a, 0), 0)
    return sign * first * (np.sqrt(BETA2) * sqrt_v + epsilon) / BETA1, sqrt_v**2


def in_blocks(
    function: Callable[..., tuple[np.ndarray, np.ndarray]], first: np.ndarray, second: np.ndarray, *more: float
) -> tuple[np.ndarray, np.ndarray]:
    """What `function` makes of each pair of numbers, in float64, as two arrays of the same shape, float32."""
    results = np.empty((2, first.size), np.float32)
    for start in range(0, first.size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        results[:, part] = function(*(array.ravel()[part].astype(np.float64) for array in (first, second)), *more)
    return results[0].reshape(first.shape), results[1].reshape(first.shape)


def gradients_for(m: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two gradients after which means that were 0 are m and v.

    m = (1 - b1) (b1 g_1 + g_2) and v = (1 - b2) (b2 g_1^2 + g_2^2). An m too large for two steps (more than four times
    sqrt(v)) is made as large as they can.
    """
    mean, square, weight = m / (1 - BETA1), v / (1 - BETA2), BETA2 + BETA1**2
    limit = np.sqrt(square * weight / BETA2)
    mean = np.clip(mean, -limit, limit)
    root = np.sqrt(np.maximum(weight * square - BETA2 * mean**2, 0))
    first = (BETA1 * mean - root) / weight
    return first, mean - BETA1 * first
