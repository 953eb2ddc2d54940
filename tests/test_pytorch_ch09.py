"""Chapter 9 in PyTorch: its functions compute what the chapter's model does, on random numbers."""

from __future__ import annotations

from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from chapters.word_attention.abs_encoders import AttentionBased
from chapters.word_attention.model import Reading, WordAttentionModel
from chapters.word_attention.ras_model import RASElman
from common.nn.dropout import NO_DROPOUT
from common.nn.encoders import Source
from common.nn.source_attention import Memory, attention_weights, context
from common.text.vocab import Vocabulary

torch = pytest.importorskip("torch")

from book.pytorch import ch09  # noqa: E402
from tests.torch_twins import batched, linear, table, tensor  # noqa: E402

H, S, B = 4, 5, 3


@pytest.fixture
def model() -> WordAttentionModel:
    words = Vocabulary(["mira", "reads"])
    return WordAttentionModel(words, words, hidden_size=H, query="state", dropout=0.0, init_scale=1.0)


def arrays(count: int) -> np.ndarray:
    """Random vectors, (count, B, H)."""
    return np.random.default_rng(1).normal(size=(count, B, H)).astype(np.float32)


def assert_equal(ours: dy.Expression, theirs) -> None:
    """(H,) x B in DyNet, (B, H) in PyTorch."""
    np.testing.assert_allclose(ours.npvalue().reshape(-1, B).T, theirs.detach().numpy(), atol=1e-5)


def test_attention(model: WordAttentionModel) -> None:
    score, memory = model.scores[1], np.random.default_rng(2).normal(size=(B, S, H)).astype(np.float32)
    (query,) = arrays(1)
    dy.renew_cg()
    ours = Memory.of(score, batched(memory), np.full(B, S))
    weights = attention_weights(score, ours, batched(query))
    layers = [linear(matrix) for matrix in (score.W_query, score.W_source, score.w)]
    actual_weights, actual = ch09.attend(*layers, torch.tensor(query), torch.tensor(memory))
    assert_equal(weights, actual_weights)
    assert_equal(context(ours, weights), actual)
    assert not np.allclose(actual_weights.detach(), 1 / S, atol=0.01)


def test_gate_and_gated_contexts(model: WordAttentionModel) -> None:
    word, before, *contexts = arrays(4)
    dy.renew_cg()
    both = [batched(one) for one in contexts]
    gate = model.gate(Reading(batched(word), batched(word), model.W_o * batched(word)), batched(before), both)
    layer = linear(model.W_o, model.U_o, *model.C_o)
    actual = ch09.gate(layer, *(torch.tensor(part) for part in (word, before, *contexts)))
    assert_equal(gate, actual)
    for ours, theirs in zip(
        model.gated_contexts(gate, both), ch09.gated_contexts(actual, *map(torch.tensor, contexts)), strict=True
    ):
        assert_equal(ours, theirs)


def test_scores_of_abs() -> None:
    rng, C, T = np.random.default_rng(3), 2, 3
    settings = SimpleNamespace(hidden_size=H, init_scale=1.0, smooth=1, context=C)
    collection = dy.ParameterCollection()
    encoder = AttentionBased(collection, 6, settings)
    histories, words = rng.integers(6, size=(B, T, C)), rng.normal(size=(B, S, H)).astype(np.float32)
    dy.renew_cg()
    keys = dy.inputTensor(words.transpose(1, 2, 0), batched=True)
    ours = encoder.scores(keys, histories.transpose(2, 1, 0))
    G = table(encoder.G)
    theirs = ch09.abs_scores(G, linear(encoder.P), torch.tensor(histories), torch.tensor(words))
    np.testing.assert_allclose(ours.npvalue().transpose(2, 1, 0), theirs.detach(), atol=1e-5)


def test_reading_of_ras() -> None:
    words = Vocabulary(["mira", "reads", "a", "letter"])
    model = RASElman(words, words, hidden_size=H, dropout=0.0, width=3, positions=S, init_scale=1.0)
    sources = np.random.default_rng(4).integers(len(words), size=(B, S)).tolist()
    dy.renew_cg()
    memory = model.read(Source.of(model.source_embedding, sources), NO_DROPOUT)
    convolution = torch.nn.Conv1d(H, H, 3, padding=1, bias=False)
    with torch.no_grad():
        convolution.weight.copy_(torch.tensor(model.W_z.as_array()).reshape(H, 3, H).transpose(1, 2))
    places = table(model.place_embedding)
    embedded = tensor(model.source_embedding)[torch.tensor(sources)]
    placed, z = ch09.ras_keys(places, convolution, embedded)
    np.testing.assert_allclose(memory.annotations.npvalue().transpose(2, 1, 0), placed.detach(), atol=1e-5)
    np.testing.assert_allclose(memory.keys.npvalue().transpose(2, 0, 1), z.detach(), atol=1e-5)
