"""Chapter 10 in PyTorch: its functions compute what the chapter's do, on random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from book.labs.views.ch10 import by_log_probs
from chapters.beyond import mixing, objectives, output_parts, sampling
from common.text.batching import Batch
from common.text.pairs import PairBatch, make_pair_batch

torch = pytest.importorskip("torch")

from book.pytorch import ch10  # noqa: E402
from tests.torch_twins import batched  # noqa: E402

B, N = 3, 5


def test_objectives_and_their_gradients() -> None:
    """Our side pair by pair."""
    rng = np.random.default_rng(1)
    log_probs, costs, counted = rng.normal(-4, 2, (B, N)), rng.random((B, N)), rng.random((B, N)) < 0.7
    assert counted.any(axis=1).all() and not counted.all()
    leaf, all_costs = torch.tensor(log_probs, requires_grad=True), torch.tensor(costs)
    risks = ch10.expected_cost(leaf, all_costs, torch.tensor(counted), 0.5)
    policy_losses = ch10.policy_loss(leaf, all_costs)
    of_risk, of_policy = (torch.autograd.grad(theirs.sum(), leaf)[0] for theirs in (risks, policy_losses))
    for number, (row, cost, mask) in enumerate(zip(log_probs, costs[:, None], counted[:, None], strict=True)):
        risk = by_log_probs(partial(objectives.expected_cost, costs=cost, counted=mask, alpha=0.5), row)
        policy_loss = by_log_probs(partial(objectives.policy_loss, advantages=objectives.against_others(cost)), row)
        for (value, gradient), values, gradients in ((risk, risks, of_risk), (policy_loss, policy_losses, of_policy)):
            assert value == pytest.approx(values[number].item(), abs=1e-5)
            np.testing.assert_allclose(gradient, gradients[number], atol=1e-5)


def test_words_are_drawn_with_their_probability() -> None:
    torch.manual_seed(1)
    probs = np.array([0.5, 0.3, 0.2])
    draws = 20_000
    drawn = ch10.draw_words(torch.tensor(np.log(probs)).expand(draws, 3))
    dy.renew_cg()
    ours = sampling.draw_words(dy.inputTensor(np.tile(np.log(probs)[:, None], draws), batched=True))
    for words in (drawn.numpy(), ours):
        np.testing.assert_allclose(np.bincount(words, minlength=3) / draws, probs, atol=0.02)


NEXT = np.array([2, 3, 4, 0, 1])
"""The word that `Chain` writes after each word, with certainty."""


class Chain:
    """A model whose next word depends on the last one alone."""

    def encode(self, sources: Sequence[Sequence[int]]) -> None:
        return None

    def next_words(self, state: None, words: Sequence[int]) -> tuple[None, dy.Expression]:
        return None, dy.inputTensor(-1000 * (1 - np.eye(5)[NEXT[list(words)]].T), batched=True)


def test_mixed_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, T = np.random.default_rng(1), 6
    inputs = np.vstack([np.zeros((1, B), int), rng.integers(1, 5, (T - 1, B))])
    mask = np.ones((T, B))
    batch: PairBatch = make_pair_batch([[1, 2]] * B, Batch(inputs, inputs, mask, np.arange(B)))
    own_here = rng.random((T, B)) < 0.5
    drawn = SimpleNamespace(random=lambda shape: np.where(own_here, 0.0, 1.0))
    ours = mixing.mixed_inputs(Chain(), batch, 0.5, drawn)

    def next_words(state: None, words):
        return None, torch.tensor(-1000.0 * (1 - np.eye(5)[NEXT[words.numpy()]]))

    theirs = ch10.mixed_inputs(next_words, None, torch.tensor(inputs), torch.tensor(own_here))
    np.testing.assert_array_equal(ours, theirs)
    assert (ours != inputs).any() and (ours == inputs).any()


T, V, S = 2, 6, 4


def test_lexicon_bias() -> None:
    rng = np.random.default_rng(1)
    scores, lexicon = rng.normal(size=(B, T, V)), rng.dirichlet(np.ones(V), size=(B, S))
    weights = rng.dirichlet(np.ones(S), size=(B, T))
    dy.renew_cg()
    table = SimpleNamespace(matrix=lambda source, words: batched(lexicon))
    step = output_parts.Step(None, batched(weights), None)
    ours = output_parts.LexiconBias(table, 0.001).scores(batched(scores), step)
    theirs = ch10.lexicon_bias(
        torch.tensor(scores), torch.tensor(lexicon).transpose(1, 2), torch.tensor(weights), 0.001
    )
    np.testing.assert_allclose(ours.npvalue().transpose(2, 1, 0), theirs, atol=1e-5)


def test_mixture() -> None:
    rng = np.random.default_rng(2)
    log_probs, looked_up = np.log(rng.dirichlet(np.ones(V), size=(B, T))), rng.dirichlet(np.ones(V), size=(B, T))
    a = rng.normal(size=(B, T, 1))
    dy.renew_cg()
    rows = [batched(array.reshape(B * T, -1)) for array in (log_probs, looked_up, a)]
    step = output_parts.Step(batched(a), None, None)
    ours = output_parts.Mixture(None, lambda both: rows[2]).mixed(rows[0], rows[1], step)
    theirs = ch10.mixture(*map(torch.tensor, (log_probs, looked_up, a)))
    np.testing.assert_allclose(ours.npvalue().T, theirs.reshape(B * T, V), atol=1e-5)
