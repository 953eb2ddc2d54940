"""The settings of chapter 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from common.errors import UserError
from common.nn.softmax import TIED
from common.nn.stacking import CELLS
from common.training.cli import setting
from common.training.softmax_settings import CHEAPER, RecurrentSettings

CHAPTER = "05_rnn_lm"
SOFTMAXES: dict[str, Any] = {**TIED, **CHEAPER}
"""The choices of --softmax."""
STATES = {"reset": False, "kept": True}
"""The choices of --state: whether a sentence begins with the state in which the one before it ended."""
FIRST_STATES = {"zero": False, "learnt": True}
"""The choices of --first-state: whether the state before a sentence is a parameter."""
OF_RUN = "variants"
"""The module whose `of_run` gives the model of a run."""


@dataclass(frozen=True)
class Settings(RecurrentSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: less than a minute on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and states", minimum=1)
    learning_rate: float = setting(0.008, "size of a step at the beginning", minimum=1e-9)
    residual: bool = setting(False, "add each layer's input to its output")
    softmax: str = setting(
        "tied", "output matrix: the embedding, or a separate one; or a softmax of chapter 4", choices=SOFTMAXES
    )
    pointer: bool = setting(False, "mix in copies of earlier words (pointer sentinel)")
    state: str = setting("reset", "state between sentences; kept: the text is read as streams", choices=STATES)
    first_state: str = setting("zero", "state before the first word; learnt: a parameter", choices=FIRST_STATES)
    bptt: int = setting(35, "steps of back-propagation with --state kept", minimum=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pointer and STATES[self.state]:
            raise UserError("--pointer points within a sentence; leave --state kept out")
        if self.pointer and self.scores_few:
            raise UserError(f"--pointer mixes with a softmax over all words; leave --softmax {self.softmax} out")
        if FIRST_STATES[self.first_state] and (self.pointer or self.scores_few or STATES[self.state]):
            raise UserError("--first-state learnt: not with --pointer, --state kept or a softmax of chapter 4")

    @property
    def scores_few(self) -> bool:
        return isinstance(SOFTMAXES[self.softmax], str)

    @property
    def is_variant(self) -> bool:
        """Whether the model is another one than that of model.py."""
        return self.pointer or self.scores_few or FIRST_STATES[self.first_state]

    def most_words(self, longest: int) -> int:
        """See `GradientSettings`: streams are read side by side and are not split."""
        return self.bptt * self.batch_size if STATES[self.state] else longest
