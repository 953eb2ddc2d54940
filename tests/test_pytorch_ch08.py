"""Chapter 8's lines in PyTorch compute what the course's own functions do."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attention import attention_variants
from chapters.attention.coverage import LinguisticCoverage
from chapters.attention.variants import AttentionalReadout
from common.nn.source_attention import Memory, MLPScore, attention_weights, context
from common.nn.source_scores import DotScore

torch = pytest.importorskip("torch")
from book.pytorch import ch08  # noqa: E402
from tests.torch_twins import batched, linear  # noqa: E402

H, S, B = 4, 5, 3
RNG = np.random.default_rng(8)
ANNOTATIONS = RNG.normal(size=(B, S, H)).astype(np.float32)
QUERIES = RNG.normal(size=(B, H)).astype(np.float32)
LENGTHS = np.array([5, 2, 4])
COLLECTION = dy.ParameterCollection()
"""It lives as long as the parameters in it are used: DyNet frees them with it."""


def numbers(expression: dy.Expression) -> np.ndarray:
    """What `batched` makes an expression of, again: (B, ...)."""
    return np.asarray(expression.npvalue()).T


def test_the_context_by_the_dot_score_is_the_courses() -> None:
    dy.renew_cg()
    memory, query = Memory.of(DotScore(), batched(ANNOTATIONS), LENGTHS), batched(QUERIES)
    expected = numbers(context(memory, attention_weights(DotScore(), memory, query)))
    computed = ch08.attend(*map(torch.tensor, (ANNOTATIONS, QUERIES, LENGTHS)))
    np.testing.assert_allclose(computed, expected, atol=1e-5)


def test_the_mlp_score_is_the_courses() -> None:
    score = MLPScore(COLLECTION, H, H, H, 1.0)
    dy.renew_cg()
    expected = numbers(score.scores(score.keys(batched(ANNOTATIONS)), batched(QUERIES))).reshape(B, S)
    keys = linear(score.W_source)(torch.tensor(ANNOTATIONS))
    computed = ch08.mlp_scores(linear(score.w), linear(score.W_query), keys, torch.tensor(QUERIES))
    np.testing.assert_allclose(computed.detach(), expected, atol=1e-5)


def test_the_attentional_state_is_the_courses() -> None:
    readout, contexts = AttentionalReadout(COLLECTION, H, 1.0), RNG.normal(size=(B, H)).astype(np.float32)
    dy.renew_cg()
    expected = numbers(readout.attentional(batched(QUERIES), batched(contexts)))
    computed = ch08.attentional(linear(readout.W_c), torch.tensor(QUERIES), torch.tensor(contexts))
    np.testing.assert_allclose(computed.detach(), expected, atol=1e-5)


def test_coverage_is_the_courses() -> None:
    coverage, weights = LinguisticCoverage(COLLECTION, H, 1.0), RNG.dirichlet(np.ones(S), size=B).astype(np.float32)
    coverage.U_f.set_value(RNG.normal(size=(1, H)))
    dy.renew_cg()
    memory, query = Memory.of(DotScore(), batched(ANNOTATIONS), np.array([S] * B)), batched(QUERIES)
    memory = memory._replace(keys=memory.annotations)
    before = coverage.begin(memory.annotations)
    after = coverage.add(before, query, batched(weights[:, None]))
    fertility = torch.tensor(numbers(before.prepared).reshape(B, S, 1), dtype=torch.float32)
    amount = ch08.add(torch.zeros(B, S, 1), torch.tensor(weights), fertility)
    np.testing.assert_allclose(amount[..., 0], numbers(after.amount).reshape(B, S), atol=1e-5)
    keys = ch08.covered_keys(torch.tensor(ANNOTATIONS), linear(coverage.V), amount)
    np.testing.assert_allclose(keys.detach(), numbers(coverage.tell(memory, after).keys), atol=1e-5)


def test_hard_attention_and_its_gradient_are_the_courses() -> None:
    scores, worth = RNG.normal(size=S), RNG.normal(size=S)
    added = COLLECTION.add_parameters((S, 1), init=dy.NumpyInitializer(scores[:, None]))
    dy.renew_cg()
    chosen = attention_variants.one_word(dy.softmax(added))
    loss = dy.dot_product(chosen, dy.inputTensor(worth[:, None]))
    loss.scalar_value()
    loss.backward()
    theirs = torch.tensor(scores, requires_grad=True)
    hard = ch08.one_word(theirs.softmax(dim=-1)[None])
    (hard[0] @ torch.tensor(worth)).backward()
    np.testing.assert_allclose(hard[0].detach(), np.ravel(chosen.npvalue()), atol=1e-5)
    np.testing.assert_allclose(theirs.grad, added.grad_as_array().ravel(), atol=1e-5)
