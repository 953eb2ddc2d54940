"""What `python -m tools.bench attention` measures: chapter 8's attentional model, on real pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import load_chapter_module
from tools.bench import pairs
from tools.bench.attending import attending_flops, shared_parameters
from tools.bench.pairs import DyNetSide, PairSettings, Workload, vocabularies_of

if TYPE_CHECKING:
    import dynet as dy

    from model import AttentionalModel
    from tools.bench.pairs_torch import PairSide

TASKS, make_workload = pairs.TASKS, pairs.make_workload
CHAPTER = "08_attention"


@dataclass(frozen=True)
class Settings(PairSettings):
    """The flags of the benchmark; attention, score and cells are the chapter's defaults."""


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"attention, MLP score: {settings.size}"


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one target prediction, forward and backward."""
    H = settings.hidden_size
    query, output = H * H, 2 * H * H + H * workload.vocabularies[1]
    return attending_flops(settings, workload, attentions=1, a_target_word=query + output)


def parameters_of(model: AttentionalModel) -> dict[str, dy.Parameters]:
    """The parameters of chapter 8's model under the names that the twin knows."""
    found = {name: getattr(model, name) for name in ("source_embedding", "embedding", "W_o", "b_s")}
    return found | shared_parameters(model.encoder, model.decoder, [model.score])


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.configure(seed=settings.seed)
    chosen = load_chapter_module(CHAPTER, "settings").Settings(**settings.of_model())
    model = load_chapter_module(CHAPTER, "model").AttentionalModel(*vocabularies_of(settings), chosen)
    return DyNetSide(model, parameters_of)


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> PairSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.attention_torch import Twin
    from tools.bench.pairs_torch import make_side

    return make_side(Twin, settings, parameters)
