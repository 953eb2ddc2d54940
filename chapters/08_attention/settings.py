"""The settings of chapter 8 and its presets."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.nn.attention import SCORES
from common.nn.recurrent import CELLS
from common.nn.softmax import TIED
from common.training.cli import setting
from common.training.loop import TranslationSettings

from .attention import ATTENTIONS

CHAPTER = "08_attention"


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(5, "passes over the training split", minimum=1)
    batch_size: int = setting(16, "pairs in a minibatch", minimum=1)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    learning_rate: float = setting(0.006, "size of a step at the beginning", minimum=1e-9)
    score: str = setting("mlp", "the score of a source word, given the state of the decoder", choices=SCORES)
    attention: str = setting(
        "soft", "what a step reads: a mean of all source words, one word, or a window", choices=ATTENTIONS
    )
    window: int = setting(3, "words to either side, of --attention local and of --markov", minimum=1)
    position_bias: bool = setting(False, "lower the scores of words far from the diagonal, by a learnt amount")
    markov: bool = setting(False, "add a learnt number to the scores for each jump from the last step's place")
    fertility: float = setting(0.0, "price of attention that differs from a source word's expected share", minimum=0)
    symmetry: float = setting(0.0, "also train the other direction; factor of the reward for agreement", minimum=0)
    supervised: float = setting(0.0, "price of attention away from the true links, or from Model 1's", minimum=0)
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers of the decoder, and of either direction of the encoder", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and decoder states; either direction has half", minimum=2)
    softmax: str = setting("tied", "its matrix: a product with the embedding, or its own", choices=TIED)

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved, and for kinds of attention that exclude each other."""
        super().__post_init__()
        if self.hidden_size % 2:
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; either direction of the encoder has half")
        if self.attention == "local" and (self.position_bias or self.markov):
            raise UserError("--attention local predicts its place itself; leave --position-bias and --markov out")
        if self.attention != "soft" and self.supervised:
            raise UserError(f"--supervised: needs weights on all words; leave --attention {self.attention} out")
        if self.window != 3 and not (self.markov or self.attention == "local"):
            raise UserError(f"--window {self.window}: only --attention local and --markov have a window; add one")
        if self.subwords and (self.symmetry or self.supervised):
            raise UserError("--symmetry and --supervised compare words with words; leave --subwords out")


PRESETS = {
    "quick": {},
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "dropout": 0.4,
        "batch_size": 64,
        "learning_rate": 0.003,
        "epochs": 10,
    },
}
