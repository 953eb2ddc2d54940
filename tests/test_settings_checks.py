"""Settings are checked wherever they are made: on the command line, in Python, in the config of a run."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.programs.chapters import load_run
from common.training.cli import MAX_VALUES, MOST, parse_settings
from common.training.past_runs import settings_of as settings_from_run
from common.training.presets import presets_of
from tests.test_choices import NAMES, of_chapter, settings_of

BAD = [
    (6, {"hidden_size": "64"}, "--hidden-size 64: must be a whole number"),
    (6, {"hidden_size": 6.5}, "--hidden-size 6.5: must be a whole number"),
    (6, {"layers": True}, "--layers True: must be a whole number"),
    (6, {"forget_bias": math.nan}, "--forget-bias nan: must be a finite number"),
    (6, {"score": "cosine"}, "--score cosine: choose from single, combined, none"),
    (6, {"corpus": 3}, "--corpus 3: must be text"),
    (6, {"resume": "yes"}, "--resume yes: must be true or false"),
    (6, {"epsilon": 0.0}, "--epsilon 0: must be at least"),
    (1, {"smoothing": "maximum-likelihood"}, "choose from all"),
]


@pytest.mark.parametrize("number, old, new", [(6, "merge", "merge_init"), (7, "kept", "kmax")])
def test_an_earlier_name_is_still_read(number: int, old: str, new: str) -> None:
    """On the command line and in the config of an old run."""
    module = of_chapter(number, "settings")
    (field,) = (field for field in dataclasses.fields(module.Settings) if field.name == new)
    value = 2 if number == 7 else "uniform"
    more = {"encoder": "cnn", "pooling": "kmax"} if number == 7 else {}
    flags = [text for name, text in more.items() for text in (f"--{name}", text)]
    settings, typed = parse_settings(module.Settings, module.CHAPTER, "", [*flags, f"--{old}", str(value)])
    assert getattr(settings, new) == typed[new] == value != field.default
    assert settings_from_run({"settings": {**more, old: value}}, module.Settings) == settings


@pytest.mark.parametrize("number, options, message", BAD)
def test_python_is_checked(number: int, options: dict, message: str) -> None:
    with pytest.raises(UserError) as caught:
        settings_of(number, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_every_size_has_an_upper_bound_and_presets_are_good(name: str) -> None:
    module = chapter_module(name, "settings")
    for preset in presets_of(name).values():
        module.Settings(**preset)
    settings = module.Settings()
    for field in dataclasses.fields(settings):
        if isinstance(field.default, int) and not isinstance(field.default, bool):
            most = MAX_VALUES.get(field.name, MOST) if field.metadata["maximum"] is None else field.metadata["maximum"]
            with pytest.raises(UserError, match="must be at most"):
                dataclasses.replace(settings, **{field.name: int(most) + 1})


def test_the_config_of_a_run_is_checked(tmp_path: Path) -> None:
    settings = dataclasses.asdict(settings_of(6)) | {"hidden_size": "64"}
    (tmp_path / "config.json").write_text(json.dumps({"chapter": NAMES[5], "settings": settings}), "utf-8")
    with pytest.raises(UserError) as caught:
        load_run(tmp_path)
    assert str(caught.value) == f"{tmp_path / 'config.json'}: --hidden-size 64: must be a whole number"


@pytest.mark.parametrize("chapter", ["../data", "03_neural_networks", "10_none"])
def test_a_run_of_no_such_chapter(tmp_path: Path, chapter: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"chapter": chapter, "settings": {}}), "utf-8")
    with pytest.raises(UserError, match="not a chapter whose models can be loaded"):
        load_run(tmp_path)


def test_a_value_with_a_line_break_stays_on_one_line() -> None:
    with pytest.raises(UserError) as caught:
        settings_of(6, score="a\nb")
    assert len(str(caught.value).splitlines()) == 1
