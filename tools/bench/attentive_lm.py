"""What `python -m tools.bench attentive_lm` measures: chapter 6's model, on batches as PTB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from common import runtime
from common.training.cli import setting
from tools.bench import sentences
from tools.bench.sentences import LanguageModelSide, SentenceSettings
from tools.bench.sides import Workload, of_layers, training_flops

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = sentences.make_workload


@dataclass(frozen=True)
class Settings(SentenceSettings):
    """The flags of the benchmark; the model is the paper's for PTB unless they say otherwise."""

    score: str = setting("single", "attention score", choices=("single", "combined", "none"))


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"attentive LM, score {settings.score}: {settings.size}"


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one real prediction, forward and backward.

    What is computed on padding is not counted.
    """
    H = settings.hidden_size
    products = settings.layers * 8 * H * H + H * settings.vocabulary  # multiplications: W_x, W_h; the output
    times = np.array([len(batch.inputs) for batch in workload.batches])
    mean_time = np.average(times, weights=[batch.predictions for batch in workload.batches])
    if settings.score == "none":
        products += H * H  # W_c
    elif settings.score == "single":
        products += H * H + H + H * mean_time + 2 * H * H  # W_s, v_s, context, W_c
    else:
        products += 2 * H * H + H * mean_time + H * mean_time + 2 * H * H  # W_s and W_q, v_s, context, W_c
    return training_flops(products)


class DyNetSide(LanguageModelSide):
    """Chapter 6's model."""

    def named(self) -> dict[str, dy.Parameters]:
        score = {
            name: getattr(self.model.score, name) for name in ("v_s", "W_s", "W_q") if hasattr(self.model.score, name)
        }
        own = {name: getattr(self.model, name) for name in ("embedding", "W_c", "b_c", "b")}
        return own | score | of_layers("lstm", self.model.layers)


def make_model(settings: Settings) -> Any:
    """Chapter 6's model, where DyNet is set up already."""
    from chapters.attentive_lm.model import AttentiveLM as model_class

    chosen = {name: getattr(settings, name) for name in ("hidden_size", "layers", "score", "dropout")}
    return model_class(settings.words(), **chosen, init_scale=0.05, merge_init="uniform")


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    return DyNetSide(make_model(settings))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.attentive_lm_torch import ReferenceModel
    from tools.bench.reference import make_side

    model = ReferenceModel(settings.vocabulary, settings.hidden_size, settings.layers, settings.score, settings.dropout)
    return make_side(settings, model, parameters)
