"""The settings of chapter 6 and its presets."""

from __future__ import annotations

from dataclasses import dataclass

from common.memory import READ, TRAINED, Footprint
from common.nn.attention import COMBINE_STARTS, PAST_SCORES
from common.nn.recurrent import LSTM, count_numbers, count_weights
from common.nn.softmax import CHEAPER
from common.training.cli import setting
from common.training.loop import SoftmaxSettings

CHAPTER = "06_attentive_lm"
SOFTMAXES = {"tied": True, **CHEAPER}
"""The choices of --softmax."""


@dataclass(frozen=True)
class Settings(SoftmaxSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: about a minute on one core."""

    epochs: int = setting(8, "passes over the training split", minimum=1)
    score: str = setting("combined", "attention score: Eq. 9, Eq. 10, or no attention", choices=PAST_SCORES)
    layers: int = setting(1, "LSTM layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and states", minimum=1)
    learning_rate: float = setting(0.008, "size of a step at the beginning", minimum=1e-9)
    merge_init: str = setting(
        "identity", "start of W_c: the state's identity, or uniform", choices=COMBINE_STARTS, alias="merge"
    )
    softmax: str = setting("tied", "its matrix is the embedding; or one of chapter 4", choices=SOFTMAXES)
    forget_bias: float = setting(1.0, "start of the forget gates' bias: 1 as in the paper's code, 0 as in its words")
    max_length: int = setting(0, "words kept of a training sentence, which then ends there; 0: all", minimum=0)

    @property
    def scores_few(self) -> bool:
        return isinstance(SOFTMAXES[self.softmax], str)

    def most_words(self, longest: int) -> int:
        """See `GradientSettings`: a sentence may be cut."""
        return min(longest, self.max_length + 1) if self.max_length else longest

    def footprint(self, words: int) -> Footprint:
        """What the model takes, each word, and each pair of a step and one before it; words: in the vocabulary."""
        H = self.hidden_size
        matrices = 2 if self.scores_few else 1
        parameters = words * (matrices * H + 1) + count_weights(LSTM, H, self.layers) + 5 * H * H + 2 * H
        pair = {"none": 0, "single": 8}.get(self.score, 2 * H + 8)
        word = self.count_scores(words) + count_numbers(LSTM, H, self.layers) + 16 * H
        trained = TRAINED.get(self.optimiser, READ)
        return Footprint(parameters, word, pair=pair, kept=2 * H if pair else 0, trained=trained)


PAPER = {
    "score": "single",
    "layers": 2,
    "init_scale": 0.05,
    "merge_init": "uniform",
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
"""What the paper's two models share. In three things they do not follow the paper's words:

- the bias of the forget gate starts at 1, as in the authors' code; in words all biases start at 0 (`--forget-bias 0`);
- with `decay_start` 12 the 14th epoch is the first at half the rate, as in the code, which counts epochs from 0; in
  words "after 12 epochs", which makes it the 13th (`--decay-start 11`; 13 for WikiText-2);
- a sentence that is cut at 35 words ends there, with `</s>`; in the code its 36th word is its last prediction, and it
  has no end; the words do not say.
"""

PRESETS = {
    "quick": {},
    "ptb-small": {
        "corpus": "ptb",
        "layers": 2,
        "hidden_size": 200,
        "dropout": 0.35,
        "batch_size": 20,
        "epsilon": 1e-3,
        "learning_rate": 0.004,
        "epochs": 12,
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
