"""What programs share which use trained models: flags, and sentences as their input."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from common.errors import UserError
from common.memory import AT_ONCE, set_limit
from common.text.corpus import Sentence, stream_file, stream_sentences
from common.training import cli
from common.training.cli import MEMORY_HELP, MOST, as_flag, read_memory

MAX_VALUES: dict[str, float] = {
    **cli.MAX_VALUES,
    **dict.fromkeys(("sizes", "students", "factors"), 100_000),
    **dict.fromkeys(("beam", "beams", "nbest", "sample", "alignment_head", "pictures", "max_length_ratio"), 1_000),
    **dict.fromkeys(("sentences", "words", "seconds", "resamples"), 10_000_000),
    **dict.fromkeys(("seeds", "batches", "rounds", "first", "steps", "iterations", "jobs", "max_words"), 10_000),
    "orders": 100,
}
"""As that of the settings of training, with the flags of all other programs."""


def check_most(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for the first flag of a program that is larger than makes sense (`MAX_VALUES`) or no number.

    Puts --memory into force.
    """
    for name, argument in vars(arguments).items():
        for value in argument if isinstance(argument, list) else [argument]:
            if isinstance(value, float) and not math.isfinite(value):
                raise UserError(f"{as_flag(name, value)}: must be a finite number")
            if isinstance(value, (int, float)) and value > (most := MAX_VALUES.get(name, MOST)):
                raise UserError(f"{as_flag(name, value)}: must be at most {most}")
    gigabytes = getattr(arguments, "memory", 0.0)
    if gigabytes < 0:
        raise UserError(f"{as_flag('memory', gigabytes)}: cannot be negative")
    set_limit(gigabytes)


def parse_arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The flags of a program that uses a trained model: its own, --run, --device and --memory; checked by
    `check_most`."""
    run_argument(parser)
    device_arguments(parser)
    arguments = parser.parse_args()
    check_most(arguments)
    return arguments


def device_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --device and --memory to a program that uses trained models."""
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where to compute (default: cpu)")
    parser.add_argument("--memory", type=read_memory, default=0.0, metavar="GB", help=MEMORY_HELP)


def run_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--run DIR`, the trained model that a program uses."""
    parser.add_argument("--run", metavar="DIR", type=Path, help="folder of a run (default: this chapter's latest)")


def names_of(folders: Sequence[Path]) -> list[str]:
    """A name for each run: that of its folder where no other one has it, else the whole path.

    Raises `UserError` for a run that is given twice.
    """
    places = [folder.resolve() for folder in folders]
    if len(set(places)) < len(places):
        raise UserError("--run: the same run is given twice")
    short = [place.name for place in places]
    return [name if short.count(name) == 1 else str(place) for name, place in zip(short, places, strict=True)]


def read_input(place: str) -> list[Sentence]:
    """All sentences of a file, or of standard input where `place` is "-"."""
    return list(stream_input(place))


def stream_input(place: str) -> Iterator[Sentence]:
    """The same one by one, as they are asked for. Raises `UserError` where there is none, or a bad one."""
    if place == "-":
        sentences, problem = stream_sentences(sys.stdin.buffer, "standard input"), "standard input is empty"
    else:
        sentences, problem = stream_file(place), f"{place}: the file is empty"
    first = next(sentences, None)
    if first is None:
        raise UserError(f"{problem}; it needs one sentence per line")
    yield first
    yield from sentences


def windows(
    sentences: Iterable[Sentence], most: int, cost: Callable[[Sentence], int] = lambda sentence: 0
) -> Iterator[list[Sentence]]:
    """The sentences in their order, at most so many at a time, and no more than fit if each has a cost in bytes."""
    window, bytes_taken = [], 0
    for sentence in sentences:
        if len(window) == most or window and bytes_taken + cost(sentence) > AT_ONCE:
            yield window
            window, bytes_taken = [], 0
        window.append(sentence)
        bytes_taken += cost(sentence)
    if window:
        yield window
