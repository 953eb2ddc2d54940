"""The settings of chapter 11."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.training.cli import setting
from common.training.neural_settings import GradientSettings
from common.training.text import LanguageModelSettings

from .block import NORMS
from .positions import POSITIONS

CHAPTER = "11_transformer"


@dataclass(frozen=True)
class BlockSettings(GradientSettings):
    """The flags of every model that is made of blocks."""

    hidden_size: int = setting(128, "size of embeddings and of the vectors passed from block to block", minimum=1)
    heads: int = setting(
        4, "heads of each attention, which divide the hidden size among them", minimum=1, maximum=1_000
    )
    inner_size: int = setting(2, "units of a block's network, as a multiple of the hidden size", minimum=1, maximum=100)
    positions: str = setting(
        "sinusoidal",
        "how positions are encoded: waves or vectors added, queries and keys rotated, or none",
        choices=POSITIONS,
    )
    norm: str = setting("pre", "layer normalisation before each part of a block, after it, or none", choices=NORMS)

    def __post_init__(self) -> None:
        """Raises `UserError` for a hidden size that cannot be divided among the heads."""
        super().__post_init__()
        size, heads = self.hidden_size, self.heads
        if size % heads:
            raise UserError(f"--heads {heads}: must divide --hidden-size {size}")
        if POSITIONS[self.positions][1] and size // heads % 2:
            raise UserError(f"--positions {self.positions}: each head needs an even share of --hidden-size {size}")


@dataclass(frozen=True)
class Settings(BlockSettings, LanguageModelSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: about two minutes on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    layers: int = setting(2, "blocks", minimum=1)
    learning_rate: float = setting(0.004, "size of a step at its largest", minimum=1e-9)
