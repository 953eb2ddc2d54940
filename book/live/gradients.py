"""How long a gradient is that has run back through an attentive language model, by the number of steps.

As `chapters/05_rnn_lm/gradients.py` measures it on recurrent ones: one loss, that of the word after the last step, and
its gradient with respect to the state of each step. Here it comes back through the LSTM and through attention.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np

from chapters.attentive_lm.model import AttentiveLM
from chapters.rnn_lm.gradients import beginnings

STEPS, SENTENCES = 18, 200
"""As in chapter 5."""


def gradient_norms(model: AttentiveLM, inputs: np.ndarray, targets: Sequence[int]) -> np.ndarray:
    """Norms of the gradient of -log P(target after the last word) for the top state of each step, (T, B).

    inputs: word ids (T, B); targets: one per sentence.
    """
    state = model.start(inputs.shape[1])
    for words in inputs:
        state, log_probs = model.next_words(state, words.tolist())
    loss = -dy.sum_batches(dy.pick_batch(log_probs, list(targets)))
    loss.forward()
    loss.backward(full=True)
    size = (-1, inputs.shape[1])
    return np.array([np.linalg.norm(top.gradient().reshape(size, order="F"), axis=0) for top in state.memory])


def gradient_curve(model: AttentiveLM, dev: Sequence[Sequence[str]]) -> list[float]:
    """The common logarithm of the mean norm over sentences of dev, by the number of steps back: (STEPS,)."""
    norms = gradient_norms(model, *beginnings([model.vocab.encode(sentence) for sentence in dev], STEPS, SENTENCES))
    return np.log10(norms.mean(axis=1)[::-1]).tolist()
