"""The translation models of chapters 7 to 9 once more, in PyTorch, with the default encoder and attention of each.

Tensors are (batch, ...), sequences (batch, time, ...).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from common.nn.softmax import FORBIDDEN
from common.text.pairs import PairBatch
from tools.bench.reference import ReferenceModel, make_lstm, summed_loss, targets_of

LayerState = tuple[Tensor, Tensor]
"""Hidden state and memory cell of a layer, each (batch, H), or of all layers, (layers, batch, H)."""


class PairReference(ReferenceModel):
    """A model of pairs with a tied softmax. What a translation model adds is how it reads and what it attends to:

    `start(source, lengths)`, the state before the first target word, `advance(state, words)`, the state after one more
    word a row and the arguments of the softmax, and `forward(source, lengths, inputs, targets)`, the loss.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], layers: int, dropout: float):
        """shapes: of the DyNet model's parameters, under the names that its side gives them."""
        super().__init__(dropout)
        self.layers = layers
        self.lstms = nn.ModuleDict()
        for name in self.lstm_names:
            rows, read = shapes[f"{name}_0_W_x"]
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


def mirror_of(time: int, lengths: Tensor) -> Tensor:
    """Where each word of a sentence is when it is read back to front, its padding still behind: (batch, time)."""
    position = torch.arange(time)
    return torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)


def sources_of(batch: PairBatch) -> tuple[Tensor, Tensor]:
    """The source words of a batch, (batch, time), and the sentences' lengths."""
    return torch.as_tensor(batch.source.T), torch.as_tensor(batch.source_mask.sum(axis=0)).long()


