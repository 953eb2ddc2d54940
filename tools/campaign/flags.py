"""The flags of a program, read from its own parser, and drawn at random: mostly sensible, sometimes invalid."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError

from .forks import Child

INVALID = ("", " ", "a b", "\n", "--", "x" * 300, *"-1 0 -0.5 1e400 nan inf".split())
INVALID += ("9999999999999999999999999", *"1.5 x ü ../..".split())
INVALID_NUMBERS = ("", *"-1 0 9999999999999999999999999 -9999999999999999999999 nan inf -inf 1e300".split())
INVALID_NUMBERS += tuple("1e-300 1.5 x 0x10".split())
INVALID_PATHS = ("", "a\nb", *"nowhere texts texts/train.txt /dev/null empty runs . noise.bin ü/ä".split())
NUMBERS = {int: ("1", "2", "3", "5"), float: ("0.1", "0.5", "1", "2")}


class Flag(NamedTuple):
    """A flag or a positional argument. options: how it is written, nothing where it is positional."""

    name: str
    options: Sequence[str]
    kind: str
    choices: Sequence[str]
    most: int
    required: bool


class Seen(BaseException):
    """Raised in place of parsing."""


def read_flags(work: Callable[[], object], folder: Path) -> dict:
    """What the parser of a program takes, as `describe` has it. work: what runs the program.

    Raises `UserError` where it has no parser.
    """

    def look() -> None:
        def see(parser: argparse.ArgumentParser, *rest: object) -> None:
            (folder / "flags.json").write_text(json.dumps(describe(parser)), encoding="utf-8")
            raise Seen

        argparse.ArgumentParser.parse_args = see
        work()

    outcome = Child(look, folder).wait()
    try:
        return json.loads((folder / "flags.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{folder.name}: no parser was seen: {outcome.err.strip()[-200:]}") from None


def describe(parser: argparse.ArgumentParser) -> dict:
    """A parser as JSON: `Flag`s, and the commands with theirs."""
    flags, commands = [], {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            commands = {name: describe(command) for name, command in action.choices.items()}
            continue
        takes_none = action.nargs == 0
        kind = "switch" if takes_none else getattr(action.type, "__name__", "str")
        most = 3 if action.nargs in ("+", "*") else action.nargs if isinstance(action.nargs, int) else 1
        choices = [str(choice) for choice in action.choices or ()]
        flags.append([action.dest, list(action.option_strings), kind, choices, most, required(action)])
    return {"flags": flags, "commands": commands}


def required(action: argparse.Action) -> bool:
    return action.required or (not action.option_strings and action.nargs not in ("?", "*"))


def draw(
    parser: dict,
    rng: random.Random,
    sensible: Mapping[str, Sequence[str]],
    fixed: Sequence[str],
    never: set[str],
    wrong: float = 0.25,
) -> list[str]:
    """A command line for a parser as `describe` has it.

    sensible: values for flags by name. fixed: what is given first, so that what is drawn beats it. never: flags and
    commands that are not drawn. wrong: the share of values that make no sense.
    """
    flags, commands = [Flag(*flag) for flag in parser["flags"]], parser["commands"]
    arguments = [] if commands else list(fixed)
    for flag in flags:
        if flag.name in never or flag.name == "help":
            continue
        often = 0.97 if flag.required else 0.6 if not flag.options else min(0.5, 3 / len(flags))
        if rng.random() < often:
            number = rng.randint(1, flag.most) if flag.kind != "switch" else 0
            arguments += [*flag.options[-1:], *(draw_value(flag, rng, sensible, wrong) for _ in range(number))]
    names = sorted(commands.keys() - never)
    if names and rng.random() < 0.95:
        name = rng.choice(names)
        arguments += [name, *draw(commands[name], rng, sensible, fixed, never, wrong)]
    if rng.random() < wrong / 8:
        arguments.insert(rng.randint(0, len(arguments)), rng.choice(("--help", "--nonsense", "-x", "--", *INVALID)))
    return arguments


def draw_value(flag: Flag, rng: random.Random, sensible: Mapping[str, Sequence[str]], wrong: float) -> str:
    """A value of a flag."""
    number = {"int": int, "float": float}.get(flag.kind)
    good = flag.choices or sensible.get(flag.name) or NUMBERS.get(number) or INVALID_PATHS
    if rng.random() >= wrong:
        return rng.choice(good)
    return rng.choice(INVALID_NUMBERS if number else INVALID if rng.random() < 0.5 else INVALID_PATHS)
