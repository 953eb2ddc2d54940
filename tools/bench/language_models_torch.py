"""The language models once more, in PyTorch: the reference models that the benchmark compares DyNet with.

They are written as a PyTorch user would write them for speed (`nn.LSTM`, `scaled_dot_product_attention`, one product
for all predictions, one cross-entropy, keys and values that are computed once) and compute the same functions of the
same parameters as the models of chapters 4 to 6 and 11: a test compares losses, gradients and what is generated.
Tensors are (time, batch, ...) in the recurrent models, and (batch, time, ...) in attention.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from common.nn.softmax import FORBIDDEN
from common.text.vocab import Vocabulary
from tools.bench.reference import PADDING, ReferenceLanguageModel, make_lstm, summed_loss

LSTMState = tuple[Tensor, Tensor] | None
"""The LSTM's hidden states and memory cells, (layers, batch, H) each; None before the first word."""
Past = tuple[Tensor, Tensor] | None
"""Keys and values of a block, each (batch, heads, time, H / heads)."""


class FeedForward(ReferenceLanguageModel):
    """Embeddings side by side, hidden layers of tanh, softmax (Bengio et al. 2003)."""

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, order: int, dropout: float):
        super().__init__(dropout)
        self.order = order
        self.embedding = nn.Parameter(torch.zeros(vocabulary, hidden_size))
        widths = [(order - 1) * hidden_size] + [hidden_size] * layers
        sizes = [((above, below), (above,)) for below, above in pairwise(widths)]
        self.layers = nn.ModuleList(nn.ParameterList(map(torch.zeros, shapes)) for shapes in sizes)
        self.softmax = nn.ParameterDict({"W": torch.zeros(vocabulary, hidden_size), "b": torch.zeros(vocabulary)})

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        real = targets != PADDING
        padded = F.pad(inputs, (0, 0, self.order - 2, 0), value=Vocabulary.boundary)
        contexts = padded.unfold(0, self.order - 1, 1)  # (time, batch, n-1), the oldest word first
        return F.cross_entropy(self.logits(contexts[real]), targets[real], reduction="sum")

    def logits(self, words: Tensor) -> Tensor:
        """The argument of the softmax, (N, V), after the words (N, n-1)."""
        hidden = self.drop(F.embedding(words, self.embedding).flatten(1))
        for W, b in self.layers:
            hidden = self.drop(torch.tanh(F.linear(hidden, W, b)))
        return F.linear(hidden, self.softmax["W"], self.softmax["b"])

    def start(self, rows: int) -> Tensor:
        """The words before the first of `rows` sentences, (rows, n-1)."""
        return torch.full((rows, self.order - 1), Vocabulary.boundary)

    def advance(self, state: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Read one word per sentence, (rows,): the new window, and the argument of the softmax, (rows, V)."""
        state = torch.cat([state[:, 1:], words.unsqueeze(1)], dim=1)
        return state, self.logits(state)


class Recurrent(ReferenceLanguageModel):
    """Multi-layer LSTM whose softmax is tied to the embeddings, with dropout between layers (Zaremba et al. 2014)."""

    lstm_names = ("stack_layers",)

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, dropout: float):
        super().__init__(dropout)
        self.embedding = nn.Parameter(torch.zeros(vocabulary, hidden_size))
        self.stack_layers = make_lstm(hidden_size, hidden_size, layers, dropout)
        self.b_s = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        states, _ = self.stack_layers(self.drop(F.embedding(inputs, self.embedding)))
        return summed_loss(F.linear(self.drop(states), self.embedding, self.b_s), targets)

    def start(self, rows: int) -> LSTMState:
        """The state before the first word of `rows` sentences."""
        return None

    def advance(self, state: LSTMState, words: Tensor) -> tuple[LSTMState, Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        states, state = self.stack_layers(F.embedding(words, self.embedding).unsqueeze(0), state)
        return state, F.linear(states.squeeze(0), self.embedding, self.b_s)


class AttentiveState(NamedTuple):
    """What generation remembers: the LSTM's state, its top states so far (batch, time, H), and their keys."""

    lstm: LSTMState
    past: Tensor
    keys: Tensor


class Attentive(ReferenceLanguageModel):
    """Multi-layer LSTM, attention over its past states, tied softmax (Salton, Ross and Kelleher 2017)."""

    lstm_names = ("layers",)

    def __init__(self, vocabulary: int, hidden_size: int, layers: int, score: str, dropout: float):
        super().__init__(dropout)
        self.score = score
        H = hidden_size
        self.embedding = nn.Parameter(torch.zeros(vocabulary, H))
        self.layers = make_lstm(H, H, layers, dropout)
        if score != "none":
            self.score_v_s = nn.Parameter(torch.zeros(1, H))
            self.score_W_s = nn.Parameter(torch.zeros(H, H))
        if score == "combined":
            self.score_W_q = nn.Parameter(torch.zeros(H, H))
        self.W_c = nn.Parameter(torch.zeros(H, H if score == "none" else 2 * H))
        self.b_c = nn.Parameter(torch.zeros(H))
        self.b = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor, reduction: str = "sum") -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is.

        reduction: "none" gives the loss of each prediction instead, (time*batch,), 0 on padding.
        """
        states, _ = self.layers(self.drop(F.embedding(inputs, self.embedding)))
        logits = self.logits(states if self.score == "none" else self.with_context(states))
        return summed_loss(logits, targets, reduction)

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
        keys = F.linear(past, self.score_W_s)
        return keys if self.score == "combined" else F.linear(torch.tanh(keys), self.score_v_s)

    def scores(self, keys: Tensor, queries: Tensor) -> Tensor:
        """(batch, Q, time) for queries (batch, Q, H), or (batch, 1, time) where all queries score alike."""
        if self.score == "single":
            return keys.transpose(1, 2)
        projected = F.linear(queries, self.score_W_q).unsqueeze(2)
        return F.linear(torch.tanh(projected + keys.unsqueeze(1)), self.score_v_s).squeeze(-1)

    def start(self, rows: int) -> AttentiveState:
        """The state before the first word of `rows` sentences."""
        H = self.embedding.shape[1]
        return AttentiveState(None, torch.zeros(rows, 0, H), torch.zeros(rows, 0, H if self.score == "combined" else 1))

    def advance(self, state: AttentiveState, words: Tensor) -> tuple[AttentiveState, Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        hidden, lstm = self.layers(F.embedding(words, self.embedding).unsqueeze(0), state.lstm)
        hidden = hidden.transpose(0, 1)
        if self.score == "none":
            return state._replace(lstm=lstm), self.logits(hidden.squeeze(1))
        weights = torch.softmax(self.scores(state.keys, hidden), dim=-1)
        merged = torch.cat([hidden, torch.bmm(weights, state.past)], dim=-1)  # no past: the context is zero
        past, keys = torch.cat([state.past, hidden], dim=1), torch.cat([state.keys, self.keys(hidden)], dim=1)
        return AttentiveState(lstm, past, keys), self.logits(merged.squeeze(1))


ATTENTION = tuple(f"attention_{name}" for name in ("W_q", "W_k", "W_v", "W_o"))


class Block(nn.Module):
    """Attention with heads, then a network at each position; layer normalisation before each, a sum around it."""

    def __init__(self, size: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, nn.Dropout(dropout)
        for name in ATTENTION:
            self.register_parameter(name, nn.Parameter(torch.zeros(size, size)))
        self.W_1, self.b_1 = nn.Parameter(torch.zeros(inner, size)), nn.Parameter(torch.zeros(inner))
        self.W_2, self.b_2 = nn.Parameter(torch.zeros(size, inner)), nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor, past: Past = None) -> tuple[Tensor, Past]:
        """(batch, time, H) -> (batch, time, H), and what later positions attend to."""
        W_q, W_k, W_v, W_o = (getattr(self, name) for name in ATTENTION)
        read = F.layer_norm(x, x.shape[-1:])
        queries, keys, values = (self.split(F.linear(read, W)) for W in (W_q, W_k, W_v))
        if past:
            keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        contexts = F.scaled_dot_product_attention(queries, keys, values, is_causal=past is None)
        x = x + self.dropout(F.linear(contexts.transpose(1, 2).flatten(2), W_o))
        inner = F.relu(F.linear(F.layer_norm(x, x.shape[-1:]), self.W_1, self.b_1))
        return x + self.dropout(F.linear(inner, self.W_2, self.b_2)), (keys, values)

    def split(self, x: Tensor) -> Tensor:
        """(batch, time, H) -> (batch, heads, time, H / heads)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Transformer(ReferenceLanguageModel):
    """Embeddings and sinusoidal positions, blocks, a last norm, a softmax tied to the embeddings."""

    def __init__(self, vocabulary: int, size: int, layers: int, heads: int, inner_size: int, dropout: float):
        super().__init__(dropout)
        self.embedding = nn.Parameter(torch.zeros(vocabulary, size))
        self.blocks = nn.ModuleList(Block(size, heads, inner_size * size, dropout) for _ in range(layers))
        self.b = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        x = self.drop(self.embed(inputs.T, 0))
        for block in self.blocks:
            x, _ = block(x)
        return summed_loss(self.logits(x), targets.T)

    def embed(self, words: Tensor, first: int) -> Tensor:
        """Embeddings, times the root of H, and positions from `first` on: (batch, time) -> (batch, time, H)."""
        size = self.embedding.shape[1]
        pairs = torch.arange(size) // 2
        angles = torch.arange(first, first + words.shape[1])[:, None] / 10_000 ** (2 * pairs / size)
        waves = torch.where(torch.arange(size) % 2 == 0, angles.sin(), angles.cos())
        return F.embedding(words, self.embedding) * size**0.5 + waves

    def logits(self, x: Tensor) -> Tensor:
        return F.linear(F.layer_norm(x, x.shape[-1:]), self.embedding, self.b)

    def start(self, rows: int) -> list[Past]:
        """The state before the first word of `rows` sentences."""
        return [None] * len(self.blocks)

    def advance(self, state: list[Past], words: Tensor) -> tuple[list[Past], Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        x, new_state = self.embed(words[:, None], state[0][0].shape[2] if state[0] else 0), []
        for block, past in zip(self.blocks, state, strict=True):
            x, past = block(x, past)
            new_state.append(past)
        return new_state, self.logits(x).squeeze(1)
