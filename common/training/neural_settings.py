"""The flags of every model that is trained by gradients on DyNet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from common.errors import UserError
from common.nn.dropout import DROPOUT_KINDS, Dropout
from common.nn.optimiser import OPTIMISERS
from common.training.cli import CheckedSettings, setting
from common.training.schedules import DECAY_HELP, DECAY_START_HELP, SCHEDULES
from common.training.setup import LanguageModelSettings
from common.training.start_bias import START_BIASES


@dataclass(frozen=True)
class GradientSettings(CheckedSettings):
    """The flags of every model of text that is trained by gradients on DyNet."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.2, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    init_scale: float = setting(0.1, "initial weights are uniform between minus and plus this", minimum=1e-6)
    bias: str = setting("unigram", "initial output bias: log frequencies, or zero", choices=START_BIASES)
    optimiser: str = setting("adam", "how parameters are updated", choices=OPTIMISERS)
    epsilon: float = setting(1e-8, "Adam's epsilon: much smaller gradients have little effect", minimum=1e-15)
    learning_rate: float = setting(0.004, "size of a step at the beginning", minimum=1e-9)
    schedule: str = setting("cosine", "how the learning rate falls", choices=SCHEDULES)
    decay: float = setting(0.5, DECAY_HELP, minimum=0, maximum=1)
    decay_start: int = setting(12, DECAY_START_HELP, minimum=0)
    warm_up: float = setting(0.0, "epochs in which the learning rate rises from 0", minimum=0, maximum=1_000)
    clip: float = setting(5.0, "largest norm of the gradient of (summed loss / batch size); 0: no limit", minimum=0)
    patience: int = setting(10, "epochs without a better dev perplexity before stopping", minimum=1)
    data_parallel: bool = setting(False, "divide each batch among the processes started by mpirun")
    average_every: int = setting(0, "with --data-parallel: average after N steps; 0: sum gradients", 0, 1_000_000)
    takes_much: ClassVar[bool] = False  # of the memory, at its default sizes

    def most_words(self, longest: int) -> int:
        """How many predictions of one sentence are trained on together, where the longest sentence has so many."""
        return longest


@dataclass(frozen=True)
class NeuralSettings(GradientSettings, LanguageModelSettings):
    """The flags of every neural language model."""


@dataclass(frozen=True)
class SoftmaxSettings(NeuralSettings):
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
        return Dropout(self.dropout, self.dropout_kind, self.recurrent_share)
