"""What the PyTorch reference models of the translation models share: a tied softmax, LSTMs over packed sentences.

Tensors are (batch, ...), sequences (batch, time, ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from common.text.pairs import PairBatch
from tools.bench.reference import PADDING, ReferenceModel, make_lstm, targets_of


class PairReference(ReferenceModel):
    """A model of pairs with a tied softmax. What a translation model adds is how it reads and what it attends to:

    `start(source, lengths)`, the state before the first target word, `advance(state, words)`, the state after one more
    word a row and the arguments of the softmax, and `forward(source, lengths, inputs, targets)`, the loss.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], layers: int, dropout: float):
        """shapes: of the DyNet model's parameters, under the names that its side gives them."""
        super().__init__()
        self.layers, self.dropout = layers, dropout
        self.lstms = nn.ModuleDict()
        for name in self.lstm_names:
            rows, read = shapes[f"{name}0_W_x"]
            self.lstms[name] = make_lstm(read, rows // 4, layers, dropout, batch_first=True)
        self.own = nn.ParameterDict(
            {name: torch.zeros(shape) for name, shape in shapes.items() if not name.startswith(self.lstm_names)}
        )

    @classmethod
    def like(cls, parameters: Mapping[str, np.ndarray], layers: int, dropout: float) -> PairReference:
        """A reference model of the sizes of these parameters."""
        return cls({name: array.shape for name, array in parameters.items()}, layers, dropout)

    def inputs(self, batch: PairBatch) -> tuple[Tensor, ...]:
        return *sources_of(batch), torch.as_tensor(batch.target.inputs.T), targets_of(batch.target).T

    def begin(self, batch: PairBatch) -> Any:
        return self.start(*sources_of(batch))

    def drop(self, tensor: Tensor) -> Tensor:
        return F.dropout(tensor, self.dropout, self.training)

    def embed(self, words: Tensor) -> Tensor:
        """The embeddings of target words."""
        return F.embedding(words, self.own["embedding"])

    def linear(self, tensor: Tensor, name: str) -> Tensor:
        """The product with a matrix of the model's own."""
        return F.linear(tensor, self.own[name])

    def tied_logits(self, hidden: Tensor) -> Tensor:
        """(..., H) -> (..., V), the argument of the softmax."""
        return F.linear(hidden, self.own["embedding"], self.own["b_s"])

    def run_packed(self, name: str, words: Tensor, lengths: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """An LSTM over padded sentences: the top layer's states, and each layer's last, (layers, batch, hidden)."""
        packed = pack_padded_sequence(self.drop(words), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.lstms[name](packed)
        return pad_packed_sequence(states, batch_first=True)[0], last


def summed_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """-log P of all targets (batch, time), in nats; `PADDING` is no target. logits (batch, time, V)."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction="sum")


def mirror_of(time: int, lengths: Tensor) -> Tensor:
    """Where each word of a sentence is when it is read back to front, its padding still behind: (batch, time)."""
    position = torch.arange(time)
    return torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)


def sources_of(batch: PairBatch) -> tuple[Tensor, Tensor]:
    """The source words of a batch, (batch, time), and the sentences' lengths."""
    return torch.as_tensor(batch.source.T), torch.as_tensor(batch.source_mask.sum(axis=0)).long()
