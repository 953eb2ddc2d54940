"""The settings of chapter 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from common.errors import UserError
from common.nn.attention import COMBINE_STARTS, PAST_SCORES
from common.training.cli import setting
from common.training.softmax_settings import CHEAPER, RecurrentSettings

CHAPTER = "06_attentive_lm"
SOFTMAXES: dict[str, Any] = {"tied": True, **CHEAPER}
"""The choices of --softmax."""
PARTS = {"whole": (0, 0, 0), "key-value": (0, 1, 1), "key-value-predict": (0, 1, 2)}
"""The choices of --parts: which part of a state is its key, which its value, and which predicts (parts.py)."""
MERGES = {"concatenation": "Concatenation", "feed-forward": "FeedForward", "product": "Product", "context": "Context"}
"""The choices of --merge-layer, by the name of a class in merges.py: Eq. 7, and those of the paper's footnote 3."""
OF_RUN = "variants"
"""The module whose `of_run` gives the model of a run."""


@dataclass(frozen=True)
class Settings(RecurrentSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: about a minute on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    score: str = setting("combined", "attention score: Eq. 9, Eq. 10, or no attention", choices=PAST_SCORES)
    layers: int = setting(1, "LSTM layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and states", minimum=1)
    learning_rate: float = setting(0.008, "size of a step at the beginning", minimum=1e-9)
    merge_init: str = setting(
        "identity", "initial W_c: the identity for the state, or uniform", choices=COMBINE_STARTS, alias="merge"
    )
    softmax: str = setting("tied", "tied: the matrix is the embedding; or a softmax of chapter 4", choices=SOFTMAXES)
    forget_bias: float = setting(1.0, "initial bias of the forget gates: 1 as in the paper's code, 0 as in its text")
    memory_states: int = setting(
        0,
        "attend to this many states, earlier sentences included; 0: those of the sentence only",
        minimum=0,
        maximum=10_000,
    )
    bptt: int = setting(35, "with a memory: steps of back-propagation", minimum=1)
    parts: str = setting(
        "whole", "parts of a state: one for all purposes, or separate ones for key, value and prediction", choices=PARTS
    )
    merge_layer: str = setting(
        "concatenation", "how state and context are merged: Eq. 7, or footnote 3", choices=MERGES
    )
    max_length: int = setting(0, "cut training sentences after this many words; 0: never", minimum=0)

    def __post_init__(self) -> None:
        """Raises `UserError`, too, where the model of part 2 cannot be made."""
        super().__post_init__()
        if self.memory_states or self.divides_states:
            flags = "--memory-states, --parts and --merge-layer"
            if self.score == "none":
                raise UserError(f"--score none attends to nothing; leave {flags} out")
            if self.scores_few:
                raise UserError(f"--softmax {self.softmax} is only for the chapter's plain model; leave {flags} out")
        if self.hidden_size <= max(PARTS[self.parts]):
            raise UserError(
                f"--hidden-size {self.hidden_size}: --parts {self.parts} needs at least one number per part"
            )

    @property
    def scores_few(self) -> bool:
        return isinstance(SOFTMAXES[self.softmax], str)

    @property
    def is_variant(self) -> bool:
        """Whether the model is another one than that of model.py."""
        return bool(self.memory_states) or self.divides_states or self.scores_few

    @property
    def divides_states(self) -> bool:
        """Whether the model is that of parts.py."""
        return max(PARTS[self.parts]) > 0 or self.merge_layer != "concatenation"

    def most_words(self, longest: int) -> int:
        """See `GradientSettings`: a sentence may be cut. Streams are read side by side and are not split."""
        if self.memory_states:
            return self.bptt * self.batch_size
        return min(longest, self.max_length + 1) if self.max_length else longest
