"""What `python -m tools.bench attentive_lm` measures: chapter 6's model, on batches as PTB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import load_chapter_module
from common.cli import setting
from tools.bench import sentences
from tools.bench.sentences import CLIP, LEARNING_RATE, LanguageModelSide, SentenceSettings, Workload, training_flops

if TYPE_CHECKING:
    from model import AttentiveLM
    from tools.bench.twins import TorchSide

TASKS, make_workload = sentences.TASKS, sentences.make_workload


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


def parameters_of(model: AttentiveLM) -> dict[str, np.ndarray]:
    """The parameters of an `AttentiveLM` as arrays, under the names that the twin knows."""
    found = {"embedding": model.embedding.as_array(), "W_c": model.W_c.as_array()}
    found |= {"b_c": model.b_c.as_array(), "b": model.b.as_array()}
    for number, layer in enumerate(model.layers):
        for name in ("W_x", "W_h", "b"):
            found[f"layer{number}.{name}"] = getattr(layer, name).as_array()
    for name in ("v_s", "W_s", "W_q"):
        if hasattr(model, name):
            found[name] = getattr(model, name).as_array()
    return found


class DyNetSide(LanguageModelSide):
    """Chapter 6's model."""

    def parameters(self) -> dict[str, np.ndarray]:
        return parameters_of(self.model)


def make_model(settings: Settings) -> AttentiveLM:
    """Chapter 6's model, where DyNet is set up already."""
    model_class = load_chapter_module("06_attentive_lm", "model").AttentiveLM
    chosen = {name: getattr(settings, name) for name in ("hidden_size", "layers", "score", "dropout")}
    return model_class(settings.words(), **chosen, merge="uniform")


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.configure(seed=settings.seed)
    return DyNetSide(make_model(settings))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench import twins
    from tools.bench.attentive_lm_torch import Twin

    twins.configure(settings.threads, settings.seed)
    twin = Twin(settings.vocabulary, settings.hidden_size, settings.layers, settings.score, settings.dropout)
    return twins.TorchSide(twin, parameters, LEARNING_RATE, CLIP)
