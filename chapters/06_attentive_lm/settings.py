"""The settings of chapter 6 and its presets."""

from __future__ import annotations

from dataclasses import dataclass

from common.cli import CommonSettings, setting
from common.evaluation import UNKNOWN_KINDS

CHAPTER = "06_attentive_lm"


@dataclass(frozen=True)
class Settings(CommonSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: about a minute on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    score: str = setting(
        "combined", "attention score: Eq. 9, Eq. 10, or no attention", choices=("single", "combined", "none")
    )
    layers: int = setting(1, "LSTM layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and states", minimum=1)
    dropout: float = setting(0.2, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    init_scale: float = setting(0.1, "weights start uniform in plus or minus this", minimum=1e-6)
    merge: str = setting("identity", "start of W_c: the state's identity, or uniform", choices=("identity", "uniform"))
    bias: str = setting("unigram", "start of the output bias: log frequencies, or zero", choices=("unigram", "zero"))
    optimiser: str = setting("adam", "how parameters move", choices=("adam", "sgd"))
    epsilon: float = setting(1e-8, "Adam's epsilon: smaller gradients hardly count", minimum=0)
    learning_rate: float = setting(0.004, "size of a step at the beginning", minimum=1e-9)
    schedule: str = setting("cosine", "how the learning rate falls", choices=("cosine", "decay", "constant"))
    decay: float = setting(0.5, "factor an epoch of --schedule decay", minimum=0, maximum=1)
    decay_start: int = setting(12, "epochs before --schedule decay begins", minimum=0)
    clip: float = setting(5.0, "largest norm of the gradient of (summed loss / batch size); 0: no limit", minimum=0)
    patience: int = setting(10, "epochs without a better dev perplexity before stopping", minimum=1)
    min_count: int = setting(2, "words seen less often in training are <unk>", minimum=1)
    max_length: int = setting(0, "words kept of a training sentence, which then ends there; 0: all", minimum=0)
    unk: str = setting("auto", "what an unknown word costs; auto: as the corpus says", choices=("auto", *UNKNOWN_KINDS))
    accounting: str = setting("honest", "salton2017 adds the paper's figure", choices=("honest", "salton2017"))


PAPER = {
    "score": "single",
    "layers": 2,
    "init_scale": 0.05,
    "merge": "uniform",
    "bias": "zero",
    "optimiser": "sgd",
    "learning_rate": 1.0,
    "schedule": "decay",
    "clip": 5.0,
    "patience": 10,
    "epochs": 100,
    "batch_size": 32,
    "max_length": 35,
    "min_count": 1,
    "accounting": "salton2017",
}

PRESETS = {
    "quick": {},
    "ptb-small": {
        "corpus": "ptb",
        "layers": 2,
        "hidden_size": 200,
        "dropout": 0.25,
        "batch_size": 20,
        "epsilon": 1e-3,
        "epochs": 5,
        "min_count": 1,
        "accounting": "salton2017",
    },
    "paper-ptb": {"corpus": "ptb", **PAPER, "hidden_size": 650, "dropout": 0.5, "decay": 0.5, "decay_start": 12},
    "paper-wikitext2": {
        "corpus": "wikitext2",
        **PAPER,
        "hidden_size": 1000,
        "dropout": 0.65,
        "decay": 1 / 1.15,
        "decay_start": 14,
    },
}
