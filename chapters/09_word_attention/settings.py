"""The settings of chapter 9 and its presets."""

from __future__ import annotations

from dataclasses import dataclass

from common.cli import TranslationSettings, setting
from common.errors import UserError

CHAPTER = "09_word_attention"
VARIANTS = ("rnnsearch", "word", "gates")


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(5, "passes over the training split", minimum=1)
    batch_size: int = setting(16, "pairs in a minibatch", minimum=1)
    learning_rate: float = setting(0.006, "size of a step at the beginning", minimum=1e-9)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    variant: str = setting("gates", "attention to annotations only, to words too, and with gates", choices=VARIANTS)
    query: str = setting(
        "word", "what asks for attention: the state before, or with it the word before", choices=("word", "state")
    )
    output_contexts: str = setting(
        "gated", "what the output layer reads where there are gates", choices=("gated", "plain")
    )
    gate_scale: float = setting(1.0, "what gated contexts are multiplied by; 2: they start whole", minimum=0.01)
    gate_bias: float = setting(0.0, "start of a bias in the gate; 0: it has none, as in Eq. 5")
    cell: str = setting("lstm", "the kind of recurrent cell", choices=("lstm", "gru", "rnn"))
    layers: int = setting(1, "recurrent layers of the decoder, and of either direction of the encoder", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and decoder states; either direction has half", minimum=2)

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved."""
        if self.hidden_size % 2:
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; either direction of the encoder has half")


PRINTED = {"query": "state", "output_contexts": "plain"}  # Eq. 1 and 4 of the poster to the letter

PRESETS = {
    "quick": {},
    "printed": PRINTED,
    "headlines": {"corpus": "village_headlines", "dropout": 0.2},
    "printed-headlines": {"corpus": "village_headlines", "dropout": 0.2, **PRINTED},
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "dropout": 0.4,
        "batch_size": 64,
        "learning_rate": 0.003,
        "epochs": 6,
    },
}
