"""The flags of what is trained by gradients on DyNet: their choices are the names of what there is to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from common.evaluation.perplexity import UNKNOWN_KINDS
from common.nn.optimiser import OPTIMISERS
from common.training.cli import CheckedSettings, CommonSettings, LanguageModelSettings, setting
from common.training.loop import DECAY_HELP, DECAY_START_HELP, SCHEDULES, START_BIASES


@dataclass(frozen=True)
class GradientSettings(CheckedSettings):
    """The flags of every model of text that is trained by gradients on DyNet."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.2, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    init_scale: float = setting(0.1, "weights start uniform in plus or minus this", minimum=1e-6)
    bias: str = setting("unigram", "start of the output bias: log frequencies, or zero", choices=tuple(START_BIASES))
    optimiser: str = setting("adam", "how parameters move", choices=tuple(OPTIMISERS))
    epsilon: float = setting(1e-8, "Adam's epsilon: smaller gradients hardly count", minimum=1e-15)
    learning_rate: float = setting(0.004, "size of a step at the beginning", minimum=1e-9)
    schedule: str = setting("cosine", "how the learning rate falls", choices=tuple(SCHEDULES))
    decay: float = setting(0.5, DECAY_HELP, minimum=0, maximum=1)
    decay_start: int = setting(12, DECAY_START_HELP, minimum=0)
    clip: float = setting(5.0, "largest norm of the gradient of (summed loss / batch size); 0: no limit", minimum=0)
    patience: int = setting(10, "epochs without a better dev perplexity before stopping", minimum=1)


@dataclass(frozen=True)
class NeuralSettings(GradientSettings, LanguageModelSettings):
    """The flags of every neural language model."""


@dataclass(frozen=True)
class TranslationSettings(GradientSettings, CommonSettings):
    """The flags of every translation model."""

    corpus: str = setting(
        "village_pairs", "an embedded or installed corpus of pairs, or a folder with train.source ..."
    )
    subwords: int = setting(0, "cut words into this many pieces, learnt on both sides; 0: whole words", minimum=0)
    min_count: int = setting(2, "words seen less often in training are <unk>, on either side", minimum=1)
    unk: str = setting("auto", "what an unknown word costs; auto: as the corpus says", choices=("auto", *UNKNOWN_KINDS))