class EncoderDecoder(PairReference):
    """One LSTM reads the source back to front, another goes on from its last states as a language model."""

    lstm_names = ("encoder_stack_layers", "decoder_layers")

    def start(self, source: Tensor, lengths: Tensor) -> LayerState:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        mirrored = source.gather(1, mirror_of(source.shape[1], lengths))
        return self.run_packed("encoder_stack_layers", F.embedding(mirrored, self.own["source_embedding"]), lengths)[1]

    def advance(self, state: LayerState, words: Tensor) -> tuple[LayerState, Tensor]:
        """Read one target word per row, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        hidden, state = self.lstms["decoder_layers"](self.embed(words).unsqueeze(1), state)
        return state, self.tied_logits(hidden.squeeze(1))

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        hidden, _ = self.lstms["decoder_layers"](self.drop(self.embed(inputs)), self.start(source, lengths))
        return summed_loss(self.tied_logits(self.drop(hidden)), targets)


class Memory(NamedTuple):
    """What a decoder attends to, (batch, time, H), its keys, and what is added to the scores, (batch, time)."""

    attended: Tensor
    keys: Tensor
    padding: Tensor


class AttendingReference(PairReference):
    """A model whose decoder goes step by step, because what it attends to depends on the step before.

    A model adds `parts(embedded)`, what depends on the target words alone, and `step(state, *parts)`: the new state
    after one target word a row, and what the next word is predicted from, of which `logits` are made.
    """

    lstm_names = ("encoder_forward_stack_layers", "encoder_backward_stack_layers")
    score_names: tuple[str, ...]

    def read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, list[LayerState]]:
        """From embedded source words: an annotation of each, (batch, time, H), and the decoder's first states."""
        mirror = mirror_of(words.shape[1], lengths).unsqueeze(-1)
        forward, (last, _) = self.run_packed("encoder_forward_stack_layers", words, lengths)
        backward, (first, _) = self.run_packed(
            "encoder_backward_stack_layers", torch.take_along_dim(words, mirror, dim=1), lengths
        )
        annotations = torch.cat([forward, torch.take_along_dim(backward, mirror, dim=1)], dim=-1)
        states = []
        for layer, both in enumerate(torch.cat([last, first], dim=-1)):
            inner = F.linear(both, self.own[f"encoder_bridge_W_{layer}"], self.own[f"encoder_bridge_b_{layer}"])
            states.append((torch.tanh(inner), inner))
        return annotations, states

    def remember(self, number: int, attended: Tensor, lengths: Tensor) -> Memory:
        """What attention of this number attends to: attended (batch, time, H) has `lengths` words per row."""
        behind = torch.arange(attended.shape[1]) >= lengths[:, None]
        return Memory(attended, self.linear(attended, f"{self.score_names[number]}_W_source"), behind * FORBIDDEN)

    def attend(self, number: int, memory: Memory, query: Tensor) -> Tensor:
        """The context, (batch, H), that a query (batch, Q) finds."""
        projected = self.linear(query, f"{self.score_names[number]}_W_query").unsqueeze(1)
        scores = self.linear(torch.tanh(memory.keys + projected), f"{self.score_names[number]}_w").squeeze(-1)
        weights = torch.softmax(scores + memory.padding, dim=-1)
        return torch.bmm(weights.unsqueeze(1), memory.attended).squeeze(1)

    def project(self, words: Tensor) -> Tensor:
        """The share of target words, embedded, (..., H), in what the first layer computes: (..., 4H)."""
        return F.linear(words, self.own["decoder_layers_0_W_x"], self.own["decoder_layers_0_b"])

    def decode(self, projected: Tensor, contexts: Sequence[Tensor], states: Sequence[LayerState]) -> list[LayerState]:
        """Each layer's new state, from a word's share, (batch, 4H), the contexts, and each layer's state before."""
        for number, context in enumerate(contexts):
            projected = projected + self.linear(context, f"decoder_W_c_{number}")
        after = [self.cell(0, projected, states[0])]
        for layer in range(1, self.layers):
            read = self.drop(after[-1][0])
            inner = F.linear(read, self.own[f"decoder_layers_{layer}_W_x"], self.own[f"decoder_layers_{layer}_b"])
            after.append(self.cell(layer, inner, states[layer]))
        return after

    def cell(self, layer: int, inner: Tensor, state: LayerState) -> LayerState:
        """A step of an LSTM, from W_x x + b."""
        hidden, cell = state
        i, f, o, u = (inner + self.linear(hidden, f"decoder_layers_{layer}_W_h")).chunk(4, dim=-1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def advance(self, state: Any, words: Tensor) -> tuple[Any, Tensor]:
        """Read one target word per row, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        state, seen = self.step(state, *self.parts(self.embed(words)))
        return state, self.logits(seen)

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        state, all_seen = self.start(source, lengths), []
        parts = self.parts(self.drop(self.embed(inputs)))
        for word in zip(*(part.unbind(dim=1) for part in parts), strict=True):
            state, seen = self.step(state, *word)
            all_seen.append(seen)
        return summed_loss(self.logits(self.drop(torch.stack(all_seen, dim=1))), targets)


class AttentionState(NamedTuple):
    """What is known in the middle of a translation: the source, each layer's state, the last context, (batch, H)."""

    memory: Memory
    layers: list[LayerState]
    context: Tensor


class Attention(AttendingReference):
    """Chapter 8's decoder reads the last context with each word, and then attends to the annotations (MLP scores)."""

    score_names = ("score",)

    def start(self, source: Tensor, lengths: Tensor) -> AttentionState:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        annotations, first = self.read(F.embedding(source, self.own["source_embedding"]), lengths)
        memory = self.remember(0, self.drop(annotations), lengths)
        return AttentionState(memory, first, torch.zeros_like(first[-1][0]))

    def parts(self, embedded: Tensor) -> tuple[Tensor, ...]:
        return (self.project(embedded),)

    def step(self, state: AttentionState, projected: Tensor) -> tuple[AttentionState, Tensor]:
        """projected: what the first layer computes of the word, (batch, 4H). The second result is (batch, 2H)."""
        layers = self.decode(projected, [state.context], state.layers)
        context = self.attend(0, state.memory, layers[-1][0])
        return AttentionState(state.memory, layers, context), torch.cat([layers[-1][0], context], dim=-1)

    def logits(self, seen: Tensor) -> Tensor:
        """(..., 2H) -> (..., V)."""
        return self.tied_logits(self.linear(seen, "W_o"))


class WordAttentionState(NamedTuple):
    """The state in the middle of a translation: the source, attended to in one or two ways, each layer's state."""

    memories: list[Memory]
    layers: list[LayerState]


class WordAttention(AttendingReference):
    """Chapter 9's models with `--query word`: attention to annotations and, but for "rnnsearch", to words (Wu et al.
    2018); the parameters show which."""

    score_names = ("scores_0", "scores_1")

    def start(self, source: Tensor, lengths: Tensor) -> WordAttentionState:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        words = F.embedding(source, self.own["source_embedding"])
        annotations, first = self.read(words, lengths)
        attended = [annotations, words] if "scores_1_w" in self.own else [annotations]
        memories = [self.remember(number, self.drop(part), lengths) for number, part in enumerate(attended)]
        return WordAttentionState(memories, first)

    def parts(self, embedded: Tensor) -> tuple[Tensor, ...]:
        gate = (self.linear(embedded, "W_o"),) if "W_o" in self.own else ()
        return embedded, self.project(embedded), *gate

    def step(
        self, state: WordAttentionState, embedded: Tensor, projected: Tensor, for_gate: Tensor | None = None
    ) -> tuple[WordAttentionState, Tensor]:
        """for_gate: the word's share of the gate, where there is one. The second result is (batch, 3H or 4H)."""
        before = state.layers[-1][0]
        query = torch.cat([before, embedded], dim=-1)
        contexts = [self.attend(number, memory, query) for number, memory in enumerate(state.memories)]
        if for_gate is not None:
            parts = (before, "U_o"), (contexts[0], "C_o_0"), (contexts[1], "C_o_1")
            gate = torch.sigmoid(for_gate + sum(self.linear(*part) for part in parts))
            contexts = [gate * contexts[0], (1 - gate) * contexts[1]]
        layers = self.decode(projected, contexts, state.layers)
        return WordAttentionState(state.memories, layers), torch.cat([embedded, layers[-1][0], *contexts], dim=-1)

    def logits(self, seen: Tensor) -> Tensor:
        """(..., 3H or 4H) -> (..., V)."""
        return self.tied_logits(F.linear(seen, self.own["W_g"], self.own["b_g"]))
