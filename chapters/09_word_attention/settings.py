"""The settings of chapter 9 and its presets."""

from __future__ import annotations

from dataclasses import dataclass, fields

from common.errors import UserError
from common.memory import READ, TRAINED, Footprint
from common.nn.cells import CELLS
from common.nn.recurrent import count_numbers, count_weights
from common.training.cli import as_flag, setting
from common.training.pair_settings import TranslationSettings

from .variants import OUTPUT_CONTEXTS, QUERIES, VARIANTS

CHAPTER = "09_word_attention"


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(5, "passes over the training split", minimum=1)
    batch_size: int = setting(16, "pairs in a minibatch", minimum=1)
    learning_rate: float = setting(0.006, "size of a step at the beginning", minimum=1e-9)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    variant: str = setting("gates", "attention to annotations only, to words too, and with gates", choices=VARIANTS)
    query: str = setting(
        "word", "what queries the source: s_(i-1), as Eq. 1 prints it, or with it the last word", choices=QUERIES
    )
    output_contexts: str = setting(
        "gated", "with gates: what the output layer reads; plain: as Eq. 4 prints it", choices=OUTPUT_CONTEXTS
    )
    gate_scale: float = setting(1.0, "with gates: factor of both gated contexts; 1: as Eq. 6", minimum=0.01)
    gate_bias: float = setting(0.0, "with gates: start of a learnt bias of the gate; 0: none, as Eq. 5")
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers of the decoder, and of either direction of the encoder", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and decoder states; either direction has half", minimum=2)

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved."""
        super().__post_init__()
        if self.hidden_size % 2:
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; either direction of the encoder has half")

    def footprint(self, source_words: int, words: int) -> Footprint:
        """What the model takes, each word of either side, and each pair of them."""
        H, layers, contexts = self.hidden_size, self.layers, VARIANTS[self.variant].sources
        weights, numbers = count_weights(CELLS[self.cell], H, layers), count_numbers(CELLS[self.cell], H, layers)
        parameters = source_words * H + words * (H + 1) + 2 * weights + (13 * contexts + layers) * H * H
        source, pair, kept = numbers + 20 * H, contexts * (2 * H + 8), contexts * (2 * H + 2)
        return Footprint(parameters, words + numbers + 30 * H, source, pair, kept, TRAINED.get(self.optimiser, READ))

    def gate_flags(self) -> str:
        """The settings of the gates that are not the defaults, as text for the model's name."""
        if not VARIANTS[self.variant].gated:
            return ""
        chosen = {"output_contexts": self.output_contexts, "gate_scale": self.gate_scale, "gate_bias": self.gate_bias}
        defaults = {field.name: field.default for field in fields(self)}
        return "".join(f", {as_flag(name, value)}" for name, value in chosen.items() if value != defaults[name])


PRINTED = {"query": "state", "output_contexts": "plain"}  # Eq. 1 to 6 of the poster to the letter

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
