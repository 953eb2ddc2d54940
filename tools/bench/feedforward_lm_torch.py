"""The feed-forward language model once more, in PyTorch: the reference model that the benchmark compares DyNet with.

It is written as a PyTorch user would write it for speed (the words before all real predictions at once, one
cross-entropy) and computes the same function of the same parameters as chapters/04_feedforward_lm/model.py with the
full softmax: a test compares losses, gradients and what is generated.
"""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from common.text.vocab import Vocabulary
from tools.bench.reference import PADDING, ReferenceLanguageModel


class ReferenceModel(ReferenceLanguageModel):
    """Embeddings side by side, hidden layers of tanh, softmax (Bengio et al. 2003)."""

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, order: int, dropout: float):
        super().__init__()
        self.order = order
        self.embedding = nn.Embedding(vocabulary, hidden_size)
        self.drop = nn.Dropout(dropout)
        widths = [(order - 1) * hidden_size] + [hidden_size] * layers
        self.hidden = nn.ModuleList(nn.Linear(below, above) for below, above in pairwise(widths))
        self.output = nn.Linear(hidden_size, vocabulary)

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        real = targets != PADDING
        padded = F.pad(inputs, (0, 0, self.order - 2, 0), value=Vocabulary.boundary)
        contexts = padded.unfold(0, self.order - 1, 1)  # (time, batch, n-1), the oldest word first
        return F.cross_entropy(self.logits(contexts[real]), targets[real], reduction="sum")

    def logits(self, words: Tensor) -> Tensor:
        """The argument of the softmax, (N, V), after the words (N, n-1)."""
        hidden = self.drop(self.embedding(words).flatten(1))
        for layer in self.hidden:
            hidden = self.drop(torch.tanh(layer(hidden)))
        return self.output(hidden)

    def start(self, rows: int) -> Tensor:
        """The words before the first of `rows` sentences, (rows, n-1)."""
        return torch.full((rows, self.order - 1), Vocabulary.boundary)

    def advance(self, state: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Read one word per sentence, (rows,): the new window, and the argument of the softmax, (rows, V)."""
        state = torch.cat([state[:, 1:], words.unsqueeze(1)], dim=1)
        return state, self.logits(state)
