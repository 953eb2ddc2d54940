"""Chapter 9's models once more, in PyTorch: the twin that the benchmark runs beside DyNet's.

Written as a PyTorch user would write it for speed (`nn.LSTM` over packed sentences in the encoder, projections of all
words at once, batched products, one cross-entropy), it computes the same function of the same parameters as
chapters/09_word_attention/model.py with `--query word`: a test compares losses and gradients. Tensors are (batch, ...);
the encoder's sequences are (batch, time, ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from common.batching import PairBatch
from common.nn.attention import FORBIDDEN
from common.vocab import Vocabulary
from tools.bench_attentive_lm_torch import PADDING, swap_gates

SIDES = ("forward", "backward")
"""The encoder's directions."""


class Sources(NamedTuple):
    """What the decoder looks at: (batch, time, H) each, their keys, what is added to scores, and its first states."""

    looked_at: list[Tensor]
    keys: list[Tensor]
    padding: Tensor
    states: list[tuple[Tensor, Tensor]]


class Twin(nn.Module):
    """An encoder-decoder with attention to annotations and, but for "rnnsearch", to words (Wu et al. 2018)."""

    def __init__(self, parameters: Mapping[str, np.ndarray], layers: int, variant: str, dropout: float):
        """parameters: those of the DyNet model, named as `bench_attention.parameters_of` does."""
        super().__init__()
        self.layers, self.variant, self.dropout = layers, variant, dropout
        self.attentions = 1 if variant == "rnnsearch" else 2
        V, H = parameters["embedding"].shape
        self.encoders = nn.ModuleList(nn.LSTM(H, H // 2, layers, batch_first=True) for _ in SIDES)
        for lstm in self.encoders:
            for layer in range(layers):  # PyTorch has two biases a layer, the model one
                nn.init.zeros_(getattr(lstm, f"bias_hh_l{layer}")).requires_grad_(False)
        own = {name.replace(".", "_"): array for name, array in parameters.items() if "ward" not in name}
        self.own = nn.ParameterDict({name: torch.tensor(array, dtype=torch.float32) for name, array in own.items()})
        with torch.no_grad():
            for name, tensor in self.named().items():
                tensor.copy_(torch.tensor(swap_gates(parameters[name]) if "ward" in name else parameters[name]))

    def named(self) -> dict[str, Tensor]:
        """The trained tensors under the names of `bench_attention.parameters_of`; the encoders' gates are PyTorch's."""
        found = {}
        for name, value in self.own.items():
            block, _, rest = name.partition("_")
            numbered = block.startswith(("decoder", "bridge", "score"))
            found[f"{block}.{rest}" if numbered else name] = value
        for side, lstm in zip(SIDES, self.encoders, strict=True):
            for layer in range(self.layers):
                for ours, theirs in (("W_x", "weight_ih"), ("W_h", "weight_hh"), ("b", "bias_ih")):
                    found[f"{side}{layer}.{ours}"] = getattr(lstm, f"{theirs}_l{layer}")
        return found

    def drop(self, tensor: Tensor) -> Tensor:
        return F.dropout(tensor, self.dropout, self.training)

    def read(self, source: Tensor, lengths: Tensor) -> Sources:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        words = self.drop(F.embedding(source, self.own["source_embedding"]))
        position = torch.arange(source.shape[1])
        mirror = torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)
        forward, (last, _) = self.run("forward", words, lengths)
        backward, (first, _) = self.run("backward", mirrored(words, mirror), lengths)
        annotations = self.drop(torch.cat([forward, mirrored(backward, mirror)], dim=-1))
        states = []
        for layer, both in enumerate(torch.cat([last, first], dim=-1)):
            inner = F.linear(both, self.own[f"bridge{layer}_W"], self.own[f"bridge{layer}_b"])
            states.append((torch.tanh(inner), inner))
        looked_at = [annotations, self.drop(words)][: self.attentions]
        keys = [F.linear(part, self.own[f"score{number}_W_source"]) for number, part in enumerate(looked_at)]
        return Sources(looked_at, keys, (position >= lengths[:, None]) * FORBIDDEN, states)

    def run(self, side: str, words: Tensor, lengths: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoders[SIDES.index(side)](packed)
        return pad_packed_sequence(states, batch_first=True)[0], last

    def step(self, sources: Sources, states: list, word: Tensor, projected: Tensor, gate: Tensor | None) -> tuple:
        """One target word: the new states and the contexts. projected, gate: the word's share of either."""
        query, contexts = torch.cat([states[-1][0], word], dim=-1), []
        for number, (looked_at, keys) in enumerate(zip(sources.looked_at, sources.keys, strict=True)):
            asked = F.linear(query, self.own[f"score{number}_W_query"]).unsqueeze(1)
            scores = F.linear(torch.tanh(keys + asked), self.own[f"score{number}_w"]).squeeze(-1)
            weights = torch.softmax(scores + sources.padding, dim=-1)
            contexts.append(torch.bmm(weights.unsqueeze(1), looked_at).squeeze(1))
        if gate is not None:
            for matrix, part in (("U_o", states[-1][0]), ("C_o0", contexts[0]), ("C_o1", contexts[1])):
                gate = gate + F.linear(part, self.own[matrix])
            gate = torch.sigmoid(gate)
            contexts = [gate * contexts[0], (1 - gate) * contexts[1]]
        for number, part in enumerate(contexts):
            projected = projected + F.linear(part, self.own[f"W_c{number}"])
        after = [self.cell(0, projected, states[0])]
        for layer in range(1, self.layers):
            inner = F.linear(self.drop(after[-1][0]), self.own[f"decoder{layer}_W_x"], self.own[f"decoder{layer}_b"])
            after.append(self.cell(layer, inner, states[layer]))
        return after, contexts

    def cell(self, layer: int, inner: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        hidden, cell = state
        i, f, o, u = (inner + F.linear(hidden, self.own[f"decoder{layer}_W_h"])).chunk(4, dim=-1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def project(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """What depends on the target words alone: the decoder's share and the gate's."""
        gate = F.linear(words, self.own["W_o"]) if self.variant == "gates" else None
        return F.linear(words, self.own["decoder0_W_x"], self.own["decoder0_b"]), gate

    def logits(self, seen: Tensor) -> Tensor:
        merged = F.linear(self.drop(seen), self.own["W_g"], self.own["b_g"])
        return F.linear(merged, self.own["embedding"], self.own["b_s"])

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        sources = self.read(source, lengths)
        words = self.drop(F.embedding(inputs, self.own["embedding"]))
        projected, gates = self.project(words)
        states, seen = sources.states, []
        for t in range(inputs.shape[1]):
            gate = None if gates is None else gates[:, t]
            states, contexts = self.step(sources, states, words[:, t], projected[:, t], gate)
            seen.append(torch.cat([words[:, t], states[-1][0], *contexts], dim=-1))
        logits = self.logits(torch.stack(seen, dim=1))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction="sum")


def mirrored(sequences: Tensor, mirror: Tensor) -> Tensor:
    """Each sentence back to front, its padding still behind."""
    return sequences.gather(1, mirror[:, :, None].expand_as(sequences))


class TorchSide:
    """Trains the twin and decodes with it: the steps of the DyNet side, one by one."""

    def __init__(self, twin: Twin, learning_rate: float, clip: float):
        self.twin, self.clip = twin, clip
        self.trained = list(self.twin.named().values())
        self.optimiser = torch.optim.SGD(self.trained, lr=learning_rate)

    def loss_without_dropout(self, batch: PairBatch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        self.twin.eval()
        with torch.no_grad():
            loss = self.loss(batch).item()
        self.twin.train()
        return loss

    def train_batch(self, batch: PairBatch) -> float:
        """One step of training; the batch's summed loss in nats."""
        self.optimiser.zero_grad()
        loss = self.loss(batch)
        value = loss.item()
        (loss / len(batch.target.indices)).backward()
        nn.utils.clip_grad_norm_(self.trained, self.clip)
        self.optimiser.step()
        return value

    def loss(self, batch: PairBatch) -> Tensor:
        targets = np.where(batch.target.mask > 0, batch.target.targets, PADDING)
        return self.twin(*sources_of(batch), *(torch.as_tensor(part.T) for part in (batch.target.inputs, targets)))

    def decode_batch(self, batch: PairBatch) -> float:
        """The most probable next word, as many times as the batch's longest target has; the sum of log P, in nats."""
        twin, total = self.twin, 0.0
        twin.eval()
        with torch.inference_mode():
            sources = twin.read(*sources_of(batch))
            states, words = sources.states, torch.full((batch.source.shape[1],), Vocabulary.boundary)
            for _ in range(len(batch.target.inputs)):
                embedded = F.embedding(words, twin.own["embedding"])
                states, contexts = twin.step(sources, states, embedded, *twin.project(embedded))
                seen = torch.cat([embedded, states[-1][0], *contexts], dim=-1)
                best, words = torch.log_softmax(twin.logits(seen), dim=-1).max(dim=-1)
                total += best.sum().item()
        twin.train()
        return total


def sources_of(batch: PairBatch) -> tuple[Tensor, Tensor]:
    """The source words of a batch, (batch, time), and the sentences' lengths."""
    return torch.as_tensor(batch.source.T), torch.as_tensor(batch.source_mask.sum(axis=0)).long()
