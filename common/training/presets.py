"""Named sets of settings, those of a chapter's presets.py: only where one is chosen, or --help lists all."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from typing import Any

from common.chapters import chapter_module
from common.endings import did_you_mean
from common.errors import UserError


def presets_of(chapter: str) -> dict[str, dict[str, Any]]:
    """The settings of every preset of a chapter, by its name."""
    return chapter_module(chapter, "presets").PRESETS


def find_preset(chapter: str, name: str) -> dict[str, Any]:
    """The settings of a preset. Raises `UserError` where there is none of this name."""
    presets = presets_of(chapter)
    if name not in presets:
        raise UserError(
            f"--preset {name}: there is no such preset; choose from {', '.join(presets)}{did_you_mean(name, presets)}"
        )
    return presets[name]


def list_presets(chapter: str, parser: argparse.ArgumentParser) -> str:
    """Every preset as the flags that it stands for, for --help. parser: that of the flags."""
    flags = {action.dest: action.option_strings[0] for action in parser._actions}
    return "presets:\n" + "\n".join(describe(name, preset, flags) for name, preset in presets_of(chapter).items())


def describe(name: str, preset: Mapping[str, Any], flags: Mapping[str, str]) -> str:
    """A preset as one would type it. flags: of each setting."""
    values = {setting: f"{value:.4g}" if isinstance(value, float) else str(value) for setting, value in preset.items()}
    words = [flags[setting] if preset[setting] is True else f"{flags[setting]} {values[setting]}" for setting in preset]
    text = " ".join(words) or "the defaults"
    return textwrap.fill(text, 100, initial_indent=f"  {name:20}", subsequent_indent=" " * 22, break_on_hyphens=False)
