"""The lesson's PyTorch is the chapter's model: attention of several heads, and a block on copied weights."""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np
import pytest

from chapters.transformer import settings as chapter
from chapters.transformer.block import Attention, Block, causal_mask
from chapters.transformer.positions import sinusoids
from chapters.transformer.settings_pairs import Settings as PairSettings
from chapters.transformer.translator import DecoderBlock, TransformerTranslator
from common.nn.softmax import fold_time
from common.text.batching import make_batch
from common.text.pairs import make_pair_batch
from common.text.vocab import Vocabulary
from tests.small_models import gradients

torch = pytest.importorskip("torch")
from book.pytorch import ch11  # noqa: E402

SIZE, HEADS, TIME, BATCH = 12, 3, 6, 4
FLAGS = chapter.Settings(hidden_size=SIZE, heads=HEADS, inner_size=2, init_scale=0.5)


def columns(array: np.ndarray) -> dy.Expression:
    """(B, T, H) as (H, T) x B."""
    return dy.reshape(dy.inputTensor(array.transpose(2, 1, 0).ravel(order="F")), (SIZE, TIME), BATCH)


def numbers_of(expression: dy.Expression) -> np.ndarray:
    """(H, T) x B as (B, T, H)."""
    return expression.npvalue().reshape(SIZE, TIME, BATCH, order="F").transpose(2, 1, 0)


def weights_of(block: Block) -> dict[str, Any]:
    """The numbers of a block as tensors, by the names that the lesson's PyTorch has for them."""
    parts = {name: getattr(block.attention, name) for name in ("W_q", "W_k", "W_v", "W_o")}
    parts |= {name: getattr(block, name) for name in ("W_1", "b_1", "W_2", "b_2")}
    if isinstance(block, DecoderBlock):
        parts |= {f"source_{name}": getattr(block.to_source, name) for name in ("W_q", "W_k", "W_v", "W_o")}
    return {name: torch.tensor(parameter.as_array(), dtype=torch.float32) for name, parameter in parts.items()}


def test_attention_of_several_heads() -> None:
    dy.renew_cg()
    collection, x = dy.ParameterCollection(), np.random.default_rng(1).normal(size=(BATCH, TIME, SIZE))
    attention = Attention(collection, FLAGS)
    ours, _ = attention(columns(x), None, causal_mask(TIME))
    projected = (torch.tensor(x @ getattr(attention, name).as_array().T) for name in ("W_q", "W_k", "W_v"))
    theirs = ch11.attend(*projected, HEADS).numpy() @ attention.W_o.as_array().T
    np.testing.assert_allclose(numbers_of(ours), theirs, atol=1e-5)


def test_a_block_is_an_encoder_layer_with_a_mask() -> None:
    dy.renew_cg()
    collection, rng = dy.ParameterCollection(), np.random.default_rng(2)
    block = Block(collection, FLAGS)
    for bias in (block.b_1, block.b_2):
        bias.set_value(rng.normal(size=bias.shape()))
    weights = weights_of(block)
    x = rng.normal(size=(BATCH, TIME, SIZE)).astype(np.float32)
    ours, _ = block(fold_time(columns(x)), TIME, None, causal_mask(TIME))
    theirs = ch11.make_block(weights, HEADS)(torch.tensor(x), src_mask=ch11.causal_mask(TIME)).detach().numpy()
    np.testing.assert_allclose(numbers_of(ours), theirs, atol=1e-5)


def test_the_translator_is_that_of_pytorchs_layers() -> None:
    """Encoder and decoder layers in a row, on pairs with padding on both sides: log-probabilities and gradients."""
    words = Vocabulary([f"w{number}" for number in range(9)])
    flags = PairSettings(hidden_size=SIZE, heads=HEADS, layers=2, dropout=0.0, init_scale=0.4)
    model = TransformerTranslator.from_settings(flags, words, words)
    sources, targets = [[2, 3, 4, 5, 6], [7, 2], [9, 9, 3]], [[3, 4], [8, 2, 2, 6], [5]]
    batch = make_pair_batch(sources, make_batch(targets, range(3)))
    expected = model.log_probs(batch)

    E_source, E = (
        torch.tensor(embedding.as_array(), dtype=torch.float32, requires_grad=True)
        for embedding in (model.source_embedding, model.embedding)
    )

    def place(embedding: Any, ids: np.ndarray) -> Any:
        waves = torch.tensor(sinusoids(SIZE, 0, len(ids)).T, dtype=torch.float32)
        return embedding[torch.tensor(ids.T)] * SIZE**0.5 + waves

    def norm(x: Any) -> Any:
        return torch.nn.functional.layer_norm(x, (SIZE,))

    padding, time = torch.tensor(batch.source_mask.T == 0), len(batch.target.inputs)
    x = place(E_source, batch.source)
    for block in model.encoder:
        x = ch11.make_block(weights_of(block), HEADS).train()(x, src_key_padding_mask=padding)
    memory, y = norm(x), place(E, batch.target.inputs)
    for block in model.decoder:
        layer = ch11.make_decoder_block(weights_of(block), HEADS).train()
        y = layer(y, memory, tgt_mask=ch11.causal_mask(time), memory_key_padding_mask=padding)
    log_probs = (norm(y) @ E.T + torch.tensor(model.b.as_array(), dtype=torch.float32)).log_softmax(-1)
    chosen = log_probs.gather(2, torch.tensor(batch.target.targets.T)[..., None])[..., 0]
    real = batch.target.mask.T > 0
    np.testing.assert_allclose(expected.T[real], chosen.detach().numpy()[real], atol=1e-5)

    (-chosen[torch.tensor(real)].sum()).backward()
    named = {"source": model.source_embedding, "target": model.embedding}
    actual = gradients(model.collection, named, lambda: model.loss(batch))
    for name, tensor in (("source", E_source), ("target", E)):
        np.testing.assert_allclose(actual[name], tensor.grad.numpy(), rtol=1e-4, atol=2e-5)
