"""The attentive language model once more, in PyTorch: the twin that the benchmark runs beside DyNet's.

It is written as a PyTorch user would write it for speed (`nn.LSTM`, batched products, one cross-entropy) and
computes the same function of the same parameters as chapters/06_attentive_lm/model.py: a test compares losses
and gradients. Tensors are (batch, time, ...), but time comes first where the LSTM works.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from common.batching import Batch
from common.nn.attention import FORBIDDEN

PADDING = -100
"""The target that `F.cross_entropy` leaves out."""

TORCH_GATES = (0, 1, 3, 2)
"""Where PyTorch's gates (input, forget, update, output) lie among the course's (input, forget, output, update)."""


class Twin(nn.Module):
    """Multi-layer LSTM, attention over its past states, tied softmax (Salton, Ross and Kelleher 2017)."""

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, score: str, dropout: float):
        super().__init__()
        self.score, self.dropout = score, dropout
        H = hidden_size
        self.embedding = nn.Parameter(torch.zeros(vocabulary, H))
        self.lstm = nn.LSTM(H, H, layers, dropout=dropout if layers > 1 else 0.0)
        for layer in range(layers):  # PyTorch has two biases a layer, the model one
            bias = getattr(self.lstm, f"bias_hh_l{layer}")
            nn.init.zeros_(bias).requires_grad_(False)
        if score != "none":
            self.v_s = nn.Parameter(torch.zeros(1, H))
            self.W_s = nn.Parameter(torch.zeros(H, H))
        if score == "combined":
            self.W_q = nn.Parameter(torch.zeros(H, H))
        self.W_c = nn.Parameter(torch.zeros(H, H if score == "none" else 2 * H))
        self.b_c = nn.Parameter(torch.zeros(H))
        self.b = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        embedded = F.dropout(F.embedding(inputs, self.embedding), self.dropout, self.training)
        states = F.dropout(self.lstm(embedded)[0], self.dropout, self.training)
        merged = states if self.score == "none" else self.with_context(states)
        h_prime = torch.tanh(F.linear(merged, self.W_c, self.b_c))
        logits = F.linear(h_prime, self.embedding, self.b)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction="sum")

    def with_context(self, states: Tensor) -> Tensor:
        """Each state and what it attends to: (time, batch, H) -> (time, batch, 2H)."""
        past = states.transpose(0, 1)
        contexts = torch.bmm(self.weights(past), past)
        return torch.cat([states, contexts.transpose(0, 1)], dim=-1)

    def weights(self, past: Tensor) -> Tensor:
        """Causal attention: past (batch, time, H) -> (batch, time of the query, time of the attended)."""
        keys, time = F.linear(past, self.W_s), past.shape[1]
        if self.score == "combined":
            queries = F.linear(past, self.W_q)
            scores = F.linear(torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1)), self.v_s).squeeze(-1)
        else:
            scores = F.linear(torch.tanh(keys), self.v_s).transpose(1, 2)
        not_before = torch.full((time, time), FORBIDDEN).triu()
        has_past = torch.ones(time, 1)
        has_past[0] = 0
        return torch.softmax(scores + not_before, dim=-1) * has_past

    def named(self) -> dict[str, Tensor]:
        """The trained tensors under the names of `take`, the LSTM's in PyTorch's order of gates."""
        own = {name: tensor for name, tensor in self.named_parameters() if tensor.requires_grad}
        for layer in range(self.lstm.num_layers):
            for ours, theirs in (("W_x", "weight_ih"), ("W_h", "weight_hh"), ("b", "bias_ih")):
                own[f"layer{layer}.{ours}"] = own.pop(f"lstm.{theirs}_l{layer}")
        return own

    def take(self, parameters: Mapping[str, np.ndarray]) -> None:
        """Copy the parameters of the DyNet model, named and shaped as `parameters_of` gives them."""
        tensors = self.named()
        if tensors.keys() != parameters.keys():
            raise ValueError(f"the twin has {sorted(tensors)}, the model {sorted(parameters)}")
        with torch.no_grad():
            for name, tensor in tensors.items():
                array = swap_gates(parameters[name]) if name.startswith("layer") else parameters[name]
                tensor.copy_(torch.from_numpy(np.asarray(array, dtype=np.float32)))


def swap_gates(array: np.ndarray) -> np.ndarray:
    """Bring the four blocks of rows from the course's order of gates into PyTorch's, or back."""
    blocks = np.split(array, 4)
    return np.concatenate([blocks[number] for number in TORCH_GATES])


class TorchSide:
    """Trains the twin: the steps of the DyNet side, one by one."""

    def __init__(
        self,
        twin: Twin,
        parameters: Mapping[str, np.ndarray],
        learning_rate: float,
        clip: float,
    ):
        self.twin, self.clip = twin, clip
        self.twin.take(parameters)
        self.trained = list(self.twin.named().values())
        self.optimiser = torch.optim.SGD(self.trained, lr=learning_rate)

    def loss_without_dropout(self, batch: Batch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        self.twin.eval()
        with torch.no_grad():
            loss = self.loss(batch).item()
        self.twin.train()
        return loss

    def train_batch(self, batch: Batch) -> float:
        """One step of training; the batch's summed loss in nats."""
        self.optimiser.zero_grad()
        loss = self.loss(batch)
        value = loss.item()
        (loss / len(batch.indices)).backward()
        nn.utils.clip_grad_norm_(self.trained, self.clip)
        self.optimiser.step()
        return value

    def loss(self, batch: Batch) -> Tensor:
        targets = np.where(batch.mask > 0, batch.targets, PADDING)
        return self.twin(torch.as_tensor(batch.inputs, dtype=torch.long), torch.as_tensor(targets, dtype=torch.long))
