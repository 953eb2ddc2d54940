"""Chapter 6 in PyTorch computes what the course's functions do."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attentive_lm.model import AttentiveLM
from common.nn.attention import causal_weights
from common.text.vocab import Vocabulary

torch = pytest.importorskip("torch")
from book.pytorch import ch06  # noqa: E402
from tests.torch_twins import linear, lstm, table, tensor  # noqa: E402

B, T, H = 2, 5, 4


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(6)


def as_batch(array: np.ndarray) -> dy.Expression:
    """(B, rows, columns) as DyNet's (rows, columns) x B."""
    return dy.inputTensor(array.transpose(1, 2, 0), batched=True)


def as_array(expression: dy.Expression) -> np.ndarray:
    """(rows, columns) x B as (B, rows, columns)."""
    return expression.npvalue().transpose(2, 0, 1)


def test_the_causal_weights_and_their_gradient_are_the_course_s(rng: np.random.Generator) -> None:
    scores, factors = rng.normal(size=(B, T, T)), rng.normal(size=(B, T, T))
    ours = as_batch(scores)
    weights = causal_weights(ours, T)
    loss = dy.sum_batches(dy.sum_elems(dy.cmult(weights, as_batch(factors))))
    loss.forward()
    loss.backward(full=True)
    column_wise = torch.tensor(scores.transpose(0, 2, 1), requires_grad=True)
    theirs = ch06.causal_weights(column_wise)
    (theirs * torch.tensor(factors.transpose(0, 2, 1))).sum().backward()
    np.testing.assert_allclose(theirs.detach().numpy().transpose(0, 2, 1), as_array(weights), atol=1e-5)
    gradient = ours.gradient().transpose(2, 0, 1)
    np.testing.assert_allclose(column_wise.grad.numpy().transpose(0, 2, 1), gradient, atol=1e-5)


def test_the_logits_are_the_model_s(rng: np.random.Generator) -> None:
    model = AttentiveLM(
        Vocabulary(["mira", "reads", "the", "letter"]), hidden_size=H, init_scale=0.7, merge_init="uniform"
    )
    words = rng.integers(len(model.vocab), size=(B, T))
    dy.renew_cg()
    ours = model.logits(words.T).npvalue().T.reshape(B, T, -1)

    merge, score = linear(model.W_c), model.score
    merge.bias = torch.nn.Parameter(tensor(model.b_c))
    parts = [tensor(score.v_s).ravel(), tensor(score.W_s), tensor(score.W_q)]
    layers = table(model.embedding), lstm(model.layers[0], batch_first=True)
    with torch.no_grad():
        theirs = ch06.logits(torch.tensor(words), *layers, parts, merge, tensor(model.b))
    np.testing.assert_allclose(theirs.numpy(), ours, atol=1e-5)
