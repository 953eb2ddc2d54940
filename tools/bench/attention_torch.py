"""Chapter 8's attentional model once more, in PyTorch: chapters/08_attention/model.py with its default attention."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from tools.bench.attending_torch import AttendingReference, LayerState, Memory
from tools.bench.pairs_torch import summed_loss


class DecoderState(NamedTuple):
    """What is known in the middle of a translation: the source, each layer's state, the last context, (batch, H)."""

    memory: Memory
    layers: list[LayerState]
    context: Tensor

    @property
    def seen(self) -> Tensor:
        """What the next word is predicted from, (batch, 2H)."""
        return torch.cat([self.layers[-1][0], self.context], dim=-1)


class ReferenceModel(AttendingReference):
    """A decoder that reads the last context with each word, and then attends to the annotations (MLP scores)."""

    def start(self, source: Tensor, lengths: Tensor) -> DecoderState:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        annotations, first = self.read(F.embedding(source, self.own["source_embedding"]), lengths)
        return DecoderState(self.remember(0, self.drop(annotations), lengths), first, torch.zeros_like(first[-1][0]))

    def step(self, state: DecoderState, projected: Tensor) -> DecoderState:
        """One target word, from its share of what the first layer computes, (batch, 4H)."""
        layers = self.decode(projected, [state.context], state.layers)
        return DecoderState(state.memory, layers, self.attend(0, state.memory, layers[-1][0]))

    def logits(self, seen: Tensor) -> Tensor:
        """(..., 2H) -> (..., V)."""
        return self.tied_logits(self.linear(seen, "W_o"))

    def advance(self, state: DecoderState, words: Tensor) -> tuple[DecoderState, Tensor]:
        """Read one target word per row, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        state = self.step(state, self.project(self.embed(words)))
        return state, self.logits(state.seen)

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        state, seen = self.start(source, lengths), []
        for projected in self.project(self.drop(self.embed(inputs))).unbind(dim=1):
            state = self.step(state, projected)
            seen.append(state.seen)
        return summed_loss(self.logits(self.drop(torch.stack(seen, dim=1))), targets)
