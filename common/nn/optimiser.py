"""The optimisers of the neural chapters: stochastic gradient descent, and Adam with running means that can be saved.

Both move the parameters of a DyNet collection after each backward pass: set `learning_rate`, then call `update`. Both
are `checkpoint.Parameters`, too: a checkpoint keeps what they remember, so that a resumed run goes on as if nothing had
happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.errors import UserError
from common.nn.parameters import set_arrays

BETA1, BETA2 = 0.9, 0.999
"""How much of its running means Adam keeps at each step (Kingma and Ba 2015)."""
FADING_STEPS, KNOWN_GRADIENT = 40, 1e-5
NEXT_TO_NOTHING = 1e-30
"""Added to numbers so that even 0 has a sign."""
AT_ONCE = 2**15
"""Numbers that are computed with together: so few stay near to the processor."""


def take_step(trainer: dy.Trainer) -> None:
    """One update. Raises `UserError` where the norm of the gradients, which is to be clipped, is not finite."""
    try:
        trainer.update()
    except RuntimeError:
        raise UserError("the norm of the gradients is not finite; lower --learning-rate") from None


class SGD:
    """Stochastic gradient descent (Neubig 2017, Eq. 24), which remembers nothing."""

    def __init__(self, collection: dy.ParameterCollection, clip: float, epsilon: float = 0):
        self.trainer = dy.SimpleSGDTrainer(collection)
        self.trainer.set_clip_threshold(clip)
        self.learning_rate = 0.0

    def update(self) -> None:
        """Move the parameters against their gradients."""
        self.trainer.learning_rate = self.learning_rate
        take_step(self.trainer)

    def names(self) -> list[str]:
        return []

    def arrays(self) -> list[np.ndarray]:
        return []

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None: ...


class Adam:
    """Adam (Kingma and Ba 2015): steps of m / (sqrt(v) + epsilon), with running means of gradients and their squares.

    DyNet's trainer hides m and v: its Python interface can neither show nor set them. But they follow from its
    steps. From parameters that are all 0, a step without a gradient leads to d_0 = -rate * b1 m / (sqrt(b2 v) + e).
    When m has faded, a step with a known gradient g leads to d_1, in which v is the only unknown; and d_0 and v give m.
    The other way round, two steps that do not move, with gradients that are chosen for it, make any m and v.
    """

    def __init__(self, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8):
        """clip: largest norm of all gradients together, 0: no limit. epsilon: gradients much smaller hardly count."""
        self.collection, self.clip, self.epsilon = collection, clip, epsilon
        self.learning_rate, self.steps = 0.0, 0
        self.start_trainer()

    def start_trainer(self) -> None:
        """A trainer whose means are 0."""
        self.trainer, self.trainer_steps = dy.AdamTrainer(self.collection, eps=self.epsilon), 0

    def update(self) -> None:
        """Move the parameters against their gradients."""
        self.steps += 1
        self.trainer.set_clip_threshold(self.clip)
        self.step(self.learning_rate * bias_correction(self.steps))

    def step(self, rate: float) -> None:
        """A step of the trainer, whose own correction for its number of steps is taken out of the rate."""
        self.trainer_steps += 1
        self.trainer.learning_rate = rate / bias_correction(self.trainer_steps)
        take_step(self.trainer)

    def names(self) -> list[str]:
        """Of what `arrays` returns."""
        return ["steps", *(f"{mean}/{parameter.name()}" for parameter in self.parameters() for mean in "mv")]

    def arrays(self) -> list[np.ndarray]:
        """The number of steps (1,), then m and v of each parameter, float32. Measuring changes m and v: they are set
        to what was measured, and so are those of a run that is resumed from these arrays. m / sqrt(v) is exact to
        float32; sqrt(v) is to about 1% where gradients are as large as 1, and the better the smaller they are."""
        if self.steps == 0:
            means = [np.zeros(parameter.shape(), np.float32) for parameter in self.parameters() for _ in "mv"]
        else:
            means = self.keeping_parameters(self.read_means)
        return [np.array([self.steps], np.float32), *means]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Go on from what `arrays` has returned. Raises ValueError, before anything changes, for what it cannot be."""
        steps, means = int(arrays[0][0]), arrays[1:]
        if not 0 <= steps < 2**31 or any((square < 0).any() for square in means[1::2]):
            raise ValueError("no number of steps, or means of squares below 0")
        self.start_trainer()
        self.steps = steps
        if self.steps:
            self.keeping_parameters(lambda: self.make_means(means))

    def read_means(self) -> list[np.ndarray]:
        """m and v of each parameter, float32, which the trainer has again afterwards. The parameters change."""
        means = self.measure()
        self.start_trainer()
        self.make_means(means)
        return means

    def measure(self) -> list[np.ndarray]:
        """m and v of each parameter. Leaves the parameters and the trainer's means at other values."""
        self.trainer.set_sparse_updates(False)  # every row of a lookup table is to move
        self.touch()
        first = self.moves()
        for _ in range(FADING_STEPS):
            self.touch()
            self.trial_step(rate=0.0)
        self.push_further()
        second = self.moves()
        pairs = (in_blocks(measured_means, *moves, self.epsilon) for moves in zip(first, second, strict=True))
        return [mean for pair in pairs for mean in pair]

    def make_means(self, means: Sequence[np.ndarray]) -> None:
        """Let a new trainer's means become these m and v, by two steps with the gradients that lead to them."""
        pairs = zip(means[::2], means[1::2], strict=True)
        for one_each in zip(*(in_blocks(gradients_for, *pair) for pair in pairs), strict=True):
            propagate([weighted_sum(*pair) for pair in zip(self.parameters(), one_each, strict=True)])
            self.trial_step(rate=0.0)
            dy.renew_cg()

    def touch(self) -> None:
        """A gradient of 0 for every parameter, so that the trainer visits it."""
        dy.renew_cg()
        propagate([dy.sum_elems(first_row(parameter)) * 0 for parameter in self.parameters()])

    def push_further(self) -> None:
        """For every number the known gradient that moves it on in the direction in which it has moved from 0."""
        dy.renew_cg()
        parts = map(as_expression, self.parameters())
        propagate([dy.sum_elems(dy.abs(part + NEXT_TO_NOTHING)) * -KNOWN_GRADIENT for part in parts])

    def moves(self) -> list[np.ndarray]:
        """How far a step of rate 1, with the gradients at hand, moves each parameter from 0, against the gradient."""
        for parameter in self.parameters():
            parameter.scale(0)
        self.trial_step(rate=1.0)
        return [(-parameter.as_array()).astype(np.float32) for parameter in self.parameters()]

    def trial_step(self, rate: float) -> None:
        """A step whose gradients are not clipped."""
        self.trainer.set_clip_threshold(0)
        self.step(rate)

    def parameters(self) -> list[dy.Parameters | dy.LookupParameters]:
        return [*self.collection.parameters_list(), *self.collection.lookup_parameters_list()]

    def keeping_parameters(self, action: Callable):
        """What `action` returns; the parameters are afterwards what they were before."""
        kept = [parameter.as_array().astype(np.float32) for parameter in self.parameters()]
        found = action()
        set_arrays(self.parameters(), kept)
        return found


