"""The settings of chapter 4."""

from __future__ import annotations

from dataclasses import dataclass

import dynet as dy

from common.errors import UserError
from common.nn.full_softmax import CLASSES_BY, NORMALISERS
from common.training.cli import setting
from common.training.softmax_settings import CHEAPER, SoftmaxSettings

CHAPTER = "04_feedforward_lm"
ACTIVATIONS = {"tanh": dy.tanh, "relu": dy.rectify}
"""The choices of --activation."""
SOFTMAXES = {"full": "full", **CHEAPER}
"""The choices of --softmax. Those behind the first are choices of chapters 5 and 6, too."""
TIEABLE = ("full", "sampled", "nce")
"""The softmaxes with one row of weights per word, which can be the word's embedding."""


@dataclass(frozen=True)
class Settings(SoftmaxSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: under a minute on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    order: int = setting(5, "n: predict from the n-1 words before", minimum=2, maximum=50)
    layers: int = setting(1, "hidden layers; 0: a log-linear model", minimum=0)
    hidden_size: int = setting(128, "size of hidden layers", minimum=1)
    embedding_size: int = setting(0, "size of embeddings; 0: as --hidden-size", minimum=0)
    activation: str = setting("tanh", "non-linearity of the hidden layers", choices=ACTIVATIONS)
    dropout: float = setting(0.2, "share of embeddings and hidden units dropped in training", minimum=0, maximum=0.95)
    tied: bool = setting(False, "score words by their own embeddings")
    softmax: str = setting("full", "the output layer", choices=SOFTMAXES)
    classes_by: str = setting("frequency", "classes of equal frequency or of equal size", choices=CLASSES_BY)
    normaliser: str = setting("one", "Z of --softmax nce", choices=NORMALISERS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tied and self.softmax not in TIEABLE:
            raise UserError(f"--tied: --softmax {self.softmax} has no row of weights per word; leave the flag out")

    @property
    def scores_few(self) -> bool:
        return self.softmax != "full"
