"""The flags of `python -m tools.gains`, and the habits that it measures."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.training.cli import setting

HABITS = {
    "output": ("the output layers of all time steps in one product", "step by step"),
    "input": ("W_x x_t of all time steps in one product", "in the loop over time"),
    "gates": ("the products of all gates in one", "one a gate"),
    "attention": ("all states look back in products of matrices", "one after the other"),
    "lengths": ("sentences of like length in a batch", "in random order"),
    "embeddings": ("a lookup table, updated where it was read", "an embedding matrix"),
    "masks": ("a dropout mask for all steps", "a new one every step"),
    "decoding": ("DyNet finds the best next word", "NumPy does, in all scores"),
}
"""Habit -> what the course does, and what it is measured against."""

ALL = "all"


@dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    only: str = setting(ALL, "the one habit to measure", choices=(ALL, *HABITS))
    hidden_size: int = setting(256, "size of embeddings and states", minimum=2)
    vocabulary: int = setting(10_000, "words that the models know; for the habit embeddings ten times", minimum=3)
    batch_size: int = setting(32, "sentences in a batch", minimum=1)
    rounds: int = setting(5, "how often each way does the batches, in turn", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1, maximum=2**32 - 1)
    json: str = setting("", "a file to write the figures to")
    markdown: bool = setting(False, "print a table for a README instead")

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved."""
        if self.hidden_size % 2:
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; the encoder's directions have half each")
