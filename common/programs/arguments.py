"""The flags that programs share which use trained models."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from common import memory
from common.errors import UserError
from common.training.cli import MAX_VALUES, as_flag


def check_most(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for the first flag of a program that is larger than makes sense (`MAX_VALUES`) or no number.

    Puts --memory into force.
    """
    for name, given in vars(arguments).items():
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, float) and not math.isfinite(value):
                raise UserError(f"{as_flag(name, value)}: must be a finite number")
            if name in MAX_VALUES and isinstance(value, (int, float)) and value > MAX_VALUES[name]:
                raise UserError(f"{as_flag(name, value)}: must be at most {MAX_VALUES[name]}")
    gigabytes = getattr(arguments, "memory", 0.0)
    if gigabytes < 0:
        raise UserError(f"{as_flag('memory', gigabytes)}: cannot be negative")
    memory.set_limit(gigabytes)


def device_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --device and --memory to a program that uses trained models."""
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where to compute (default: cpu)")
    parser.add_argument("--memory", type=memory.read_size, default=0.0, metavar="GB", help=memory.HELP)


def run_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--run DIR`, the trained model that a program uses."""
    parser.add_argument("--run", metavar="DIR", type=Path, help="folder of a run (default: this chapter's latest)")


def names_of(folders: Sequence[Path]) -> list[str]:
    """A name for each run: that of its folder where no other one has it, else the whole path.

    Raises `UserError` for a run that is given twice.
    """
    places = [folder.resolve() for folder in folders]
    if len(set(places)) < len(places):
        raise UserError("--run: the same run is there twice")
    short = [place.name for place in places]
    return [name if short.count(name) == 1 else str(place) for name, place in zip(short, places, strict=True)]
