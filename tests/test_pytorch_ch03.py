"""Chapter 3 in PyTorch computes what the chapter's own network computes."""

from __future__ import annotations

import numpy as np
import pytest

from chapters.neural_networks.model import MLP, initial_arrays

torch = pytest.importorskip("torch")
from book.pytorch import ch03  # noqa: E402

INPUTS, HIDDEN, BATCH = 3, 5, 7
RNG = np.random.default_rng(3)
X, TARGETS = RNG.normal(size=(INPUTS, BATCH)), RNG.normal(size=(1, BATCH))


def both() -> tuple[MLP, torch.nn.Sequential]:
    """The same parameters in our network and in PyTorch's, in double precision."""
    arrays = initial_arrays(INPUTS, HIDDEN, 1, np.random.default_rng(4))
    twin = ch03.network(INPUTS, HIDDEN).double()
    with torch.no_grad():
        for parameter, array in zip(twin.parameters(), arrays, strict=True):
            parameter.copy_(torch.tensor(array).reshape(parameter.shape))
    return MLP(arrays, "tanh"), twin


def rows(columns: np.ndarray) -> torch.Tensor:
    return torch.tensor(columns.T)


def test_gradients_even_when_taken_twice() -> None:
    ours, twin = both()
    for _ in range(2):
        actual = ch03.gradients(twin, rows(X), rows(TARGETS))
    for gradient, expected in zip(actual, ours.gradients(X, TARGETS)[1], strict=True):
        np.testing.assert_allclose(gradient.numpy().ravel(), expected.ravel(), atol=1e-5)


def test_three_steps() -> None:
    ours, twin = both()
    optimiser = torch.optim.SGD(twin.parameters(), lr=0.05)
    for _ in range(3):
        loss = ch03.update(twin, optimiser, rows(X), rows(TARGETS)).item()
        assert loss == pytest.approx(ours.update(X, TARGETS, 0.05) / BATCH, abs=1e-5)
    for parameter, array in zip(twin.parameters(), ours.arrays(), strict=True):
        np.testing.assert_allclose(parameter.detach().numpy().ravel(), array.ravel(), atol=1e-5)


def test_first_weights_fill_the_same_range() -> None:
    layer = torch.nn.Linear(300, 100)
    torch.manual_seed(1)
    ch03.initialise(layer)
    W, b = initial_arrays(300, 100, 1, np.random.default_rng(1))[:2]
    assert layer.weight.shape == W.shape
    for ours, theirs in ((W, layer.weight), (b, layer.bias)):
        limit = np.sqrt(6 / 400)
        assert 0.95 * limit < theirs.abs().max().item() <= limit and 0.95 * limit < np.abs(ours).max() <= limit
        assert theirs.std().item() == pytest.approx(ours.std(), rel=0.15)
