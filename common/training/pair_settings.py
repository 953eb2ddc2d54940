"""The flags of every program that trains a translation model."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.training.cli import CommonSettings, as_flag, flag_of, setting
from common.training.neural_settings import GradientSettings


def read_number(text: str) -> int:
    """What stands behind --subwords: a number of pieces, or "characters". Raises an error of argparse for others."""
    if text == "characters":
        from common.text.subwords import CHARACTERS

        return CHARACTERS
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.40}: write a number of pieces, or characters") from None


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

    def check_owners(self, choice: str, owners: Mapping[str, Collection[str]]) -> None:
        """Raises `UserError` for a flag that is given and does nothing, since other values of `choice` read it.

        choice: a setting's name. owners: of each setting that only some of its values read, these values.
        """
        for name, values in owners.items():
            given = getattr(self, name)
            if given != getattr(type(self), name) and getattr(self, choice) not in values:
                flag = as_flag(name, given)
                raise UserError(f"{flag}: only for {flag_of(choice)} {' or '.join(values)}; leave it out")
