"""The model of a finished run, of this chapter or another: for --start-from, and for the programs that use one.

A run keeps what another run's model was in model.json, so that it needs the other run no more once it has finished.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import read_json, reading, write_json
from common.nn.parameters import DynetParameters
from common.programs.chapters import check_size, load_run, settings_class
from common.text.vocab import Vocabulary
from common.training.loading import load_parameters
from common.training.past_runs import read_config, settings_of

from .networks import MODELS, PartSettings, make, new_network

MODEL_FILE = "model.json"
"""The file of a run that says what its model is, where that came from another run."""
BROKEN = "not readable; the run is broken, train again"


def network_of(settings: Any) -> tuple[str, Any, PartSettings]:
    """As `new_network`, of the run that these settings start from, where its folder is still there."""
    if settings.start_from and Path(settings.start_from, "config.json").exists():
        return past_settings(Path(settings.start_from))
    return new_network(settings)


def past_settings(folder: Path) -> tuple[str, Any, PartSettings]:
    """Of the model of a run: its chapter, its settings there, and what it has beside its network."""
    config = read_config(folder)
    chapter, path = str(config["chapter"]), folder / MODEL_FILE
    settings = settings_of(config, settings_class(folder, chapter))
    parts = config["settings"]
    if path.exists():
        with reading(path, BROKEN, BROKEN):
            config = {**read_json(path), "path": str(path)}
            chapter, config["settings"] = str(config["chapter"]), dict(config["settings"])
            parts = dict(config.get("parts", {}))
    elif hasattr(settings, "start_from"):
        return network_of(settings)
    if chapter not in MODELS.values():
        raise UserError(f"{folder}: a run of {chapter}, whose models do not translate; give one of chapter 7 to 10")
    names = {field.name for field in dataclasses.fields(PartSettings)} & parts.keys()
    parts = settings_of({**config, "settings": {name: parts[name] for name in names}}, PartSettings)
    return chapter, settings_of(config, settings_class(folder, chapter)), parts


def continue_model(folder: Path, settings: Any) -> Any:
    """The model of the run that --start-from names, with its numbers, for the run in `folder`."""
    if not (folder / MODEL_FILE).exists():
        chapter, *both = network_of(settings)
        inner, parts = map(dataclasses.asdict, both)
        write_json(folder / MODEL_FILE, {"chapter": chapter, "settings": inner, "parts": parts})
    model, parameters = make(folder, *past_settings(folder))
    load_parameters(Path(settings.start_from, "model.npz"), parameters, model.name)
    return model


def of_run(folder: Path, settings: Any) -> tuple[Any, DynetParameters]:
    """The model of the finished run in `folder`, without its numbers, and its parameters."""
    if not settings.start_from and not (folder / MODEL_FILE).exists():
        return make(folder, *settings.network)
    chapter, inner, parts = past_settings(folder)
    check_size(folder, inner)
    return make(folder, chapter, inner, parts)


def check_start(settings: Any, data: Any) -> None:
    """Raises `UserError` where the run that --start-from names has no model that can be read, or one that reads or
    writes other words than the data has."""
    folder = Path(settings.start_from)
    past_settings(folder)
    load_run(folder)
    for name, vocab in data.vocabularies.items():
        if Vocabulary.load(folder / f"{name}.txt").words != vocab.words:
            raise UserError(
                f"--start-from {folder}: its model has another vocabulary than {data.corpus.name}; "
                "give --corpus, --subwords and --min-count as that run had them"
            )
