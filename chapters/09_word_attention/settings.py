"""The settings of chapter 9."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from common.errors import UserError
from common.nn.stacking import CELLS
from common.training.cli import as_flag, setting
from common.training.pairs import TranslationSettings

CHAPTER = "09_word_attention"
VARIANTS = {"rnnsearch": (1, False), "word": (2, False), "gates": (2, True)}
"""The choices of --variant: how many contexts a step reads, and whether a gate weighs the two."""
QUERIES = {"word": True, "state": False}
"""The choices of --query: whether it contains the last word."""
OUTPUT_CONTEXTS = {"gated": True, "plain": False}
"""The choices of --output-contexts: whether the output layer reads the contexts behind the gate."""
ENCODERS = {"attention": "AttentionBased", "bag-of-words": "BagOfWords"}
"""The choices of --encoder: classes of `abs_encoders`."""
MEANS = {"places": True, "words": False}
"""The choices of --mean-of: whether RAS takes the mean of x_j + l_j or of x_j."""
SYSTEMS = {
    "word-attention": ("model", "WordAttentionModel"),
    "abs": ("abs_model", "ABS"),
    "ras-elman": ("ras_model", "RASElman"),
    "ras-lstm": ("ras_model", "RASLSTM"),
}
"""The choices of --system: a module of this chapter and the model's class."""
FOR = {
    **dict.fromkeys(("variant", "query", "output_contexts", "gate_scale", "gate_bias", "cell"), ("word-attention",)),
    "residual": ("word-attention",),
    "layers": ("word-attention", "abs"),
    **dict.fromkeys(("encoder", "context", "smooth"), ("abs",)),
    **dict.fromkeys(("width", "positions", "mean_of"), ("ras-elman", "ras-lstm")),
}
"""Flags that only some systems have."""


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(5, "passes over the training split", minimum=1)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    system: str = setting("word-attention", "this chapter's model, or one of part 2", choices=SYSTEMS)
    variant: str = setting("gates", "attention to annotations only, to words too, or also with gates", choices=VARIANTS)
    query: str = setting("word", "query of the attention: s_(i-1), as in Eq. 1, or also the last word", choices=QUERIES)
    output_contexts: str = setting(
        "gated", "with gates: contexts read by the output layer; plain: as in Eq. 4", choices=OUTPUT_CONTEXTS
    )
    gate_scale: float = setting(1.0, "with gates: factor of both gated contexts; 1: as in Eq. 6", minimum=0.01)
    gate_bias: float = setting(0.0, "with gates: initial value of a learnt bias; 0: no bias, as in Eq. 5")
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers of decoder and encoder; --system abs: hidden layers", minimum=1)
    residual: bool = setting(False, "encoder of two or more layers: add what a layer reads to what it shows")
    hidden_size: int = setting(128, "size of embeddings and decoder states; half of it for each direction", minimum=2)
    encoder: str = setting("attention", "--system abs: how the source is averaged", choices=ENCODERS)
    context: int = setting(5, "--system abs: words of the summary that a step reads", minimum=1, maximum=100)
    smooth: int = setting(2, "--system abs: words on either side in a mean of embeddings", minimum=0, maximum=100)
    width: int = setting(5, "--system ras-...: words that the convolution reads at a time, odd", minimum=1)
    positions: int = setting(40, "--system ras-...: places with an embedding", minimum=1, maximum=10_000)
    mean_of: str = setting(
        "places", "--system ras-...: which embeddings are averaged, with places or without", choices=MEANS
    )

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved, and for a flag of another system than the chosen one."""
        super().__post_init__()
        if self.hidden_size % 2 and self.system == "word-attention":
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; each direction of the encoder gets half")
        self.check_owners("system", FOR)
        if self.residual and self.layers == 1:
            raise UserError("--residual: only for --layers 2 or more; nothing is added to what the first layer shows")
        if self.width % 2 == 0:
            raise UserError(f"--width {self.width}: must be odd, with as many words before the middle one as after it")

    @property
    def module(self) -> ModuleType:
        """Of the system. It is loaded where it is chosen: a run of another system does without it."""
        return importlib.import_module(f".{SYSTEMS[self.system][0]}", __package__)

    @property
    def model_class(self) -> Any:
        """The class of the system's model."""
        return getattr(self.module, SYSTEMS[self.system][1])

    def gate_flags(self) -> str:
        """The settings of the gates that are not the defaults, as text for the model's name."""
        values = {name: getattr(self, name) for name in ("output_contexts", "gate_scale", "gate_bias")}
        changed = {name: value for name, value in values.items() if value != getattr(type(self), name)}
        return "".join(f", {as_flag(*item)}" for item in changed.items()) if VARIANTS[self.variant][1] else ""
