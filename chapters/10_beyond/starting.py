"""The model that this chapter trains: a new one of chapter 7, 8 or 9, or that of a finished run.

A run keeps what another run's model was in model.json, so that it needs the other run no more once it has finished.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import write_json
from common.nn.parameters import DynetParameters
from common.programs.chapters import check_size, load_run, parts_of
from common.reading import read_json, reading
from common.text.vocab import Vocabulary
from common.training.loading import load_parameters
from common.training.past_runs import read_config, settings_of
from common.training.setup import Setup
from common.training.start_bias import START_BIASES

from .output_parts import PartSettings
from .rare_words import add_parts

MODELS = {"attention": "08_attention", "encoder-decoder": "07_encoder_decoder", "word-attention": "09_word_attention"}
"""The choices of --model, and the chapter that each is of."""
KEPT = "model.json"
"""The file of a run that says what its model is, where that came from another run."""
BROKEN = "not readable; the run is broken, train again"


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
    chapter, path = str(config["chapter"]), folder / KEPT
    module, _ = parts_of(folder, chapter)
    settings = settings_of(config, module.Settings)
    if path.exists():
        with reading(path, BROKEN, BROKEN):
            config = {**read_json(path), "path": str(path)}
            chapter, config["settings"] = str(config["chapter"]), dict(config["settings"])
    elif hasattr(settings, "start_from"):
        return begun_settings(settings)
    if chapter not in MODELS.values():
        raise UserError(f"{folder}: a run of {chapter}, whose models do not translate; give one of chapter 7 to 10")
    module, _ = parts_of(folder, chapter)
    return chapter, settings_of(config, module.Settings)


def begun_parts(settings: Any) -> PartSettings:
    """What the model that the settings begin with has beside its network."""
    if settings.start_from and Path(settings.start_from, "config.json").exists():
        return kept_parts(Path(settings.start_from))
    return settings


def kept_parts(folder: Path) -> PartSettings:
    """What the model of a run, be it of this chapter or of another, has beside its network."""
    config = read_config(folder)
    given, path = config["settings"], folder / KEPT
    if path.exists():
        with reading(path, BROKEN, BROKEN):
            given = dict(read_json(path).get("parts", {}))
            config["path"] = str(path)
    names = {field.name for field in dataclasses.fields(PartSettings)} & given.keys()
    return settings_of({**config, "settings": {name: given[name] for name in names}}, PartSettings)


def begin_model(setup: Setup) -> Any:
    """The model before the first epoch, with the numbers of the run that --start-from names, or new ones."""
    folder, settings = setup.folder, setup.settings
    if settings.start_from:
        if not (folder / KEPT).exists():
            chapter, inner = begun_settings(settings)
            parts = dataclasses.asdict(kept_parts(Path(settings.start_from)))
            write_json(folder / KEPT, {"chapter": chapter, "settings": dataclasses.asdict(inner), "parts": parts})
        model, parameters = make(folder)
        load_parameters(Path(settings.start_from, "model.npz"), parameters, model.name)
        return model
    model, _ = make(folder)
    bias = START_BIASES[settings.bias](setup.data.train_targets, len(setup.vocab))
    if bias is not None:
        model.b_s.set_value(bias)
    return model


def make(folder: Path) -> tuple[Any, DynetParameters]:
    """The model of the run in `folder` before training, and its parameters."""
    chapter, settings = kept_settings(folder)
    network, parameters = parts_of(folder, chapter)[1](folder, settings)
    parts = kept_parts(folder)
    if not parts.any_parts:
        return network, parameters
    model = add_parts(network, parts, folder, settings)
    return model, DynetParameters(model)


def of_run(folder: Path, settings: Any) -> tuple[Any, DynetParameters]:
    """The model of the finished run in `folder`, without its numbers, and its parameters."""
    check_size(folder, kept_settings(folder)[1])
    return make(folder)


def check_start(settings: Any, data: Any) -> None:
    """Raises `UserError` where the run that --start-from names has no model that can be read, or one that reads or
    writes other words than the data has."""
    if not settings.start_from:
        return
    folder = Path(settings.start_from)
    kept_settings(folder)
    load_run(folder)
    for name, vocab in data.vocabularies.items():
        if Vocabulary.load(folder / f"{name}.txt").words != vocab.words:
            raise UserError(
                f"--start-from {folder}: its model knows other words than {data.corpus.name} has; "
                "give --corpus, --subwords and --min-count as that run had them"
            )
