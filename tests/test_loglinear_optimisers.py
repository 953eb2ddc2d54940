"""Every optimiser makes the steps of its formula, row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest

from common.chapters import chapter_module
from tests.loglinear_reference import CHAPTER, V, feature_set, model_module

optimisers = chapter_module(CHAPTER, "optimisers")
Gradients = model_module.Gradients
RATE = 0.25
STEPS = [([1, 4], 1), ([4], 2), ([0, 4], 3), ([1], 4)]
"""Rows of W that have a gradient, and the seed of it."""


def gradient(rows: list[int], seed: int):
    rng = np.random.default_rng(seed)
    return Gradients(
        rng.normal(size=V).astype(np.float32), np.array(rows), rng.normal(size=(len(rows), V)).astype(np.float32)
    )


def by_formula(kind: str, gradients: list[float], epsilon: float) -> float:
    """Where one parameter that began at 0 is after these gradients: the textbook formulas, number by number."""
    theta = velocity = squares = mean = square = 0.0
    for t, g in enumerate(gradients, start=1):
        if kind == "sgd":
            theta -= RATE * g
        elif kind == "momentum":
            velocity = 0.9 * velocity + g
            theta -= RATE * velocity
        elif kind == "adagrad":
            squares += g * g
            theta -= RATE * g / math.sqrt(epsilon**2 + squares)
        else:
            mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
            theta -= RATE * (mean / (1 - 0.9**t)) / (math.sqrt(square / (1 - 0.999**t)) + epsilon)
    return theta


@pytest.mark.equation("neubig2017", 24)
@pytest.mark.parametrize("epsilon", [0.01, 0.5])
@pytest.mark.parametrize("kind", ["sgd", "momentum", "adagrad", "adam"])
def test_steps_are_those_of_the_formula(kind: str, epsilon: float) -> None:
    """Each row has a clock of its own: it moves as if the steps without it had never been."""
    model = model_module.LogLinearLM(feature_set("word1"))
    optimiser = optimisers.OPTIMISERS[kind](model, epsilon)
    seen: dict[object, list[np.ndarray]] = {row: [] for row in range(V)} | {"b": []}
    for rows, seed in STEPS:
        step = gradient(rows, seed)
        optimiser.update(step, RATE)
        seen["b"].append(step.b)
        for place, row in enumerate(rows):
            seen[row].append(step.W[place])
    for row, own in seen.items():
        actual = model.b if row == "b" else model.W[row]
        expected = [by_formula(kind, [float(g[k]) for g in own], epsilon) for k in range(V)]
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6, err_msg=str(row))
        assert bool(np.abs(actual).max()) == bool(own), "rows without a gradient stay"


@pytest.mark.parametrize("kind", ["sgd", "momentum", "adagrad", "adam"])
def test_what_an_optimiser_remembers_is_all_it_needs(kind: str) -> None:
    """Half the steps, everything put into a new one, the other half: the same as all steps in one."""

    def make():
        model = model_module.LogLinearLM(feature_set("word1"))
        return model, optimisers.OPTIMISERS[kind](model, 0.1)

    (whole, this), (first, two), (second, three) = make(), make(), make()
    for rows, seed in STEPS:
        this.update(gradient(rows, seed), RATE)
    for rows, seed in STEPS[:2]:
        two.update(gradient(rows, seed), RATE)
    for old, new in zip([*first.arrays(), *two.arrays()], [*second.arrays(), *three.arrays()], strict=True):
        new[...] = old
    for rows, seed in STEPS[2:]:
        three.update(gradient(rows, seed), RATE)
    for expected, actual in zip(whole.arrays(), second.arrays(), strict=True):
        assert np.array_equal(actual, expected)
