"""Small models with word attention for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence

from chapters.word_attention.model import WordAttentionModel
from chapters.word_attention.settings import Settings as Settings
from common.text.vocab import Vocabulary
from tests import (
    attention_reference,
    encoder_reference as encoder,
    rnn_reference as rnn,
    word_attention_reference as reference,
)
from tests.attention_models import SOURCE_WORDS, WORDS, NumpyModel, recurrent_parameters
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


def named_parameters(model, cell: str) -> dict:
    """Every parameter of the model: `part name`."""
    parameters = {
        "source E": model.source_embedding,
        "output target": model.embedding,
        "output W_g": model.W_g,
        "output b_g": model.b_g,
        "output b_s": model.b_s,
    }
    for number, (part, score) in enumerate(zip(("alpha", "beta"), model.scores, strict=False)):
        parameters |= {f"{part} {key}": getattr(score, key) for key in ("W_query", "W_source", "w")}
        parameters[f"decoder0 W_c{number}"] = model.decoder.W_c[number]
    if model.variant == "gates":
        parameters |= {"gate W_o": model.W_o, "gate U_o": model.U_o} | (
            {} if model.b_o is None else {"gate b_o": model.b_o}
        )
        parameters |= dict(zip(("gate C_alpha", "gate C_beta"), model.C_o, strict=True))
    return parameters | recurrent_parameters(model, cell)


class Twin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, model, cell: str = "lstm"):
        self.reading = reference.Reading(model.query, model.output_contexts, model.gate_scale)
        self.cell, self.layers, self.residual = (
            cell,
            len(model.decoder.layers),
            any(model.encoder.forward.stack.residual),
        )
        self.parameters = named_parameters(model, cell)
        self.weights = rnn.weights_of(self.parameters)

    def read(self, source: Sequence[int]) -> tuple[list, list, list]:
        """The annotations and the embeddings of the source words, and the first state of each layer."""
        words = [self.part("source")["E"][word] for word in source]
        ahead, back = self.stack("ahead"), self.stack("back")
        size = len(words[0]) // 2
        annotations, ends = attention_reference.annotate(self.cell, ahead, back, words, size, self.residual)
        start = [encoder.bridge(self.cell, self.part("bridge"), layer, result) for layer, result in enumerate(ends)]
        return annotations, words, start

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        annotations, words, start = self.read(source)
        parts = {name: self.part(name) for name in ("alpha", "beta", "gate", "output") if self.part(name)}
        return reference.decode(
            self.cell, self.reading, parts, self.stack("decoder"), annotations, words, start, inputs
        )
