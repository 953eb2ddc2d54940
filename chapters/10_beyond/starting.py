"""The model that this chapter trains: a new one of chapter 7, 8 or 9, or that of a finished run.

A run keeps the chapter and the settings of its model in model/config.json, so that it needs the other run no more.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import write_json
from common.nn.parameters import DynetParameters
from common.programs.chapters import check_size, load_run, parts_of
from common.text.vocab import Vocabulary
from common.training.loop import START_BIASES
from common.training.runs import read_config, settings_of
from common.training.setup import Setup

MODELS = {"attention": "08_attention", "encoder-decoder": "07_encoder_decoder", "word-attention": "09_word_attention"}
"""The choices of --model, and the chapter that each is of."""
KEPT = "model"
"""The folder within a run that says what its model is."""


def begun_settings(settings: Any) -> tuple[str, Any]:
    """The chapter of the model that the settings begin with, and its settings there."""
    if settings.start_from and Path(settings.start_from, "config.json").exists():
        return kept_settings(Path(settings.start_from))
    chapter = MODELS[settings.model]
    module, _ = parts_of(Path(chapter), chapter)
    given = {field.name: getattr(settings, field.name, None) for field in dataclasses.fields(module.Settings)}
    return chapter, module.Settings(**{name: value for name, value in given.items() if value is not None})


def kept_settings(folder: Path) -> tuple[str, Any]:
    """The chapter of the model of a run, be it of this chapter or of another, and its settings there."""
    config = read_config(folder)
    if (folder / KEPT / "config.json").exists():
        config = read_config(folder / KEPT)
    chapter = str(config["chapter"])
    if chapter not in MODELS.values():
        raise UserError(f"{folder}: a run of {chapter}, whose models do not translate; give one of chapter 7 to 10")
    module, _ = parts_of(folder, chapter)
    return chapter, settings_of(config, module.Settings)


def begin_model(setup: Setup) -> Any:
    """The model as it is before the first epoch: with the numbers of the run that --start-from names, or new ones."""
    path = setup.folder / KEPT / "config.json"
    if not path.exists():
        chapter, settings = begun_settings(setup.settings)
        path.parent.mkdir(exist_ok=True)
        write_json(path, {"chapter": chapter, "settings": dataclasses.asdict(settings)})
    chapter, settings = kept_settings(setup.folder)
    model, _ = parts_of(setup.folder, chapter)[1](setup.folder, settings)
    if setup.settings.start_from:
        trained, _ = load_run(Path(setup.settings.start_from))
        DynetParameters(model).set_arrays(DynetParameters(trained).arrays())
        return model
    bias = START_BIASES[setup.settings.bias](setup.data.train_targets, len(setup.vocab))
    if bias is not None:
        model.b_s.set_value(bias)
    return model


def of_run(folder: Path, settings: Any) -> tuple[Any, DynetParameters]:
    """The model of the run in `folder` before training, and its parameters."""
    chapter, inner = kept_settings(folder)
    check_size(folder, inner)
    return parts_of(folder, chapter)[1](folder, inner)


def check_words(settings: Any, data: Any) -> None:
    """Raises `UserError` where the run that --start-from names reads or writes other words than the data has."""
    if not settings.start_from:
        return
    folder = Path(settings.start_from)
    kept_settings(folder)
    for name, vocab in data.vocabularies.items():
        if Vocabulary.load(folder / f"{name}.txt").words != vocab.words:
            raise UserError(
                f"--start-from {folder}: its model knows other words than {data.corpus.name} has; "
                "give --corpus, --subwords and --min-count as that run had them"
            )
