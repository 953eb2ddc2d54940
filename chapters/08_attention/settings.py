"""The settings of chapter 8 and its presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from common.errors import UserError
from common.memory import READ, TRAINED, Footprint
from common.nn.recurrent import count_numbers, count_weights
from common.nn.softmax import TIED
from common.nn.source_attention import SCORES
from common.nn.stacking import CELLS, cell_class
from common.training.cli import setting
from common.training.pairs import TranslationSettings

CHAPTER = "08_attention"
LOCAL = {"local": "LocalAttention", "local-m": "MonotonicAttention"}
"""The choices of --attention that have a window of their own."""
ATTENTIONS = {"soft": "BiasedAttention", "hard": "HardAttention", **LOCAL}
"""All of them: classes of `attention_variants`. "soft" without biases is `source_attention.Attention`."""
COVERAGES = {"none": None, "linguistic": "LinguisticCoverage", "neural": "NeuralCoverage"}
"""The choices of --coverage-model: classes of `coverage`."""
READOUTS = {"plain": False, "attentional": True}
"""The choices of --readout: whether state and context become one vector, by an `attentional_readout`."""
FEEDS: dict[str, tuple[str, ...]] = {"context": ("context",), "attentional": ("attentional",), "nothing": ()}
"""The choices of --feed, what a step reads of the last `DecoderState` beside its word: c_{t-1} (Neubig 2017, Eq. 73);
h~_{t-1}, input feeding (Luong et al. 2015, section 3.3); nothing, as Luong et al. begin."""
ENCODERS = {"bidirectional": None, "forward": False, "reverse": True}
"""The choices of --encoder: two networks, or one, which reads the last word first or not (Luong et al. 2015)."""


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
    window: int = setting(3, "words on either side, for --attention local, local-m and --markov", minimum=1)
    readout: str = setting(
        "plain", "input of the softmax: [h_t; c_t], or one vector computed from both", choices=READOUTS
    )
    feed: str = setting("context", "what the decoder reads from the previous step, besides the word", choices=FEEDS)
    coverage_model: str = setting("none", "input of the score from past attention to a word", choices=COVERAGES)
    position_bias: bool = setting(False, "lower the scores of words far from the diagonal, by a learnt amount")
    markov: bool = setting(False, "add a learnt number to the scores for each jump from the previous step's place")
    fertility: float = setting(0.0, "penalty weight for attention away from a source word's expected total", minimum=0)
    symmetry: float = setting(0.0, "also train the other direction; weight of the reward for agreement", minimum=0)
    supervised: float = setting(0.0, "penalty weight for attention away from the true links, or Model 1's", minimum=0)
    encoder: str = setting("bidirectional", "in which direction the source is read", choices=ENCODERS)
    cell: str = setting("lstm", "the kind of recurrent cell", choices=CELLS)
    layers: int = setting(1, "recurrent layers of the decoder, and of each direction of the encoder", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and decoder states; half of it for each direction", minimum=2)
    softmax: str = setting(
        "tied", "matrix of the output layer: a product with the embedding, or a separate one", choices=TIED
    )

    def footprint(self, source_words: int, words: int) -> Footprint:
        """What the model takes, each word of either side, and each pair of them; with --symmetry both models."""
        forward = self.of_one_direction(source_words, words)
        if not self.symmetry:
            return forward
        backward = self.of_one_direction(words, source_words)
        return forward._replace(
            parameters=forward.parameters + backward.parameters,
            word=forward.word + backward.source,
            source=forward.source + backward.word,
            pair=forward.pair + backward.pair,
        )

    def of_one_direction(self, source_words: int, words: int) -> Footprint:
        """The same of a single model."""
        H, layers = self.hidden_size, self.layers
        cell = cell_class(self.cell)
        weights, numbers = count_weights(cell, H, layers), count_numbers(cell, H, layers)
        matrices = 1 if TIED[self.softmax] else 3
        parameters = source_words * H + words * (matrices * H + 1) + 2 * weights + (11 + layers) * H * H
        pair = 2 * H * (self.score not in ("bilinear", "dot")) + 16
        source, lasting = numbers + 16 * H, 2 * H + 2
        if self.coverage_class:  # keys with their coverage, and what makes it
            from . import coverage

            numbers_each = getattr(coverage, self.coverage_class).numbers
            parameters, lasting = parameters + 8 * numbers_each * H, lasting + 4 * numbers_each
            pair += 3 * H + 24 * numbers_each
        return Footprint(parameters, words + numbers + 16 * H, source, pair, lasting, TRAINED.get(self.optimiser, READ))

    @property
    def coverage_class(self) -> Any:
        """The class of coverage.py that --coverage-model names."""
        return COVERAGES[self.coverage_model]

    @property
    def biased(self) -> bool:
        """Whether something is added to the scores of the attention."""
        return self.position_bias or self.markov or self.coverage_class is not None

    @property
    def varies(self) -> bool:
        """Whether the model has a part that is in a file of its own (`variants`)."""
        return self.biased or self.attention != "soft" or READOUTS[self.readout] or self.fertility > 0

    def describe(self) -> str:
        """The kind of attention in words, for the name of a model: different for all that have other parameters, but
        for the window of --markov."""
        parts = ["attention" if self.attention == "soft" else f"{self.attention} attention"]
        parts += [name for name in ("position_bias", "markov", "fertility") if getattr(self, name)]
        parts += [f"{self.coverage_model} coverage"] if self.coverage_model != "none" else []
        parts += [f"{self.readout} state"] if self.readout != "plain" else []
        parts += [f"{self.feed} fed"] if self.feed != "context" else []
        parts += [f"{self.encoder} encoder"] if self.encoder != "bidirectional" else []
        return " + ".join(parts).replace("_", " ") + f", {self.score}"

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved, and for kinds of attention that exclude each other."""
        super().__post_init__()
        if self.hidden_size % 2 and self.encoder == "bidirectional":
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; each direction of the encoder gets half")
        windowed = self.attention in LOCAL
        if windowed and (self.position_bias or self.markov):
            place = f"--attention {self.attention} chooses its own place"
            raise UserError(f"{place}; leave --position-bias and --markov out")
        if self.attention != "soft" and self.supervised:
            raise UserError(f"--supervised: needs weights on all words; leave --attention {self.attention} out")
        if self.window != type(self).window and not (self.markov or windowed):
            raise UserError(
                f"--window {self.window}: only --attention local, local-m and --markov have a window; leave it out"
            )
        if "attentional" in FEEDS[self.feed] and not READOUTS[self.readout]:
            raise UserError(f"--feed {self.feed}: there is no attentional state to feed; add --readout attentional")
        if self.coverage_model != "none" and self.score != "mlp":
            raise UserError(f"--coverage-model {self.coverage_model}: only for the mlp score; leave --score out")
        if self.subwords and (self.symmetry or self.supervised):
            raise UserError("--symmetry and --supervised compare words with words; leave --subwords out")


LUONG = {
    "encoder": "reverse",
    "score": "bilinear",
    "attention": "local",
    "window": 10,
    "readout": "attentional",
    "feed": "attentional",
    "softmax": "untied",
}
"""The best single model of Luong et al. 2015, but for its size: four layers of 1,000 cells."""

PRESETS = {
    "quick": {},
    "luong": LUONG,
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "dropout": 0.4,
        "batch_size": 64,
        "learning_rate": 0.003,
        "epochs": 10,
    },
}
