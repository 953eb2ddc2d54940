"""Chapter 9's models once more, in PyTorch: chapters/09_word_attention/model.py with `--query word`."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from tools.bench.attending_torch import AttendingReference, LayerState, Memory
from tools.bench.pairs_torch import summed_loss


class Reading(NamedTuple):
    """Target words, embedded, (..., H), and what the decoder and, where there is one, the gate make of them."""

    embedded: Tensor
    for_decoder: Tensor
    for_gate: Tensor | None


class DecoderState(NamedTuple):
    """The state in the middle of a translation: the source, attended to in one or two ways, each layer's state."""

    memories: list[Memory]
    layers: list[LayerState]


class ReferenceModel(AttendingReference):
    """Attention to annotations and, but for "rnnsearch", to words (Wu et al. 2018); the parameters show which."""

    def start(self, source: Tensor, lengths: Tensor) -> DecoderState:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        words = F.embedding(source, self.own["source_embedding"])
        annotations, first = self.read(words, lengths)
        attended = [annotations, words] if "score1_w" in self.own else [annotations]
        return DecoderState([self.remember(n, self.drop(part), lengths) for n, part in enumerate(attended)], first)

    def make_of(self, embedded: Tensor) -> Reading:
        """What depends on the target words alone."""
        for_gate = self.linear(embedded, "W_o") if "W_o" in self.own else None
        return Reading(embedded, self.project(embedded), for_gate)

    def step(self, state: DecoderState, word: Reading) -> tuple[DecoderState, Tensor]:
        """One target word per row: the new state, and what the next word is predicted from, (batch, 3H or 4H)."""
        before = state.layers[-1][0]
        query = torch.cat([before, word.embedded], dim=-1)
        contexts = [self.attend(number, memory, query) for number, memory in enumerate(state.memories)]
        if word.for_gate is not None:
            parts = (before, "U_o"), (contexts[0], "C_o0"), (contexts[1], "C_o1")
            gate = torch.sigmoid(word.for_gate + sum(self.linear(*part) for part in parts))
            contexts = [gate * contexts[0], (1 - gate) * contexts[1]]
        layers = self.decode(word.for_decoder, contexts, state.layers)
        return DecoderState(state.memories, layers), torch.cat([word.embedded, layers[-1][0], *contexts], dim=-1)

    def logits(self, seen: Tensor) -> Tensor:
        """(..., 3H or 4H) -> (..., V)."""
        return self.tied_logits(F.linear(seen, self.own["W_g"], self.own["b_g"]))

    def advance(self, state: DecoderState, words: Tensor) -> tuple[DecoderState, Tensor]:
        """Read one target word per row, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        state, seen = self.step(state, self.make_of(self.embed(words)))
        return state, self.logits(seen)

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        state, all_seen = self.start(source, lengths), []
        words = self.make_of(self.drop(self.embed(inputs)))
        each = [[None] * inputs.shape[1] if part is None else part.unbind(dim=1) for part in words]
        for word in zip(*each, strict=True):
            state, seen = self.step(state, Reading(*word))
            all_seen.append(seen)
        return summed_loss(self.logits(self.drop(torch.stack(all_seen, dim=1))), targets)
