"""The settings of chapter 7."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.nn.dropout import DROPOUT_KINDS
from common.nn.softmax import TIED
from common.nn.stacking import CELLS
from common.training.cli import setting
from common.training.pairs import TranslationSettings

CHAPTER = "07_encoder_decoder"
POOLINGS = {"average": "average", "max": "maximum", "kmax": "k_max"}
"""The choices of --pooling: functions of `convolution`."""
COMPOSITIONS = {"recursive": "RecursiveNetwork", "treelstm": "TreeLSTM"}
"""The choices of --encoder that follow trees: classes of `tree_encoders`."""
TREES = {"corpus": "drawn_trees", "balanced": "balanced_trees"}
"""The choices of --trees, the trees that are followed: functions of `tree_encoders`."""
ENCODERS = {"forward": False, "reverse": True, **dict.fromkeys(("bidirectional", "cnn", *COMPOSITIONS))}
"""The choices of --encoder: of a network that reads one way, whether it reads the last word first; `encoder` makes the
others."""
FOR = {"pooling": ("cnn",), "width": ("cnn",), "kmax": ("cnn",), "trees": COMPOSITIONS}
"""Flags that only some encoders have."""


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(6, "passes over the training split", minimum=1)
    encoder: str = setting("reverse", "how the source is read", choices=ENCODERS)
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers of the decoder, and of a recurrent encoder", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and states", minimum=1)
    softmax: str = setting("tied", "matrix of the output layer: the embedding, or a separate one", choices=TIED)
    dropout_kind: str = setting("zaremba", "a new mask each step, or one mask for a sequence", choices=DROPOUT_KINDS)
    pooling: str = setting("max", "--encoder cnn: what is kept of each filter", choices=POOLINGS)
    width: int = setting(3, "--encoder cnn: words that a filter reads at a time", minimum=1)
    kmax: int = setting(3, "--encoder cnn --pooling kmax: numbers kept of each filter", minimum=1, alias="kept")
    trees: str = setting("corpus", "--encoder recursive, treelstm: the corpus's own trees if it has any", choices=TREES)

    def __post_init__(self) -> None:
        """Raises `UserError` for a flag of another encoder than the chosen one."""
        super().__post_init__()
        self.check_owners("encoder", FOR)
        if self.subwords and self.encoder in COMPOSITIONS and self.trees == "corpus":
            raise UserError("--subwords: the corpus's trees are over words; leave it out, or add --trees balanced")
        if self.kmax != type(self).kmax and self.pooling != "kmax":
            raise UserError(f"--kmax {self.kmax}: only for --pooling kmax; leave it out")
