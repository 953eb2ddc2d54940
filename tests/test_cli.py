"""Settings: a flag beats the preset, the preset beats the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import pytest

from common.errors import UserError
from common.training.cli import CommonSettings, as_flag, parse_settings, setting
from common.training.presets import describe


@dataclass(frozen=True)
class Settings(CommonSettings):
    hidden_size: int = setting(8, "size of the states", minimum=1)
    dropout: float = setting(0.5, "share that is dropped", minimum=0, maximum=0.9)
    score: str = setting("single", "how to score", choices=("single", "none"))


PRESETS = {"quick": {}, "large": {"hidden_size": 100, "dropout": 0.1, "epochs": 40}, "odd": {"score": "double"}}


def parse(*flags: str) -> tuple[Settings, dict]:
    with patch("common.training.presets.presets_of", lambda chapter: PRESETS):
        return parse_settings(Settings, "a chapter", "A program.", list(flags))


def test_preset_beats_default_and_flag_beats_preset() -> None:
    settings, typed = parse()
    assert settings == Settings() and typed == {}
    settings, typed = parse("--preset", "large")
    assert (settings.hidden_size, settings.dropout, settings.epochs) == (100, 0.1, 40)
    assert settings.batch_size == Settings().batch_size
    assert typed == {"preset": "large"}
    default = str(Settings().hidden_size)  # given on purpose, although it is the default
    settings, typed = parse("--preset", "large", "--hidden-size", default, "--dropout", "0.2")
    assert (settings.hidden_size, settings.dropout, settings.epochs) == (8, 0.2, 40)
    assert typed == {"preset": "large", "hidden_size": 8, "dropout": 0.2}


def test_flags_have_the_types_of_the_fields() -> None:
    settings, typed = parse("--resume", "--dropout", "0", "--corpus", "7")
    assert settings.resume is True and settings.corpus == "7"
    assert isinstance(settings.dropout, float) and settings.dropout == 0
    assert typed["resume"] is True


def test_a_preset_is_checked_too() -> None:
    with pytest.raises(UserError, match="--score double: choose from single, none"):
        parse("--preset", "odd")
    with pytest.raises(UserError, match="choose from quick, large, odd"):
        parse("--preset", "small")


@pytest.mark.parametrize(
    "flags", [["--hidden"], ["--hid", "9"], ["--hidden-size", "9.5"], ["--score", "double"], ["x"]]
)
def test_refused_by_the_parser_in_one_line(flags: list[str], refuse_main: Callable[..., str]) -> None:
    assert "--help" in refuse_main(lambda: parse(*flags))


def test_settings_are_shown_as_one_types_them() -> None:
    assert as_flag("batch_size", 20) == "--batch-size 20" and as_flag("decay", 1 / 1.15) == "--decay 0.8696"
    assert as_flag("score", "none") == "--score none" and as_flag("from_", "exercises") == "--from exercises"
    names = {"resume": "--resume", "epochs": "--epochs"}
    assert describe("two", {"resume": True, "epochs": 5}, names).split() == ["two", "--resume", "--epochs", "5"]
