"""The page after chapter 11: its numbers are computed, and its formulas are those of the course or of a definition."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from book.lessons import ONWARD, read
from book.lessons.cells import digits, pieces, run
from book.lessons.renewing import renew
from chapters.transformer.positions import LONGEST_WAVE, rotate
from chapters.transformer.settings import Settings
from common.nn.arrays import input_batch


@pytest.fixture(scope="module")
def page() -> dict:
    """The names that the cells define."""
    names: dict = {}
    with digits():
        for piece in pieces(read(ONWARD)):
            if piece.kind in ("cell", "hidden"):
                run(piece, ONWARD, names)
    return names


def test_numbers_are_computed() -> None:
    assert renew(ONWARD, read(ONWARD)).differences == []


def test_a_pair_is_rotated_as_by_the_course(page: dict) -> None:
    """The first pair of a head turns by one radian per position, the second of two by 1 / sqrt(10000)."""
    x = np.random.default_rng(1).normal(size=(4, 3))
    dy.renew_cg()
    rotated = rotate(input_batch(x[..., None]), 1, 7).npvalue()
    for position in range(3):
        for pair, angle in enumerate((1, LONGEST_WAVE**-0.5)):
            rows = slice(2 * pair, 2 * pair + 2)
            expected = page["rotated"](x[rows, position], 7 + position, angle)
            np.testing.assert_allclose(rotated[rows, position], expected, atol=1e-5)
    assert page["scores"][0] == pytest.approx(page["scores"][1])


def test_rms_norm_has_a_mean_square_of_one(page: dict) -> None:
    x = np.random.default_rng(2).normal(size=(5, 6))
    normed = page["rms_norm"](x)
    np.testing.assert_allclose((normed**2).mean(axis=1), 1)
    np.testing.assert_allclose(normed * x[:, :1] / normed[:, :1], x)
    np.testing.assert_allclose(page["rms_norm"](3 * x), normed)


def test_the_cache_of_the_default(page: dict) -> None:
    settings = Settings()
    sizes = settings.layers, settings.heads, settings.hidden_size // settings.heads, 15
    assert page["cache_size"](*sizes) == page["ours"][0] == settings.footprint(100).kept * 15


def objective(policy: np.ndarray, start: np.ndarray, reward: np.ndarray, beta: float) -> float:
    return float(policy @ reward - beta * policy @ np.log(policy / start))


def test_the_best_policy_is_best(page: dict) -> None:
    """No other policy has a higher expected reward less beta times the divergence; its value is beta ln Z."""
    rng = np.random.default_rng(3)
    start, reward = page["start"], page["reward"]
    for beta in page["betas"]:
        best = page["best_policy"](start, reward, beta)
        value = objective(best, start, reward, beta)
        assert value == pytest.approx(beta * np.log(start @ np.exp(reward / beta)))
        assert all(objective(other, start, reward, beta) < value for other in rng.dirichlet(np.ones(3), 200))


def test_the_cost_of_a_sample_gives_the_gradient(page: dict) -> None:
    """Cost times d ln P, averaged over P, is the derivative of minus the objective by the scores of a softmax."""
    start, reward, beta = page["start"], page["reward"], 0.3
    scores = np.array([0.2, -0.5, 0.4])

    def softmax(scores: np.ndarray) -> np.ndarray:
        return np.exp(scores) / np.exp(scores).sum()

    P = softmax(scores)
    cost = -reward + beta * np.log(P / start)
    by_samples = sum(P[i] * cost[i] * (np.eye(3)[i] - P) for i in range(3))
    step = 1e-6
    differences = [
        objective(softmax(scores - step * row), start, reward, beta)
        - objective(softmax(scores + step * row), start, reward, beta)
        for row in np.eye(3)
    ]
    np.testing.assert_allclose(by_samples, np.array(differences) / (2 * step), atol=1e-8)
