"""The flags of every program that trains a translation model."""

from __future__ import annotations

from dataclasses import dataclass

from common.evaluation.perplexity import UNKNOWN_KINDS
from common.text.subwords import read_number
from common.training.cli import CommonSettings, setting
from common.training.loop import GradientSettings


@dataclass(frozen=True)
class TranslationSettings(GradientSettings, CommonSettings):
    """The flags of every translation model."""

    corpus: str = setting(
        "village_pairs", "an embedded or installed corpus of pairs, or a folder with train.source ..."
    )
    subwords: int = setting(
        0,
        "cut words into this many pieces, learnt on both sides, or into characters; 0: whole words",
        minimum=0,
        reader=read_number,
    )
    min_count: int = setting(2, "words seen less often in training are <unk>, on either side", minimum=1)
    unk: str = setting("auto", "what an unknown word costs; auto: as the corpus says", choices=("auto", *UNKNOWN_KINDS))
