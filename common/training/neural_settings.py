"""The flags of every model that is trained by gradients on DyNet."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

from common.nn.optimiser import OPTIMISERS
from common.training.cli import CheckedSettings, setting
from common.training.schedules import DECAY_HELP, DECAY_START_HELP, SCHEDULES
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

    def footprint(self, *words: int) -> Any:
        """What the model takes of the memory (`memory.Footprint`), by footprint.py of its chapter. words: how many its
        vocabularies have, that of the source first where there is one."""
        from common.chapters import chapter_module

        modules = (sys.modules[kind.__module__] for kind in type(self).__mro__)  # its own, and those that it extends
        chapter = next(module.CHAPTER for module in modules if hasattr(module, "CHAPTER"))
        return chapter_module(chapter, "footprint").footprint(self, *words)
