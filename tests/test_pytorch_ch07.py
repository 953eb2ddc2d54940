"""Chapter 7's lines in PyTorch compute what the course's own functions do."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.encoder_decoder.model import EncoderDecoder
from common.nn.dropout import NO_DROPOUT
from common.search import beams, ensemble
from common.search.beams import Partial
from common.text.pairs import make_pair_batches
from common.text.vocab import Vocabulary

torch = pytest.importorskip("torch")
from book.pytorch import ch07  # noqa: E402
from tests.torch_twins import lstm, table, tensor  # noqa: E402


def test_the_losses_are_the_models() -> None:
    source_vocab, vocab = Vocabulary(["a", "b", "c"]), Vocabulary(["x", "y"])
    model = EncoderDecoder(source_vocab, vocab, hidden_size=5, dropout=0.0, init_scale=1.0)
    model.b_s.set_value(np.linspace(-1, 1, len(vocab)))
    (batch,) = make_pair_batches([[1, 2, 3], [3]], [[1, 2], [2]], 2)
    dy.renew_cg()
    expected = model.losses(batch, NO_DROPOUT).npvalue().reshape(batch.target.targets.shape, order="F")
    twin = torch.nn.Module()
    twin.source_embedding, twin.embedding = table(model.source_embedding), table(model.embedding)
    twin.encoder, twin.decoder = lstm(model.encoder.stack.layers[0]), lstm(model.decoder.layers[0])
    twin.bias = tensor(model.b_s)
    lengths = torch.tensor(batch.source_mask.sum(axis=0).astype(int))
    ids = [torch.tensor(part).long() for part in (batch.source, batch.target.inputs, batch.target.targets)]
    computed = ch07.losses(twin, ids[0], lengths, *ids[1:])
    real = batch.target.mask > 0
    np.testing.assert_allclose(computed.detach().numpy()[real], expected[real], atol=1e-5)


def test_the_best_continuations_are_the_courses() -> None:
    rng = np.random.default_rng(2)
    log_probs, so_far = np.log(rng.dirichlet(np.ones(7), size=3)), [-1.0, -1.5, -3.0]
    hypotheses = [Partial(log_prob=log_prob) for log_prob in so_far]
    expected = beams.best_continuations(hypotheses, np.tile(np.arange(7), (3, 1)), log_probs, 5)
    parents, words, totals = ch07.best_continuations(torch.tensor(so_far), torch.tensor(log_probs), 5)
    assert [(parent, word) for parent, word, _ in expected] == list(zip(parents.tolist(), words.tolist(), strict=True))
    sums = [so_far[parent] + log_prob for parent, _, log_prob in expected]
    np.testing.assert_allclose(totals, sums, atol=1e-5)


def test_the_mean_of_an_ensemble_is_the_courses() -> None:
    log_probs = np.log(np.random.default_rng(3).dirichlet(np.ones(6), size=(3, 4)))
    np.testing.assert_allclose(ch07.log_mean(torch.tensor(log_probs)), ensemble.log_mean(log_probs), atol=1e-5)
