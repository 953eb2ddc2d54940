"""Small models of ABS and RAS for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from chapters.word_attention.settings import Settings
from common.text.vocab import Vocabulary
from tests import rnn_reference as rnn, summariser_reference as reference
from tests.attention_models import SOURCE_WORDS, WORDS, NumpyModel, named
from tests.small_models import parameters_of

CHAPTER = "09_word_attention"

CASES: dict[str, dict[str, Any]] = {
    "abs": {"system": "abs", "context": 3, "smooth": 1},
    "abs, one word, unsmoothed": {"system": "abs", "context": 1, "smooth": 0},
    "abs, two layers": {"system": "abs", "context": 2, "smooth": 2, "layers": 2},
    "bag of words": {"system": "abs", "context": 2, "encoder": "bag-of-words"},
    "ras-elman": {"system": "ras-elman", "width": 3, "positions": 4},
    "ras-elman, mean of words": {"system": "ras-elman", "width": 5, "mean_of": "words"},
    "ras-elman, single words": {"system": "ras-elman", "width": 1},
    "ras-lstm": {"system": "ras-lstm", "width": 3, "positions": 4},
}
"""Settings by what the model is."""
H = 4


def make_model(case: str, seed: int = 5, scale: float = 0.8, **options: Any) -> Any:
    """The model of a case whose parameters are random numbers; `scale` 0 leaves them as they start."""
    settings = {"hidden_size": H, "dropout": 0.0} | CASES[case] | options
    model = Settings(system=settings["system"]).model_class(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    if scale:
        rnn.randomise(parameters_of(model), scale, seed)
    return model


class Twin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, case: str, model: Any):
        settings = Settings(**CASES[case])
        self.parameters = named(model)
        if settings.system == "abs":
            length, smooth = settings.context, settings.smooth
            self.run = partial(reference.abs_steps, settings.encoder, length=length, smooth=smooth)
        else:
            self.run = partial(reference.ras_steps, model.kind, width=settings.width, mean_of=settings.mean_of)
        self.weights = rnn.weights_of(self.parameters)

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What is computed after each of the inputs, the source being read."""
        return self.run(self.weights, source, inputs)
