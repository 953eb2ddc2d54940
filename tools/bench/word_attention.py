"""What `python -m tools.bench word_attention` measures: chapter 9's models, on real pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import chapter_module
from common.training.cli import setting
from tools.bench import pairs
from tools.bench.attending import attending_flops, shared_parameters
from tools.bench.pairs import PairSettings, PairWorkload, TranslationSide, find_pairs, vocabularies_of

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = pairs.make_workload
CHAPTER = "09_word_attention"


@dataclass(frozen=True)
class Settings(PairSettings):
    """The flags of the benchmark: a two-layer model as in the poster's tables, unless they say otherwise."""

    variant: str = setting("gates", "which of the chapter's models", choices=("rnnsearch", "word", "gates"))


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"word attention, variant {settings.variant}: {settings.size}"


def flops_per_token(settings: Settings, workload: PairWorkload) -> float:
    """Floating-point operations of the matrix products for one target prediction, forward and backward."""
    H, attentions = settings.hidden_size, 1 if settings.variant == "rnnsearch" else 2
    query = attentions * 2 * H * H
    gate = 4 * H * H if settings.variant == "gates" else 0
    output = (2 + attentions) * H * H + H * workload.vocabularies[1]
    return attending_flops(settings, workload, attentions, a_target_word=query + gate + output)


class DyNetSide(TranslationSide):
    """One of chapter 9's models."""

    def named(self) -> dict[str, dy.Parameters]:
        model, names = self.model, ("source_embedding", "embedding", "W_g", "b_g", "b_s")
        found = {name: getattr(model, name) for name in names}
        if model.variant == "gates":
            found |= {"W_o": model.W_o, "U_o": model.U_o, "C_o0": model.C_o[0], "C_o1": model.C_o[1]}
        return found | shared_parameters(model.encoder, model.decoder, model.scores)


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    chosen = chapter_module(CHAPTER, "settings").Settings(variant=settings.variant, **settings.of_model())
    from chapters.word_attention.model import WordAttentionModel as model_class

    return DyNetSide(model_class.from_settings(chosen, *vocabularies_of(find_pairs(settings))))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.reference import make_side
    from tools.bench.word_attention_torch import ReferenceModel

    return make_side(settings, ReferenceModel.like(parameters, settings.layers, settings.dropout), parameters)
