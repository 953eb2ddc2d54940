"""Settings of a program: one frozen dataclass, from which the command-line flags are made."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import sys
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

from common.errors import OneLineParser, UserError, process_limit

S = TypeVar("S", bound=Any)
KINDS: dict[Any, tuple[Any, str, str]] = {
    int: (Integral, "a whole number", "N"),
    float: (Real, "a number", "X"),
    str: (str, "text", "NAME"),
    bool: (bool, "true or false", ""),
}
"""What a setting of each type has to be, how to say so, and what --help calls its value."""
MOST = 1_000_000
"""The largest value of a setting that makes sense: far above what anyone needs, far below what fills the memory or the
year. `MAX_VALUES` has others, and a setting may have one of its own."""
MAX_VALUES: dict[str, float] = {
    **dict.fromkeys(("hidden_size", "embedding_size", "bptt", "max_length"), 100_000),
    **dict.fromkeys(("layers", "window", "width", "kmax"), 1_000),
    **dict.fromkeys(("order", "character_order", "skip"), 100),
    **{"init_scale": 100.0, "epsilon": 1.0, "threads": 1_024, "seed": 2**32 - 1},
}
SIZELESS = ("run_dir", "resume", "seed", "epochs", "unk")
"""Settings that do not change what a batch takes of the memory."""
MEMORY_HELP = "most memory to use, in GB or as 500MB; larger batches are divided; 0: three quarters of the machine's"


def setting(
    default: Any,
    help: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Collection[Any] = (),
    alias: str = "",
    reader: Callable[[str], Any] | None = None,
) -> Any:
    """A field of a settings dataclass, with the line that --help shows and the values that make sense.

    alias: an earlier name of the setting, which the command line and the config of an old run may still use.
    reader: what makes a value of the text on the command line; else the type does.
    """
    facts = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices, "alias": alias, "reader": reader}
    return dataclasses.field(default=default, metadata=facts)


def read_memory(text: str) -> float:
    """What stands behind --memory, in gigabytes."""
    from common.memory_limit import read_size

    return read_size(text)


class CheckedSettings:
    """Settings that are checked wherever they are made: on the command line, in Python, from the config of a run."""

    def __post_init__(self) -> None:
        """A chapter that has more to check calls this first."""
        check_ranges(self)


@dataclasses.dataclass(frozen=True)
class ProgramSettings(CheckedSettings):
    """The flags that every training program has."""

    preset: str = setting("quick", "a named set of settings; single flags override it")
    device: str = setting("cpu", "where to compute", choices=("cpu", "gpu"))
    threads: int = setting(0, "threads, for a DyNet with threads (make dynet-mkl); 0: one per core", minimum=0)
    memory: float = setting(0.0, MEMORY_HELP, minimum=0, reader=read_memory)
    seed: int = setting(1, "seed of all random numbers", minimum=1, maximum=2**32 - 1)
    epochs: int = setting(10, "passes over the training split", minimum=1)
    batch_size: int = setting(32, "sentences in a minibatch", minimum=1)
    run_dir: str = setting("", "folder to write to (default: a new one under runs/)")
    resume: bool = setting(False, "continue the interrupted run in --run-dir, or this chapter's latest")

    @property
    def has_default_sizes(self) -> bool:
        """Whether the run is no larger than its chapter's default, on the same corpus, and the memory not limited."""
        for field in dataclasses.fields(self):
            value, default = getattr(self, field.name), field.default
            smaller = type(value) in (int, float) and value < default
            if value != default and not smaller and field.name not in SIZELESS:
                return False
        return process_limit() == math.inf


@dataclasses.dataclass(frozen=True)
class CommonSettings(ProgramSettings):
    """The flags of every program that trains on a text."""

    corpus: str = setting("village", "an embedded or installed corpus, or a folder with train.txt, dev.txt, test.txt")
    from_: str = setting("", "train with your own solutions from this folder: --from exercises")


def make_parser(description: str, settings_class: type) -> OneLineParser:
    """A parser with one flag a field of `settings_class`. Flags that are not given leave no trace."""
    parser = OneLineParser(
        description=description,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    types = types_of(settings_class)
    for field in dataclasses.fields(settings_class):
        facts, kind = field.metadata, types[field.name]
        flags = [flag_of(name) for name in (field.name, facts["alias"]) if name]
        if kind is bool:
            parser.add_argument(*flags, dest=field.name, action="store_true", help=facts["help"])
            continue
        default = "" if field.default == "" else f" (default: {field.default})"
        options = {"choices": facts["choices"]} if facts["choices"] else {"metavar": KINDS[kind][2]}
        options |= {"type": facts["reader"] or kind, "help": facts["help"] + default}
        parser.add_argument(*flags, dest=field.name, **options)
    return parser


def parse_settings(
    settings_class: type[S], chapter: str, description: str, argv: Sequence[str] | None = None
) -> tuple[S, dict[str, Any]]:
    """The settings from the command line, and the flags that were given. A flag beats the preset, the preset beats the
    default. Raises `UserError` for an unknown preset or a value out of range. chapter: the one whose presets can be
    chosen; they are loaded where one is, or all are listed, and "quick" is the defaults."""
    arguments = sys.argv[1:] if argv is None else argv
    parser = make_parser(description, settings_class)
    if {"-h", "--help"} & {*arguments}:
        from common.training.presets import list_presets

        parser.epilog = list_presets(chapter, parser)
    flags = vars(parser.parse_args(arguments))
    preset: Mapping[str, Any] = {}
    if flags.get("preset", "quick") != "quick":
        from common.training.presets import find_preset

        preset = find_preset(chapter, flags["preset"])
    return settings_class(**{**preset, **flags}), flags


def flag_of(name: str) -> str:
    """The flag of a setting. A name that Python keeps for itself has an underscore behind it: from_ is --from."""
    return "--" + name.rstrip("_").replace("_", "-")


def as_flag(name: str, value: Any) -> str:
    """A setting as one would type it, on one line."""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{flag_of(name)} {text if text.isprintable() else repr(text)}"


@functools.cache
def types_of(settings_class: type) -> dict[str, Any]:
    """The type of every field."""
    return typing.get_type_hints(settings_class)


def check_ranges(settings: Any) -> None:
    """Raises `UserError` for the first field of a wrong type, out of its range, or not one of its choices."""
    types = types_of(settings.__class__)
    for field in dataclasses.fields(settings):
        value, facts, problem = getattr(settings, field.name), field.metadata, ""
        kind, description, _ = KINDS[types[field.name]]
        most = MAX_VALUES.get(field.name, MOST) if facts["maximum"] is None else facts["maximum"]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            problem = f"must be {description}"
        elif isinstance(value, float) and not math.isfinite(value):
            problem = "must be a finite number"
        elif facts["minimum"] is not None and value < facts["minimum"]:
            problem = f"must be at least {facts['minimum']}"
        elif kind in (Integral, Real) and value > most:
            problem = f"must be at most {most}"
        elif facts["choices"] and value not in facts["choices"]:
            problem = f"choose from {', '.join(facts['choices'])}"
        if problem:
            raise UserError(f"{as_flag(field.name, value)}: {problem}")
