"""What the PyTorch reference models of chapters 8 and 9 share: bidirectional encoder, MLP scores, step-wise decoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from common.nn.softmax import FORBIDDEN
from tools.bench.pairs_torch import PairReference, mirror_of

LayerState = tuple[Tensor, Tensor]
"""Hidden state and memory cell of a layer, each (batch, H)."""


class Memory(NamedTuple):
    """What a decoder attends to, (batch, time, H), its keys, and what is added to the scores, (batch, time)."""

    attended: Tensor
    keys: Tensor
    padding: Tensor


class AttendingReference(PairReference):
    """A model whose decoder goes step by step, because what it attends to depends on the step before."""

    lstm_names = ("encoder_forward", "encoder_backward")

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, list[LayerState]]:
        """From embedded source words: an annotation of each, (batch, time, H), and the decoder's first states."""
        mirror = mirror_of(words.shape[1], lengths).unsqueeze(-1)
        forward, (last, _) = self.run_packed("encoder_forward", words, lengths)
        backward, (first, _) = self.run_packed("encoder_backward", torch.take_along_dim(words, mirror, dim=1), lengths)
        annotations = torch.cat([forward, torch.take_along_dim(backward, mirror, dim=1)], dim=-1)
        states = []
        for layer, both in enumerate(torch.cat([last, first], dim=-1)):
            inner = F.linear(both, self.own[f"bridge{layer}_W"], self.own[f"bridge{layer}_b"])
            states.append((torch.tanh(inner), inner))
        return annotations, states

    def remember(self, number: int, attended: Tensor, lengths: Tensor) -> Memory:
        """What attention of this number attends to: attended (batch, time, H) has `lengths` words per row."""
        behind = torch.arange(attended.shape[1]) >= lengths[:, None]
        return Memory(attended, self.linear(attended, f"score{number}_W_source"), behind * FORBIDDEN)

    def attend(self, number: int, memory: Memory, query: Tensor) -> Tensor:
        """The context, (batch, H), that a query (batch, Q) finds."""
        projected = self.linear(query, f"score{number}_W_query").unsqueeze(1)
        scores = self.linear(torch.tanh(memory.keys + projected), f"score{number}_w").squeeze(-1)
        weights = torch.softmax(scores + memory.padding, dim=-1)
        return torch.bmm(weights.unsqueeze(1), memory.attended).squeeze(1)

    def project(self, words: Tensor) -> Tensor:
        """The share of target words, embedded, (..., H), in what the first layer computes: (..., 4H)."""
        return F.linear(words, self.own["decoder0_W_x"], self.own["decoder0_b"])

    def decode(self, projected: Tensor, contexts: Sequence[Tensor], states: Sequence[LayerState]) -> list[LayerState]:
        """Each layer's new state, from a word's share, (batch, 4H), the contexts, and each layer's state before."""
        for number, context in enumerate(contexts):
            projected = projected + self.linear(context, f"W_c{number}")
        after = [self.cell(0, projected, states[0])]
        for layer in range(1, self.layers):
            read = self.drop(after[-1][0])
            inner = F.linear(read, self.own[f"decoder{layer}_W_x"], self.own[f"decoder{layer}_b"])
            after.append(self.cell(layer, inner, states[layer]))
        return after

    def cell(self, layer: int, inner: Tensor, state: LayerState) -> LayerState:
        """A step of an LSTM, from W_x x + b."""
        hidden, cell = state
        i, f, o, u = (inner + self.linear(hidden, f"decoder{layer}_W_h")).chunk(4, dim=-1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(cell), cell