def as_expression(parameter: dy.Parameters | dy.LookupParameters) -> dy.Expression:
    """All of a parameter, with a gradient; of a lookup table, (size, rows), the transpose of its array."""
    return parameter.expr(True) if isinstance(parameter, dy.Parameters) else parameter.expr()


def first_row(parameter: dy.Parameters | dy.LookupParameters) -> dy.Expression:
    """Some of the numbers of a parameter."""
    return dy.pick(parameter, 0) if isinstance(parameter, dy.Parameters) else dy.lookup(parameter, 0)


def propagate(losses: Sequence[dy.Expression]) -> None:
    """Add the gradient of a sum of losses to those of the parameters."""
    total = dy.esum(list(losses))
    total.forward()
    total.backward()


def weighted_sum(parameter: dy.Parameters | dy.LookupParameters, weights: np.ndarray) -> dy.Expression:
    """What has the gradient `weights`, in the shape of the parameter's array, with respect to the parameter."""
    same_order = weights.T if isinstance(parameter, dy.LookupParameters) else weights
    return dy.sum_elems(dy.cmult(as_expression(parameter), dy.inputTensor(same_order)))


def bias_correction(steps: int) -> float:
    """What makes up for means that started at 0, after this many steps."""
    return float(np.sqrt(1 - BETA2**steps) / (1 - BETA1**steps))


def measured_means(first: np.ndarray, second: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """m and v from the two moves that `Adam.measure` makes.

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
    function: Callable[..., tuple[np.ndarray, np.ndarray]], one: np.ndarray, other: np.ndarray, *more: float
) -> tuple[np.ndarray, np.ndarray]:
    """What `function` makes of each pair of numbers, in float64, as two arrays of the same shape, float32."""
    found = np.empty((2, one.size), np.float32)
    for start in range(0, one.size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        found[:, part] = function(*(array.ravel()[part].astype(np.float64) for array in (one, other)), *more)
    return found[0].reshape(one.shape), found[1].reshape(one.shape)


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


OPTIMISERS = {"adam": Adam, "sgd": SGD}


def make_optimiser(
    kind: str, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8, weight_decay: float = 0.0
) -> Any:
    """One of `OPTIMISERS`, which clips the gradient's global norm at `clip` (0: no); with weight_decay, a `Decayed`."""
    optimiser = OPTIMISERS[kind](collection, clip, epsilon)
    if weight_decay:
        from common.nn.weight_decay import Decayed

        return Decayed(optimiser, collection, weight_decay)
    return optimiser
