"""What the PyTorch reference models of the benchmarks share: parameter names, the steps of training and inference.

The reference models are written as a PyTorch user would write them for speed (`nn.LSTM` wherever all inputs are known,
one product for all predictions, one cross-entropy) and compute the same functions of the same parameters as the
chapters' models: tests compare losses, gradients, training steps and generated text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from common.text.batching import Batch
from common.text.vocab import Vocabulary
from tools.bench.workloads import CLIP, LEARNING_RATE, BenchSettings, predicted

PADDING = -100
"""The target that `F.cross_entropy` leaves out."""

TORCH_GATES = (0, 1, 3, 2)
"""Where PyTorch's gates (input, forget, update, output) lie among the course's (input, forget, output, update)."""

LSTM_NAMES = {"weight_ih": "W_x", "weight_hh": "W_h", "bias_ih": "b"}


def swap_gates(array: np.ndarray) -> np.ndarray:
    """Bring the four blocks of rows from the course's order of gates into PyTorch's, or back."""
    blocks = np.split(array, 4)
    return np.concatenate([blocks[number] for number in TORCH_GATES])


def make_lstm(read: int, size: int, layers: int, dropout: float, batch_first: bool = False) -> nn.LSTM:
    """Layers with dropout between them and, as the course's have, one trained bias each."""
    lstm = nn.LSTM(read, size, layers, dropout=dropout if layers > 1 else 0.0, batch_first=batch_first)
    for layer in range(layers):
        nn.init.zeros_(getattr(lstm, f"bias_hh_l{layer}")).requires_grad_(False)
    return lstm


class ReferenceModel(nn.Module):
    """A model of the course in PyTorch, with the same parameters.

    `forward(*inputs(batch))` is the summed loss of a batch in nats; `begin(batch)` is the state before the first word
    of its rows, and `advance(state, words)` the state after one more word a row, and the scores (rows, V) of the next.
    """

    lstm_names: tuple[str, ...] = ()
    """How the names of parameters begin that belong to an `nn.LSTM`."""

    def __init__(self, dropout: float):
        super().__init__()
        self.dropout = dropout

    def drop(self, tensor: Tensor) -> Tensor:
        return F.dropout(tensor, self.dropout, self.training)

    def inputs(self, batch: Any) -> tuple[Tensor, ...]:
        """The arguments of `forward`."""
        raise NotImplementedError

    def begin(self, batch: Any) -> Any:
        """The state before the first word of each row."""
        raise NotImplementedError

    def named(self) -> dict[str, Tensor]:
        """The trained tensors under the names of `take`, those of an `nn.LSTM` in PyTorch's order of gates."""
        return {course_name(name): tensor for name, tensor in self.named_parameters() if tensor.requires_grad}

    def arranged(self, name: str, array: np.ndarray) -> np.ndarray:
        """A parameter of the DyNet model, or its gradient, as the tensor of that name has it."""
        return swap_gates(array) if name.startswith(self.lstm_names) else array

    def take(self, parameters: Mapping[str, np.ndarray]) -> None:
        """Copy the parameters of the DyNet model, named and shaped as its side's `parameters()` are."""
        tensors = self.named()
        if tensors.keys() != parameters.keys():
            raise ValueError(f"the reference model has {sorted(tensors)}, the model {sorted(parameters)}")
        with torch.no_grad():
            for name, tensor in tensors.items():
                array = self.arranged(name, parameters[name])
                tensor.copy_(torch.from_numpy(np.asarray(array, dtype=np.float32)))


class ReferenceLanguageModel(ReferenceModel):
    """A language model. It begins with `start(rows)`; words are (time, batch)."""

    def inputs(self, batch: Batch) -> tuple[Tensor, Tensor]:
        return torch.as_tensor(batch.inputs, dtype=torch.long), targets_of(batch)

    def begin(self, batch: Batch) -> Any:
        return self.start(batch.inputs.shape[1])


def summed_loss(logits: Tensor, targets: Tensor, reduction: str = "sum") -> Tensor:
    """-log P of all targets, (rows, columns), in nats; `PADDING` is no target. logits (rows, columns, V)."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction=reduction)


def targets_of(batch: Batch) -> Tensor:
    """(time, batch) of word ids, `PADDING` where no target is."""
    return torch.as_tensor(np.where(batch.mask > 0, batch.targets, PADDING), dtype=torch.long)


def course_name(name: str) -> str:
    """layers.weight_ih_l0 is layers_0_W_x, lstms.decoder_layers.bias_ih_l1 is decoder_layers_1_b, own.W_o is W_o."""
    owner, _, last = name.removeprefix("lstms.").rpartition(".")
    kind, _, layer = last.rpartition("_l")
    if kind in LSTM_NAMES:
        return f"{owner}_{layer}_{LSTM_NAMES[kind]}"
    return name.removeprefix("own.").replace(".", "_")


class TorchSide:
    """Trains a reference model, evaluates and generates with it: the steps of the DyNet side, one by one."""

    def __init__(self, model: ReferenceModel, parameters: Mapping[str, np.ndarray], learning_rate: float, clip: float):
        self.model, self.clip = model, clip
        self.model.take(parameters)
        self.trained = list(self.model.named().values())
        self.optimiser = torch.optim.SGD(self.trained, lr=learning_rate)

    def loss(self, batch: Any) -> Tensor:
        """The summed loss of a batch in nats; with dropout in training."""
        return self.model(*self.model.inputs(batch))

    def loss_without_dropout(self, batch: Any) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -self.evaluate_batch(batch)

    def train_batch(self, batch: Any) -> float:
        """One step of training; the batch's summed loss in nats."""
        self.optimiser.zero_grad()
        loss = self.loss(batch)
        value = loss.item()
        (loss / len(predicted(batch).indices)).backward()
        nn.utils.clip_grad_norm_(self.trained, self.clip)
        self.optimiser.step()
        return value

    def evaluate_batch(self, batch: Any) -> float:
        """log P of all sentences that are predicted, summed, in nats, without dropout."""
        with self.inference():
            return -self.loss(batch).item()

    def decode_batch(self, batch: Any) -> float:
        """The most probable next word, as many times as the batch's longest sentence has; the sum of log P, in nats."""
        return self.generate(batch, lambda log_probs: log_probs.argmax(dim=-1, keepdim=True))

    def sample_batch(self, batch: Any) -> float:
        """Words drawn from the model instead, as many; the sum of log P, in nats."""
        return self.generate(batch, lambda log_probs: torch.multinomial(log_probs.exp(), 1))

    def generate(self, batch: Any, choose: Callable[[Tensor], Tensor]) -> float:
        """So many words, chosen from log P(next word), (rows, V) -> (rows, 1); the sum of log P, in nats."""
        steps, rows = predicted(batch).targets.shape
        words, total = torch.full((rows,), Vocabulary.boundary), 0.0
        with self.inference():
            state = self.model.begin(batch)
            for _ in range(steps):
                state, scores = self.model.advance(state, words)
                log_probs = torch.log_softmax(scores, dim=-1)
                next_words = choose(log_probs)
                total, words = total + log_probs.gather(-1, next_words).sum().item(), next_words.squeeze(-1)
        return total

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Neither dropout nor gradients."""
        self.model.eval()
        with torch.inference_mode():
            yield
        self.model.train()


def make_side(settings: BenchSettings, model: ReferenceModel, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side of a benchmark, in a process that has not computed with PyTorch yet."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    return TorchSide(model, parameters, LEARNING_RATE, CLIP)
