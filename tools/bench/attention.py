"""What `python -m tools.bench attention` measures: chapter 8's attentional model, on real pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import chapter_module
from tools.bench import pairs
from tools.bench.attending import attending_flops, shared_parameters
from tools.bench.pairs import PairSettings, PairWorkload, TranslationSide, find_pairs, vocabularies_of

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = pairs.make_workload
CHAPTER = "08_attention"


@dataclass(frozen=True)
class Settings(PairSettings):
    """The flags of the benchmark; attention, score and cells are the chapter's defaults."""


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"attention, MLP score: {settings.size}"


def flops_per_token(settings: Settings, workload: PairWorkload) -> float:
    """Floating-point operations of the matrix products for one target prediction, forward and backward."""
    H = settings.hidden_size
    query, output = H * H, 2 * H * H + H * workload.vocabularies[1]
    return attending_flops(settings, workload, attentions=1, a_target_word=query + output)


class DyNetSide(TranslationSide):
    """Chapter 8's model with its default attention."""

    def named(self) -> dict[str, dy.Parameters]:
        names = ("source_embedding", "embedding", "W_o", "b_s")
        found = {name: getattr(self.model, name) for name in names}
        return found | shared_parameters(self.model.encoder, self.model.decoder, [self.model.score])


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    chosen = chapter_module(CHAPTER, "settings").Settings(**settings.of_model())
    from chapters.attention.model import AttentionalModel as model_class

    return DyNetSide(model_class.from_settings(chosen, *vocabularies_of(find_pairs(settings))))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.attention_torch import ReferenceModel
    from tools.bench.reference import make_side

    return make_side(settings, ReferenceModel.like(parameters, settings.layers, settings.dropout), parameters)
