"""Training by margins: the right word has to win, and by how much it is likely to be right is not asked.

The same features and scores as in model.py under another loss. A model that is trained so gives no probabilities: the
softmax of its scores is nothing that training aimed at. What can be compared is how often its best word is right.
"""

from __future__ import annotations

import numpy as np

from common.text.batching import make_batches

from .features import Active
from .model import Gradients, LogLinearLM, gradients, select, some_at_once
from .sparse import by_position


def hinge(scores: np.ndarray, targets: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """max(0, margin + the best score of another word - the score of the right one), (N,), and its gradient, (N, V).

    scores (N, V), targets (N,) (Crammer and Singer 2001). Where the right word does not lead by more than the margin,
    the gradient is 1 at the rival and -1 at the right word; everywhere else it is 0.
    """
    rows = np.arange(len(targets))
    others = scores.copy()
    others[rows, targets] = -np.inf
    rivals = others.argmax(axis=1)
    short_of = margin + others[rows, rivals] - scores[rows, targets]
    dl_ds = np.zeros_like(scores)
    dl_ds[rows, rivals] = short_of >= 0  # equal scores are a mistake, too: without that a perceptron would not begin
    dl_ds[rows, targets] = -dl_ds[rows, rivals]
    return np.maximum(short_of, 0), dl_ds


class MarginLM(LogLinearLM):
    """The scores of a log-linear model, trained until the right word leads by 1."""

    margin = 1.0

    def loss_and_gradients(self, active: Active, targets: np.ndarray, divisor: float = 1) -> tuple[float, Gradients]:
        """The margin loss of N positions, summed; and the gradients of loss / divisor. active (N, K), targets (N,)."""
        positions = by_position(active)
        losses, dl_ds = hinge(self.scores(positions), targets, self.margin)
        return float(losses.sum(dtype=np.float64)), gradients(positions, dl_ds / divisor)


class PerceptronLM(MarginLM):
    """The same without a margin: it is enough that the right word wins (Rosenblatt 1958)."""

    margin = 0.0


LOSSES = {"likelihood": LogLinearLM, "margin": MarginLM, "perceptron": PerceptronLM}
"""The model that is trained under each loss."""


def accuracy(model: LogLinearLM, sentences: list[list[int]]) -> float:
    """How often the word or `</s>` with the highest score is the one that comes, from 0 to 1."""
    right, number = 0, 0
    for batch in make_batches(sentences, 64):
        active, targets = select(model.features, batch)
        for part, labels in some_at_once(active, targets, len(model.vocab)):
            right += int((model.scores(by_position(part)).argmax(axis=1) == labels).sum())
            number += len(labels)
    return right / number
