"""What language models with attention attend to: for each predicted word the words before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.errors import UserError
from common.text.batching import make_batch

ATTENTIVE = "a run of chapter 11, or of chapter 6 with a --score other than none"
"""Which models `attends` finds, for messages."""


def attends(model: Any) -> bool:
    """Whether a language model has attention over its past: a Transformer, or chapter 6's model with a score."""
    return hasattr(model, "attention") and getattr(model, "score", model) is not None


def weights(model: Any, words: Sequence[str]) -> dict[str, np.ndarray]:
    """How much the prediction of word i, or of `</s>`, attends to each word read: a map (n + 1, n + 1) of each head.

    Row i is the prediction of word i (from 0). Column j is what was read at step j: `<s>`, then the words. Each row
    sums to 1, but for the first of chapter 6, whose steps attend to earlier ones alone. The name of its only map is
    empty. Raises `UserError` for a model without attention.
    """
    if not attends(model):
        raise UserError(f"this model attends to nothing; choose {ATTENTIVE}")
    batch = make_batch([model.vocab.encode(words)], [0])
    maps = np.swapaxes(np.asarray(model.attention(batch.inputs)[..., 0], dtype=np.float64), -1, -2)
    if maps.ndim == 2:
        return {"": maps}
    return {f"block {b + 1}, head {h + 1}": maps[b, h] for b, h in np.ndindex(maps.shape[:2])}
