"""The settings of chapter 8."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.nn.softmax import TIED
from common.nn.source_attention import SCORES
from common.nn.stacking import CELLS
from common.training.cli import setting
from common.training.pairs import TranslationSettings

CHAPTER = "08_attention"
LOCAL = {"local": "LocalAttention", "local-m": "MonotonicAttention"}
"""The choices of --attention that have a window of their own."""
ATTENTIONS = {"soft": "BiasedAttention", "hard": "HardAttention", **LOCAL}
"""All of them: classes of `attention_variants`. "soft" without biases is `source_attention.attention_weights` alone."""
COVERAGES = {"none": None, "linguistic": "LinguisticCoverage", "neural": "NeuralCoverage"}
"""The choices of --coverage-model: classes of `coverage`."""
READOUTS = {"plain": False, "attentional": True}
"""The choices of --readout: whether state and context become one vector, by `variants.AttentionalReadout`."""
FEEDS: dict[str, tuple[str, ...]] = {"context": ("context",), "attentional": ("attentional",), "nothing": ()}
"""The choices of --feed, what a step reads of the last `DecoderState` beside its word: c_{t-1} (Neubig 2017, Eq. 73);
h~_{t-1}, input feeding (Luong et al. 2015, section 3.3); nothing, as Luong et al. begin."""
PAST_SCORES = {"none": None, "single": "SingleScore", "combined": "CombinedScore"}
"""The choices of --past-score: classes of `common.nn.attention`, which chapter 6 attends to its past with."""
ENCODERS = {"bidirectional": None, "forward": False, "reverse": True}
"""The choices of --encoder: two networks, or one, which reads the last word first or not (Luong et al. 2015)."""
VARIED = (
    "attention",
    "window",
    "readout",
    "feed",
    "past_score",
    "coverage_model",
    "position_bias",
    "markov",
    "fertility",
    "symmetry",
    "supervised",
)
"""What a model of the default does without."""


@dataclass(frozen=True)
class Settings(TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about a minute on one core."""

    epochs: int = setting(5, "passes over the training split", minimum=1)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    score: str = setting("mlp", "the score of a source word, given the state of the decoder", choices=SCORES)
    attention: str = setting(
        "soft", "what a step reads: a mean of all source words, one word, or a window", choices=ATTENTIONS
    )
    window: int = setting(3, "words on either side, for --attention local, local-m and --markov", minimum=1)
    readout: str = setting(
        "plain", "input of the softmax: [h_t; c_t], or one vector computed from both", choices=READOUTS
    )
    feed: str = setting("context", "what the decoder reads from the previous step, besides the word", choices=FEEDS)
    past_score: str = setting(
        "none", "the score of the decoder's own earlier states, if it attends to them, too", choices=PAST_SCORES
    )
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

    @property
    def varied(self) -> list[str]:
        """The flags of variants that are not at their defaults: only with one, `choices` and `variants` are loaded."""
        return [name for name in VARIED if getattr(self, name) != getattr(type(self), name)]

    def describe(self) -> str:
        """The kind of attention in words, for the name of a model: different for all that have other parameters, but
        for the window of --markov."""
        kind = "attention"
        if self.varied:
            from .choices import describe

            kind = describe(self)
        encoder = "" if self.encoder == "bidirectional" else f" + {self.encoder} encoder"
        return f"{kind}{encoder}, {self.score}"

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved, and for kinds of attention that exclude each other."""
        super().__post_init__()
        if self.hidden_size % 2 and self.encoder == "bidirectional":
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; each direction of the encoder gets half")
        if self.varied:
            from .choices import check

            check(self)
