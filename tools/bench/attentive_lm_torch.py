"""The attentive language model once more, in PyTorch: the reference model that the benchmark compares DyNet with.

It is written as a PyTorch user would write it for speed (`nn.LSTM`, batched products, one cross-entropy, keys of the
attention that are computed once) and computes the same function of the same parameters as
chapters/06_attentive_lm/model.py: a test compares losses, gradients and what is generated. Tensors are
(batch, time, ...), but time comes first where the LSTM works.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from common.nn.softmax import FORBIDDEN
from tools.bench.reference import PADDING, ReferenceLanguageModel, make_lstm


class State(NamedTuple):
    """What generation remembers: the LSTM's state, its top states so far (batch, time, H), and their keys."""

    lstm: tuple[Tensor, Tensor] | None
    past: Tensor
    keys: Tensor


class ReferenceModel(ReferenceLanguageModel):
    """Multi-layer LSTM, attention over its past states, tied softmax (Salton, Ross and Kelleher 2017)."""

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, score: str, dropout: float):
        super().__init__()
        self.score, self.dropout = score, dropout
        H = hidden_size
        self.embedding = nn.Parameter(torch.zeros(vocabulary, H))
        self.lstm = make_lstm(H, H, layers, dropout)
        if score != "none":
            self.v_s = nn.Parameter(torch.zeros(1, H))
            self.W_s = nn.Parameter(torch.zeros(H, H))
        if score == "combined":
            self.W_q = nn.Parameter(torch.zeros(H, H))
        self.W_c = nn.Parameter(torch.zeros(H, H if score == "none" else 2 * H))
        self.b_c = nn.Parameter(torch.zeros(H))
        self.b = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor, reduction: str = "sum") -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is.

        reduction: "none" gives the loss of each prediction instead, (time*batch,), 0 on padding.
        """
        states, _ = self.lstm(self.drop(F.embedding(inputs, self.embedding)))
        logits = self.logits(states if self.score == "none" else self.with_context(states))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PADDING, reduction=reduction)

    def drop(self, tensor: Tensor) -> Tensor:
        return F.dropout(tensor, self.dropout, self.training)

    def logits(self, merged: Tensor) -> Tensor:
        """From states, with their contexts where there is attention, to the argument of the softmax (..., V)."""
        h_prime = torch.tanh(F.linear(merged, self.W_c, self.b_c))
        return F.linear(self.drop(h_prime), self.embedding, self.b)

    def with_context(self, states: Tensor) -> Tensor:
        """Each state and what it attends to: (time, batch, H) -> (time, batch, 2H)."""
        past, time = states.transpose(0, 1), len(states)
        not_before = torch.full((time, time), FORBIDDEN).triu()
        has_past = torch.ones(time, 1)
        has_past[0] = 0
        weights = torch.softmax(self.scores(self.keys(past), past) + not_before, dim=-1) * has_past
        return torch.cat([states, torch.bmm(weights, past).transpose(0, 1)], dim=-1)

    def keys(self, past: Tensor) -> Tensor:
        """What scores need of past states (batch, time, H), of their size; of a single score all, (batch, time, 1)."""
        keys = F.linear(past, self.W_s)
        return keys if self.score == "combined" else F.linear(torch.tanh(keys), self.v_s)

    def scores(self, keys: Tensor, queries: Tensor) -> Tensor:
        """(batch, Q, time) for queries (batch, Q, H), or (batch, 1, time) where all queries score alike."""
        if self.score == "single":
            return keys.transpose(1, 2)
        projected = F.linear(queries, self.W_q).unsqueeze(2)
        return F.linear(torch.tanh(projected + keys.unsqueeze(1)), self.v_s).squeeze(-1)

    def start(self, rows: int) -> State:
        """The state before the first word of `rows` sentences."""
        H = self.embedding.shape[1]
        return State(None, torch.zeros(rows, 0, H), torch.zeros(rows, 0, H if self.score == "combined" else 1))

    def advance(self, state: State, words: Tensor) -> tuple[State, Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        hidden, lstm = self.lstm(F.embedding(words, self.embedding).unsqueeze(0), state.lstm)
        hidden = hidden.transpose(0, 1)
        if self.score == "none":
            return state._replace(lstm=lstm), self.logits(hidden.squeeze(1))
        weights = torch.softmax(self.scores(state.keys, hidden), dim=-1)
        merged = torch.cat([hidden, torch.bmm(weights, state.past)], dim=-1)  # no past: the context is zero
        past, keys = torch.cat([state.past, hidden], dim=1), torch.cat([state.keys, self.keys(hidden)], dim=1)
        return State(lstm, past, keys), self.logits(merged.squeeze(1))
