"""What `python -m tools.bench rnn_lm` measures: chapter 5's LSTM, on batches as PTB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.text.batching import Batch
from tools.bench import sentences
from tools.bench.sentences import LanguageModelSide, SentenceSettings
from tools.bench.sides import Workload, of_layers, training_flops

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = sentences.make_workload


@dataclass(frozen=True)
class Settings(SentenceSettings):
    """The flags of the benchmark: the medium model of Zaremba et al. (2014), its softmax tied, unless they say more."""


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"recurrent LM, LSTM, tied: {settings.size}"


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one real prediction, forward and backward."""
    H = settings.hidden_size
    return training_flops(settings.layers * 8 * H * H + H * settings.vocabulary)  # W_x, W_h; the output


class DyNetSide(LanguageModelSide):
    """Chapter 5's model of tied LSTMs."""

    def named(self) -> dict[str, dy.Parameters]:
        found = {"embedding.weight": self.model.embedding, "output.bias": self.model.b_s}
        return found | of_layers("lstm", self.model.stack.layers)

    def loss(self, batch: Batch) -> dy.Expression:
        loss, _ = self.model.loss(batch)
        return loss


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    from chapters.rnn_lm import model as module

    chosen = {name: getattr(settings, name) for name in ("hidden_size", "layers", "dropout")}
    return DyNetSide(module.RecurrentLM(settings.words(), **chosen))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.reference import make_side
    from tools.bench.rnn_lm_torch import ReferenceModel

    model = ReferenceModel(settings.vocabulary, settings.hidden_size, settings.layers, settings.dropout)
    return make_side(settings, model, parameters)
