"""Chapter 4 in PyTorch computes what the chapter's own model and losses compute."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.feedforward_lm import negative_sampling
from chapters.feedforward_lm.model import FeedForwardLM
from common.nn.sampled_softmax import NCESoftmax, Proposal, SampledSoftmax
from common.text.histories import histories
from common.text.vocab import Vocabulary

torch = pytest.importorskip("torch")
from book.pytorch import ch04  # noqa: E402

WORDS, SIZE, HIDDEN, PREDICTIONS = 11, 3, 4, 6
PROPOSAL = Proposal(np.log(np.random.default_rng(5).dirichlet(np.ones(WORDS))), 20)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_histories(order: int) -> None:
    inputs = np.random.default_rng(1).integers(1, WORDS, (7, 4))
    actual = ch04.histories(torch.tensor(inputs.T), order).numpy()
    np.testing.assert_array_equal(actual.transpose(2, 1, 0), histories(inputs, order))


def test_the_model_without_dropout() -> None:
    lm = FeedForwardLM(Vocabulary([f"w{number}" for number in range(WORDS)]), embedding_size=SIZE,
                       hidden_size=HIDDEN, order=4, init_scale=0.8)  # fmt: skip
    V = len(lm.vocab)
    words = np.random.default_rng(2).integers(V, size=(3, PREDICTIONS))
    twin = ch04.FeedForwardLM(V, SIZE, HIDDEN, order=4, dropout=0.5).eval()
    ((W, b),) = lm.layers
    arrays = (lm.embedding, W, b, lm.softmax.W, lm.softmax.b)
    with torch.no_grad():
        for parameter, array in zip(twin.parameters(), arrays, strict=True):
            parameter.copy_(torch.tensor(array.as_array()).reshape(parameter.shape))
        actual = torch.log_softmax(twin(torch.tensor(words.T)), dim=1).numpy()
    dy.renew_cg()
    np.testing.assert_allclose(actual.T, lm.softmax.distribution(lm.hidden(words)).npvalue(), atol=1e-5)


@pytest.mark.parametrize(
    ("layer", "twin"), [(SampledSoftmax, "sampled_softmax_loss"), (NCESoftmax, "nce_loss")]
)  # fmt: skip
def test_losses_of_sampled_words_and_their_gradients(layer: type[SampledSoftmax], twin: str) -> None:
    """Targets are among the words drawn, so that the sampled softmax has something to forbid."""
    rng = np.random.default_rng(3)
    h, rows, bias = (rng.normal(size=shape) for shape in ((PREDICTIONS, HIDDEN), (WORDS, HIDDEN), WORDS))
    drawn, counts = PROPOSAL.draw(np.random.default_rng(7))
    targets = np.array([drawn[0], drawn[1], *rng.integers(WORDS, size=PREDICTIONS - 2)])
    collection = dy.ParameterCollection()
    W = collection.add_lookup_parameters((WORDS, HIDDEN))
    W.init_from_array(rows)
    dy.renew_cg()
    ours = layer(collection, W, bias, PROPOSAL)
    loss = ours.loss(dy.inputTensor(h.T, batched=True), targets, np.random.default_rng(7))
    loss.forward()
    loss.backward()
    output = torch.nn.Linear(HIDDEN, WORDS).double()
    with torch.no_grad():
        output.weight.copy_(torch.tensor(rows))
        output.bias.copy_(torch.tensor(bias))
    sampled = (torch.tensor(drawn), torch.tensor(counts, dtype=torch.float64), torch.tensor(PROPOSAL.log_expected))
    theirs = getattr(ch04, twin)(torch.tensor(h), torch.tensor(targets), output, *sampled)
    theirs.backward()
    assert theirs.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    np.testing.assert_allclose(output.bias.grad.numpy(), ours.b.grad_as_array(), atol=1e-5)


def test_negative_sampling() -> None:
    rng = np.random.default_rng(4)
    v, u = rng.normal(size=(5, SIZE)), rng.normal(size=(5, 4, SIZE))
    loss, of_v, of_u = negative_sampling.loss_and_gradients(v, u)
    centre, others = (torch.tensor(array, requires_grad=True) for array in (v, u))
    theirs = ch04.negative_sampling_loss(centre, others)
    theirs.backward()
    assert theirs.item() == pytest.approx(loss)
    np.testing.assert_allclose(centre.grad.numpy(), of_v, atol=1e-5)
    np.testing.assert_allclose(others.grad.numpy(), of_u, atol=1e-5)
