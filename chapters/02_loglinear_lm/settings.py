"""The settings of chapter 2."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.training.cli import setting
from common.training.schedules import DECAY_HELP, DECAY_START_HELP, SCHEDULES
from common.training.start_bias import START_BIASES
from common.training.text import LanguageModelSettings

from .features import parse_names
from .learners import LEARNERS
from .optimisers import OPTIMISERS

CHAPTER = "02_loglinear_lm"
OF_RUN = "loading"
"""The module whose `of_run` gives the model of a run."""


@dataclass(frozen=True)
class Settings(LanguageModelSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: half a minute on one core."""

    epochs: int = setting(3, "passes over the training split", minimum=1)
    features: str = setting(
        "word1,word2,class1,class2,bag", "wordN, classN, suffixN, pairMN, classpairMN, bag: see README"
    )
    classes: int = setting(60, "classes of words (Brown clustering)", minimum=2)
    pair_count: int = setting(2, "pairs seen less often in training get no feature", minimum=1)
    engine: str = setting("numpy", "by hand in NumPy, or on DyNet", choices=LEARNERS)
    bias: str = setting("unigram", "initial bias: log frequencies, or zero", choices=START_BIASES)
    optimiser: str = setting("adagrad", "how parameters are updated", choices=OPTIMISERS)
    learning_rate: float = setting(0.0, "size of a step at the beginning; 0: the optimiser's own", minimum=0)
    epsilon: float = setting(
        0.0, "AdaGrad, Adam: much smaller gradients have little effect; 0: the optimiser's own", minimum=0
    )
    schedule: str = setting("cosine", "how the learning rate falls", choices=SCHEDULES)
    decay: float = setting(0.5, DECAY_HELP, minimum=0, maximum=1)
    decay_start: int = setting(2, DECAY_START_HELP, minimum=0)
    patience: int = setting(3, "epochs without a better dev perplexity before stopping", minimum=1)

    def __post_init__(self) -> None:
        """Raises `UserError` for what cannot be trained, before anything is written."""
        super().__post_init__()
        parse_names(self.features)
        if self.device == "gpu" and self.engine == "numpy":
            raise UserError("--device gpu: NumPy computes on the CPU; add --engine dynet")

    @property
    def initial_rate(self) -> float:
        """The learning rate of the first step."""
        return self.learning_rate or OPTIMISERS[self.optimiser].rate

    @property
    def its_epsilon(self) -> float:
        """The epsilon of AdaGrad or Adam."""
        return self.epsilon or OPTIMISERS[self.optimiser].epsilon
