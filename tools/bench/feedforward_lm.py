"""What `python -m tools.bench feedforward_lm` measures: chapter 4's model, on batches as PTB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import chapter_module
from common.text.batching import Batch
from common.training.cli import setting
from tools.bench import sentences
from tools.bench.sentences import LanguageModelSide, SentenceSettings
from tools.bench.sides import Workload, training_flops

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = sentences.make_workload
CHAPTER = "04_feedforward_lm"


@dataclass(frozen=True)
class Settings(SentenceSettings):
    """The flags of the benchmark: a model as wide as the recurrent ones, with the full softmax."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(650, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.5, "share of embeddings and hidden units dropped", minimum=0, maximum=0.95)
    order: int = setting(5, "n: predict from the n-1 words before", minimum=2, maximum=50)


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"feed-forward LM, order {settings.order}, full softmax: {settings.size}"


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one real prediction, forward and backward."""
    H = settings.hidden_size
    hidden = (settings.order - 1 + settings.layers - 1) * H * H  # what reads the embeddings, and the layers above it
    return training_flops(hidden + H * settings.vocabulary)


class DyNetSide(LanguageModelSide):
    """Chapter 4's model with a full softmax."""

    def named(self) -> dict[str, dy.Parameters | dy.LookupParameters]:
        model, softmax = self.model, self.model.softmax
        found = {"embedding.weight": model.embedding, "output.weight": softmax.W, "output.bias": softmax.b}
        for number, (W, b) in enumerate(model.layers):
            found |= {f"hidden.{number}.weight": W, f"hidden.{number}.bias": b}
        return found

    def loss(self, batch: Batch) -> dy.Expression:
        return self.model.loss(batch, np.random.default_rng())  # the full softmax draws no samples


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    chosen = {name: getattr(settings, name) for name in ("order", "layers", "hidden_size", "dropout")}
    return DyNetSide(chapter_module(CHAPTER, "model").FeedForwardLM(settings.words(), **chosen))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.feedforward_lm_torch import ReferenceModel
    from tools.bench.reference import make_side

    model = ReferenceModel(settings.vocabulary, settings.hidden_size, settings.layers, settings.order, settings.dropout)
    return make_side(settings, model, parameters)
