"""The recurrent language model once more, in PyTorch: the reference model that the benchmark compares DyNet with.

It is written as a PyTorch user would write it for speed (`nn.LSTM`, one product for all predictions, one cross-entropy)
and computes the same function of the same parameters as chapters/05_rnn_lm/model.py: a test compares losses, gradients
and what is generated. Sequences are (time, batch, ...).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.reference import PADDING, ReferenceLanguageModel, make_lstm

State = tuple[Tensor, Tensor] | None
"""The LSTM's hidden states and memory cells, (layers, batch, H) each; None before the first word."""


class ReferenceModel(ReferenceLanguageModel):
    """Multi-layer LSTM whose softmax is tied to the embeddings, with dropout between layers (Zaremba et al. 2014)."""

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, dropout: float):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden_size)
        self.drop = nn.Dropout(dropout)
        self.lstm = make_lstm(hidden_size, hidden_size, layers, dropout)
        self.output = nn.Linear(hidden_size, vocabulary)
        self.output.weight = self.embedding.weight

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        states, _ = self.lstm(self.drop(self.embedding(inputs)))
        logits = self.output(self.drop(states))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction="sum")

    def start(self, rows: int) -> State:
        """The state before the first word of `rows` sentences."""
        return None

    def advance(self, state: State, words: Tensor) -> tuple[State, Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        states, state = self.lstm(self.embedding(words).unsqueeze(0), state)
        return state, self.output(states.squeeze(0))
