"""The settings of chapter 11's translator."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.training.cli import setting
from common.training.pairs import TranslationSettings

from .settings import BlockSettings

CHAPTER, OF_RUN = "11_transformer_pairs", "translator"
"""Runs of translators are apart from those of language models; `translator.of_run` makes their models."""


@dataclass(frozen=True)
class Settings(BlockSettings, TranslationSettings):
    """Every flag of train_pairs.py. The defaults suit the embedded pairs: a few minutes on one core."""

    epochs: int = setting(6, "passes over the training split", minimum=1)
    dropout: float = setting(
        0.1, "share of embeddings, and of what each part of a block adds, dropped in training", 0, 0.95
    )
    learning_rate: float = setting(0.002, "size of a step at its largest", minimum=1e-9)
    warm_up: float = setting(1.0, "epochs in which the learning rate rises from 0", minimum=0, maximum=1_000)
    layers: int = setting(2, "blocks of the encoder, and as many of the decoder", minimum=1)
    alignment_head: int = setting(
        0, "head whose attention to the source is shown, counted from the first block; 0: the mean of all", 0, 1_000
    )

    def __post_init__(self) -> None:
        """Raises `UserError`, too, for a head that there is not."""
        super().__post_init__()
        if self.alignment_head > self.layers * self.heads:
            raise UserError(f"--alignment-head {self.alignment_head}: the decoder has {self.layers * self.heads} heads")
