"""What `python -m tools.bench encoder_decoder` measures: chapter 7's encoder-decoder, on real pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.chapters import chapter_module
from tools.bench import pairs
from tools.bench.pairs import PairSettings, PairWorkload, TranslationSide, find_pairs, vocabularies_of
from tools.bench.sides import of_layers

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide

make_workload = pairs.make_workload
CHAPTER = "07_encoder_decoder"


@dataclass(frozen=True)
class Settings(PairSettings):
    """The flags of the benchmark; the encoder and the cells are the chapter's defaults."""


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return f"encoder-decoder, reversed source: {settings.size}"


def flops_per_token(settings: Settings, workload: PairWorkload) -> float:
    """Floating-point operations of the matrix products for one target prediction, forward and backward."""
    H, lstm = settings.hidden_size, settings.layers * 8 * settings.hidden_size**2
    output = H * workload.vocabularies[1]
    return workload.flops_per_token(a_source_word=lstm, a_sentence=0, a_target_word=lstm + output, a_look=0)


class DyNetSide(TranslationSide):
    """Chapter 7's model with its default encoder."""

    def named(self) -> dict[str, dy.Parameters]:
        found = {name: getattr(self.model, name) for name in ("source_embedding", "embedding", "b_s")}
        found |= of_layers("encoder", self.model.encoder.stack.layers)
        return found | of_layers("decoder", self.model.decoder.layers)


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.seed_dynet(settings.seed)
    chosen = chapter_module(CHAPTER, "settings").Settings(**settings.of_model())
    from chapters.encoder_decoder.model import EncoderDecoder as model_class

    return DyNetSide(model_class.from_settings(chosen, *vocabularies_of(find_pairs(settings))))


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    from tools.bench.encoder_decoder_torch import ReferenceModel
    from tools.bench.reference import make_side

    return make_side(settings, ReferenceModel.like(parameters, settings.layers, settings.dropout), parameters)
