"""Small models with word attention for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence

from chapters.word_attention.model import WordAttentionModel
from chapters.word_attention.settings import Settings as Settings
from common.text.vocab import Vocabulary
from tests import encoder_reference as encoder, rnn_reference as rnn, word_attention_reference as reference
from tests.attention_models import SOURCE_WORDS, WORDS, NumpyModel, named
from tests.small_models import parameters_of

CHAPTER = "09_word_attention"

VARIANTS = ("rnnsearch", "word", "gates")
QUERIES = ("state", "word")
OUTPUT_CONTEXTS = ("gated", "plain")
H = 4


def make_model(variant: str = "gates", seed: int = 5, scale: float = 0.8, **options):
    """A model of two layers whose parameters are random numbers; `scale` 0 leaves them as they start."""
    settings = {"hidden_size": H, "dropout": 0.0, "layers": 2, "variant": variant} | options
    model = WordAttentionModel(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    if scale:
        rnn.randomise(parameters_of(model), scale, seed)
    return model


class Twin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, model, cell: str = "lstm"):
        self.reading = reference.Reading(model.query, model.output_contexts, model.gate_scale)
        self.cell, self.residual = cell, any(model.encoder.forward.stack.residual)
        self.parameters = named(model)
        self.weights = rnn.weights_of(self.parameters)

    def read(self, source: Sequence[int]) -> tuple[list, list, list]:
        """The annotations and the embeddings of the source words, and the first state of each layer."""
        annotations, start = encoder.annotate(self.weights, "bidirectional", self.cell, source, self.residual)
        return annotations, [self.weights["source_embedding"][word] for word in source], start

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        return reference.decode(self.weights, self.cell, self.reading, *self.read(source), inputs)
