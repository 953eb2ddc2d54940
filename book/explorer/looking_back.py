"""What language models with attention attend to: for each predicted word the words before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.errors import UserError
from common.text.batching import make_batch


def attends(model: Any) -> bool:
    """Whether a language model has attention over its past: chapter 6's, unless trained with --score none."""
    return hasattr(model, "attention") and getattr(model, "score", None) is not None


def weights(model: Any, words: Sequence[str]) -> np.ndarray:
    """How much the prediction of word i, or of `</s>`, attends to each word read before: (n + 1, n + 1).

    Row i is the prediction of word i (from 0). Column j is what was read at step j: `<s>`, then the words. Each
    row sums to 1, but for the first: nothing was read before `<s>`. Raises `UserError` for a model without attention.
    """
    if not attends(model):
        raise UserError("this model attends to nothing; choose a run of chapter 6 with a --score other than none")
    batch = make_batch([model.vocab.encode(words)], [0])
    return np.asarray(model.attention(batch.inputs)[:, :, 0], dtype=np.float64).T
