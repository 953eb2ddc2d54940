"""The networks that this chapter can train, those of chapters 7 to 9, and what a model has beside its network."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common.chapters import chapter_module, model_maker
from common.nn.parameters import DynetParameters
from common.training.cli import CheckedSettings, setting
from common.training.setup import Setup
from common.training.start_bias import START_BIASES

MODELS = {"attention": "08_attention", "encoder-decoder": "07_encoder_decoder", "word-attention": "09_word_attention"}
"""The choices of --model, and the chapter that each is of."""
LEXICONS = {"none": None, "bias": "lexicon_bias", "linear": "lexicon_mixture"}
"""The choices of --lexicon, what a lexicon does to the output: functions of `output_parts`."""


@dataclasses.dataclass(frozen=True)
class PartSettings(CheckedSettings):
    """The flags that say what a model has beside its network."""

    lexicon: str = setting("none", "how a lexicon learnt from the training pairs affects the output", choices=LEXICONS)
    lexicon_epsilon: float = setting(
        0.001, "--lexicon bias: the number added to a word's probability in the lexicon", minimum=1e-9, maximum=1e9
    )
    copying: bool = setting(False, "also copy source words into translations, guided by the attention")

    @property
    def any_parts(self) -> bool:
        """Whether the model has any."""
        return self.lexicon_part is not None or self.copying

    @property
    def lexicon_part(self) -> str | None:
        """The function of `output_parts` that --lexicon names."""
        return LEXICONS[self.lexicon]


def new_network(settings: Any) -> tuple[str, Any, PartSettings]:
    """Of a new model: its chapter, its settings there, and what it has beside its network."""
    chapter, names = MODELS[settings.model], [field.name for field in dataclasses.fields(PartSettings)]
    settings_class = chapter_module(chapter, "settings").Settings
    parts = PartSettings(**{name: getattr(settings, name) for name in names})
    values = {field.name: getattr(settings, field.name, None) for field in dataclasses.fields(settings_class)}
    return chapter, settings_class(**{name: value for name, value in values.items() if value is not None}), parts


def make(folder: Path, chapter: str, settings: Any, parts: PartSettings) -> tuple[Any, DynetParameters]:
    """A model with the vocabularies of the run in `folder`, before training, and its parameters.

    chapter, settings, parts: see `new_network`.
    """
    network, parameters = model_maker(chapter)(folder, settings)
    if not parts.any_parts:
        return network, parameters
    from .rare_words import add_parts

    model = add_parts(network, parts, folder, settings)
    return model, DynetParameters(model)


def new_model(setup: Setup) -> Any:
    """The model before the first epoch, where it is not that of another run."""
    model, _ = make(setup.folder, *setup.settings.network)
    bias = START_BIASES[setup.settings.bias](setup.data.train_targets, len(setup.vocab))
    if bias is not None:
        model.b_s.set_value(bias)
    return model
