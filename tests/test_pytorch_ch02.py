"""What lesson 2 shows in PyTorch computes what the chapter's own functions do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from book.pytorch import ch02  # noqa: E402
from chapters.loglinear_lm import margin, model  # noqa: E402
from chapters.loglinear_lm.features import Active  # noqa: E402
from chapters.loglinear_lm.optimisers import OPTIMISERS  # noqa: E402

FEATURES, WORDS, PREDICTIONS = 9, 6, 5


@pytest.fixture
def drawn() -> SimpleNamespace:
    """A model and a few predictions at random, for both sides. Each prediction has two or three active features."""
    rng = np.random.default_rng(3)
    ids = np.array([rng.permutation(FEATURES)[:3] for _ in range(PREDICTIONS)])
    values = rng.uniform(0.5, 2.0, ids.shape)
    values[::2, 2] = 0  # padding: not active
    active, real = Active(ids, values), values != 0
    ours = model.LogLinearLM.__new__(model.LogLinearLM)
    ours.W, ours.b = rng.normal(size=(FEATURES, WORDS)), rng.normal(size=WORDS)
    starts = np.append(0, real.sum(axis=1).cumsum())[:-1]
    parameters = [torch.tensor(array, requires_grad=True) for array in (ours.W, ours.b)]
    lists = [torch.tensor(array) for array in (ids[real], values[real], starts)]
    return SimpleNamespace(
        ours=ours, active=active, theirs=[*parameters, *lists], targets=rng.integers(0, WORDS, PREDICTIONS)
    )


def test_losses_and_gradients_are_equal(drawn: SimpleNamespace) -> None:
    expected, gradients = drawn.ours.loss_and_gradients(drawn.active, drawn.targets)
    dense = np.zeros((FEATURES, WORDS))
    dense[gradients.features] = gradients.W
    loss, dl_dW, dl_db = ch02.loss_and_gradients(*drawn.theirs, torch.tensor(drawn.targets))
    assert loss.item() == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(dl_dW, dense, atol=1e-5)
    np.testing.assert_allclose(dl_db, gradients.b, atol=1e-5)


@pytest.mark.parametrize("kind", ["adagrad", "adam"])
def test_steps_of_the_optimisers_are_equal(kind: str) -> None:
    rng = np.random.default_rng(4)
    start, gradients = rng.normal(size=(2, WORDS)), rng.normal(size=(6, 2, WORDS))
    ours = SimpleNamespace(W=start.copy(), b=np.zeros(WORDS))
    own = OPTIMISERS[kind](ours, 0.1)
    parameter = torch.tensor(start, requires_grad=True)
    theirs = getattr(ch02, kind)([parameter], 0.2, 0.1)
    for gradient in gradients:
        own.update(model.Gradients(np.zeros(WORDS), np.arange(2), gradient), 0.2)
        parameter.grad = torch.tensor(gradient)
        theirs.step()
        np.testing.assert_allclose(parameter.detach(), ours.W, atol=1e-5)
    assert np.abs(ours.W - start).max() > 0.1


@pytest.mark.parametrize("lead", [0.0, 1.0])
def test_margin_losses_and_their_gradients_are_equal(lead: float) -> None:
    rng = np.random.default_rng(5)
    scores, targets = rng.normal(size=(30, WORDS)), rng.integers(0, WORDS, 30)
    expected, dl_ds = margin.hinge(scores, targets, lead)
    theirs = torch.tensor(scores, requires_grad=True)
    losses = ch02.hinge(theirs, torch.tensor(targets), lead)
    losses.sum().backward()
    np.testing.assert_allclose(losses.detach(), expected, atol=1e-5)
    np.testing.assert_allclose(theirs.grad, dl_ds, atol=1e-5)
    assert 0 < np.count_nonzero(expected) < 30
