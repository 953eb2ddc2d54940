"""What the PyTorch twins of the benchmarks share: their parameters' names, and the steps of training and inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from common.batching import Batch
from common.vocab import Vocabulary

PADDING = -100
"""The target that `F.cross_entropy` leaves out."""

TORCH_GATES = (0, 1, 3, 2)
"""Where PyTorch's gates (input, forget, update, output) lie among the course's (input, forget, output, update)."""

LSTM_NAMES = {"weight_ih": "W_x", "weight_hh": "W_h", "bias_ih": "b"}


def configure(threads: int, seed: int) -> None:
    """Set PyTorch up, in a process that has not computed with it yet."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)


def swap_gates(array: np.ndarray) -> np.ndarray:
    """Bring the four blocks of rows from the course's order of gates into PyTorch's, or back."""
    blocks = np.split(array, 4)
    return np.concatenate([blocks[number] for number in TORCH_GATES])


def make_lstm(size: int, layers: int, dropout: float) -> nn.LSTM:
    """Layers of one size with dropout between them and, as the course's have, one trained bias each."""
    lstm = nn.LSTM(size, size, layers, dropout=dropout if layers > 1 else 0.0)
    for layer in range(layers):
        nn.init.zeros_(getattr(lstm, f"bias_hh_l{layer}")).requires_grad_(False)
    return lstm


class Twin(nn.Module):
    """A language model of the course in PyTorch, with the same parameters. Its LSTM, if it has one, is `self.lstm`.

    `forward(inputs, targets)` is the summed loss in nats; `start(rows)` is the state before the first word, and
    `advance(state, words)` the state after one more word a sentence, and the scores (rows, V) of the next.
    """

    def named(self) -> dict[str, Tensor]:
        """The trained tensors under the names of `take`, the LSTM's in PyTorch's order of gates."""
        return {course_name(name): tensor for name, tensor in self.named_parameters() if tensor.requires_grad}

    def take(self, parameters: Mapping[str, np.ndarray]) -> None:
        """Copy the parameters of the DyNet model, named and shaped as its benchmark's `parameters_of` gives them."""
        tensors = self.named()
        if tensors.keys() != parameters.keys():
            raise ValueError(f"the twin has {sorted(tensors)}, the model {sorted(parameters)}")
        with torch.no_grad():
            for name, tensor in tensors.items():
                array = swap_gates(parameters[name]) if name.startswith("layer") else parameters[name]
                tensor.copy_(torch.from_numpy(np.asarray(array, dtype=np.float32)))


def course_name(name: str) -> str:
    """lstm.weight_ih_l0 is layer0.W_x, and so on; everything else keeps its name."""
    if not name.startswith("lstm."):
        return name
    kind, layer = name.removeprefix("lstm.").rsplit("_l", 1)
    return f"layer{layer}.{LSTM_NAMES[kind]}"


class TorchSide:
    """Trains a twin, evaluates and generates with it: the steps of the DyNet side, one by one."""

    def __init__(self, twin: Twin, parameters: Mapping[str, np.ndarray], learning_rate: float, clip: float):
        self.twin, self.clip = twin, clip
        self.twin.take(parameters)
        self.trained = list(self.twin.named().values())
        self.optimiser = torch.optim.SGD(self.trained, lr=learning_rate)

    def loss_without_dropout(self, batch: Batch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -self.evaluate_batch(batch)

    def train_batch(self, batch: Batch) -> float:
        """One step of training; the batch's summed loss in nats."""
        self.optimiser.zero_grad()
        loss = self.loss(batch)
        value = loss.item()
        (loss / len(batch.indices)).backward()
        nn.utils.clip_grad_norm_(self.trained, self.clip)
        self.optimiser.step()
        return value

    def evaluate_batch(self, batch: Batch) -> float:
        """log P of all sentences of a batch, summed, in nats, without dropout."""
        with self.inference():
            return -self.loss(batch).item()

    def decode_batch(self, batch: Batch) -> float:
        """Generate as many sentences as the batch has, as long as its longest; log P of all words, summed, in nats."""
        steps, rows = batch.targets.shape
        with self.inference():
            return self.greedy_steps(self.twin.start(rows), rows, steps)

    def greedy_steps(self, state: Any, rows: int, steps: int) -> float:
        """The twin's `decoding.greedy_steps`."""
        words, total = torch.full((rows,), Vocabulary.boundary), 0.0
        for _ in range(steps):
            state, scores = self.twin.advance(state, words)
            best, words = torch.log_softmax(scores, dim=-1).max(dim=-1)
            total += best.sum().item()
        return total

    def loss(self, batch: Batch) -> Tensor:
        targets = np.where(batch.mask > 0, batch.targets, PADDING)
        return self.twin(torch.as_tensor(batch.inputs, dtype=torch.long), torch.as_tensor(targets, dtype=torch.long))

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Neither dropout nor gradients."""
        self.twin.eval()
        with torch.inference_mode():
            yield
        self.twin.train()
