"""The lesson's PyTorch is the chapter's model: attention of several heads, and a block on copied weights."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.transformer import settings as chapter
from chapters.transformer.block import Attention, Block, causal_mask
from common.nn.softmax import fold_time

SIZE, HEADS, TIME, BATCH = 12, 3, 6, 4
FLAGS = chapter.Settings(hidden_size=SIZE, heads=HEADS, inner_size=2, init_scale=0.5)


def columns(array: np.ndarray) -> dy.Expression:
    """(B, T, H) as (H, T) x B."""
    return dy.reshape(dy.inputTensor(array.transpose(2, 1, 0).ravel(order="F")), (SIZE, TIME), BATCH)


def numbers_of(expression: dy.Expression) -> np.ndarray:
    """(H, T) x B as (B, T, H)."""
    return expression.npvalue().reshape(SIZE, TIME, BATCH, order="F").transpose(2, 1, 0)


def test_attention_of_several_heads() -> None:
    torch = pytest.importorskip("torch")
    from book.pytorch import ch11

    dy.renew_cg()
    collection, x = dy.ParameterCollection(), np.random.default_rng(1).normal(size=(BATCH, TIME, SIZE))
    attention = Attention(collection, FLAGS)
    ours, _ = attention(columns(x), None, causal_mask(TIME))
    projected = (torch.tensor(x @ getattr(attention, name).as_array().T) for name in ("W_q", "W_k", "W_v"))
    theirs = ch11.attend(*projected, HEADS).numpy() @ attention.W_o.as_array().T
    np.testing.assert_allclose(numbers_of(ours), theirs, atol=1e-5)


def test_a_block_is_an_encoder_layer_with_a_mask() -> None:
    torch = pytest.importorskip("torch")
    from book.pytorch import ch11

    dy.renew_cg()
    collection, rng = dy.ParameterCollection(), np.random.default_rng(2)
    block = Block(collection, FLAGS)
    for bias in (block.b_1, block.b_2):
        bias.set_value(rng.normal(size=bias.shape()))
    parts = {name: getattr(block.attention, name) for name in ("W_q", "W_k", "W_v", "W_o")}
    parts |= {name: getattr(block, name) for name in ("W_1", "b_1", "W_2", "b_2")}
    weights = {name: torch.tensor(parameter.as_array(), dtype=torch.float32) for name, parameter in parts.items()}
    x = rng.normal(size=(BATCH, TIME, SIZE)).astype(np.float32)
    ours, _ = block(fold_time(columns(x)), TIME, None, causal_mask(TIME))
    theirs = ch11.make_block(weights, HEADS)(torch.tensor(x), src_mask=ch11.causal_mask(TIME)).detach().numpy()
    np.testing.assert_allclose(numbers_of(ours), theirs, atol=1e-5)
