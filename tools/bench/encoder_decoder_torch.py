"""Chapter 7's encoder-decoder once more, in PyTorch: chapters/07_encoder_decoder/model.py with its default encoder."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from tools.bench.pairs_torch import PairReference, mirror_of, summed_loss

State = tuple[Tensor, Tensor]
"""The decoder's hidden states and memory cells, each (layers, batch, H)."""


class ReferenceModel(PairReference):
    """One LSTM reads the source back to front, another goes on from its last states as a language model."""

    lstm_names = ("encoder", "decoder")

    def start(self, source: Tensor, lengths: Tensor) -> State:
        """source (batch, time) of word ids, padded behind; lengths (batch,)."""
        mirrored = source.gather(1, mirror_of(source.shape[1], lengths))
        return self.run_packed("encoder", F.embedding(mirrored, self.own["source_embedding"]), lengths)[1]

    def advance(self, state: State, words: Tensor) -> tuple[State, Tensor]:
        """Read one target word per row, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        hidden, state = self.lstms["decoder"](self.embed(words).unsqueeze(1), state)
        return state, self.tied_logits(hidden.squeeze(1))

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (batch, time), `PADDING` where no target is."""
        hidden, _ = self.lstms["decoder"](self.drop(self.embed(inputs)), self.start(source, lengths))
        return summed_loss(self.tied_logits(self.drop(hidden)), targets)
