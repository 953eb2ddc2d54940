"""What the PyTorch twins of the translation models share: parameters by name, LSTMs over packed sentences, the side.

The twins are written as a PyTorch user would write them for speed (`nn.LSTM` wherever all inputs are known, projections
of all words at once, batched products, one cross-entropy) and compute the same functions of the same parameters as the
chapters' models: tests compare losses, gradients and what greedy search finds. Tensors are (batch, ...), sequences
(batch, time, ...).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from common.batching import PairBatch
from tools.bench.pairs import CLIP, LEARNING_RATE, PairSettings
from tools.bench.twins import LSTM_NAMES, PADDING, TorchSide, configure, swap_gates


class PairTwin(nn.Module):
    """A model of pairs with a tied softmax. What a translation model adds is how it reads and what it looks at:

    `start(source, lengths)`, the state before the first target word, `advance(state, words)`, the state after one more
    word a row and the arguments of the softmax, and `forward(source, lengths, inputs, targets)`, the loss.
    """

    lstm_names: tuple[str, ...]
    """The recurrent networks that `nn.LSTM` computes."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], layers: int, dropout: float):
        """shapes: of the DyNet model's parameters, named as its benchmark's `parameters_of` does."""
        super().__init__()
        self.layers, self.dropout = layers, dropout
        self.lstms = nn.ModuleDict({name: self.make_lstm(shapes[f"{name}0_W_x"]) for name in self.lstm_names})
        own = {name: torch.zeros(shape) for name, shape in shapes.items() if not name.startswith(self.lstm_names)}
        self.own = nn.ParameterDict(own)

    def make_lstm(self, shape: tuple[int, int]) -> nn.LSTM:
        """shape: of the first layer's W_x, (4*hidden, input)."""
        rows, read = shape
        dropout = self.dropout if self.layers > 1 else 0.0
        lstm = nn.LSTM(read, rows // 4, self.layers, batch_first=True, dropout=dropout)
        for layer in range(self.layers):  # PyTorch has two biases a layer, the model one
            nn.init.zeros_(getattr(lstm, f"bias_hh_l{layer}")).requires_grad_(False)
        return lstm

    def named(self) -> dict[str, Tensor]:
        """The trained tensors under the names of the model's parameters; the gates of `nn.LSTM` are in its order."""
        found = dict(self.own.items())
        for name, lstm in self.lstms.items():
            for layer in range(self.layers):
                found |= {
                    f"{name}{layer}_{ours}": getattr(lstm, f"{theirs}_l{layer}") for theirs, ours in LSTM_NAMES.items()
                }
        return found

    def take(self, parameters: Mapping[str, np.ndarray]) -> None:
        """Copy the parameters of the DyNet model."""
        tensors = self.named()
        if tensors.keys() != parameters.keys():
            raise ValueError(f"the twin has {sorted(tensors)}, the model {sorted(parameters)}")
        with torch.no_grad():
            for name, tensor in tensors.items():
                array = swap_gates(parameters[name]) if name.startswith(self.lstm_names) else parameters[name]
                tensor.copy_(torch.from_numpy(np.asarray(array, dtype=np.float32)))

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


class PairSide(TorchSide):
    """Trains a twin, evaluates it and translates with it: the steps of the DyNet side, one by one."""

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
        steps, rows = batch.target.inputs.shape
        with self.inference():
            return self.greedy_steps(self.twin.start(*sources_of(batch)), rows, steps)


def sources_of(batch: PairBatch) -> tuple[Tensor, Tensor]:
    """The source words of a batch, (batch, time), and the sentences' lengths."""
    return torch.as_tensor(batch.source.T), torch.as_tensor(batch.source_mask.sum(axis=0)).long()


def make_side(twin_class: type[PairTwin], settings: PairSettings, parameters: Mapping[str, np.ndarray]) -> PairSide:
    """The PyTorch side of a benchmark, with the parameters of the other."""
    configure(settings.threads, settings.seed)
    shapes = {name: array.shape for name, array in parameters.items()}
    return PairSide(twin_class(shapes, settings.layers, settings.dropout), parameters, LEARNING_RATE, CLIP)
