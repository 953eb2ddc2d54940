"""The flags of language models that may have a cheaper softmax, and of the recurrent ones among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from common.errors import UserError
from common.nn.dropout import DROPOUT_KINDS, Dropout, make_dropout
from common.training.cli import setting
from common.training.neural_settings import GradientSettings
from common.training.start_bias import START_BIASES
from common.training.text import LanguageModelSettings

CHEAPER = {"class": "by_class", "hierarchical": "hierarchical", "sampled": "sampled", "nce": "nce"}
"""Choices of --softmax that score few words in training: the names of functions of `softmaxes`."""


@dataclass(frozen=True)
class SoftmaxSettings(GradientSettings, LanguageModelSettings):
    """The flags of a language model whose `softmax` may score few words in training: then `scores_few` says so."""

    classes: int = setting(0, "classes of --softmax class; 0: the square root of the vocabulary size", minimum=0)
    samples: int = setting(256, "words drawn per batch for --softmax sampled and nce", minimum=1)
    classes_by, normaliser = "frequency", "one"

    @property
    def scores_few(self) -> bool:
        """Whether training scores few words: a chapter has its own answer."""
        return False

    @property
    def start_bias(self) -> Callable[[Sequence[Sequence[int]], int], np.ndarray | None]:
        """What --bias says, or the frequencies that such a softmax is built on."""
        return START_BIASES["unigram" if self.scores_few else self.bias]


@dataclass(frozen=True)
class RecurrentSettings(SoftmaxSettings):
    """The flags of a recurrent language model; most keep it from learning its text by heart."""

    dropout_kind: str = setting("zaremba", "a new mask each step, or one mask for a sequence", choices=DROPOUT_KINDS)
    recurrent_share: float = setting(1.0, "variational: recurrent dropout, as a share of --dropout", 0, 1)
    weight_decay: float = setting(0.0, "a step shrinks matrices by this share, times the learning rate", 0, 1)
    average_epochs: int = setting(1, "average the weights at the ends of the last N epochs", 1, 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learning_rate * self.weight_decay >= 1:
            decay, rate = f"--weight-decay {self.weight_decay:g}", f"--learning-rate {self.learning_rate:g}"
            raise UserError(f"{decay}: its product with {rate} must be below 1, or a step shrinks matrices to nothing")

    @property
    def masks(self) -> Dropout:
        return make_dropout(self.dropout, self.dropout_kind, self.recurrent_share)
