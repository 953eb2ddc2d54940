"""Any chapter's settings, each value with several seeds: a table and a picture.

    python -m tools.sweep chapters/06_attentive_lm --set hidden_size=64,128 --set score=combined,none --seeds 5

trains every combination with every seed, two runs at a time, or on a cluster with --scheduler, and writes a table and a
picture. All settings are checked before anything is trained. A run is in runs/sweeps/CHAPTER, in a folder that is
called after what differs from its preset: a finished one is kept, by whatever sweep it was trained, and an unfinished
one goes on. --finished trains nothing and reports on the runs that are there.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from common.errors import OneLineParser, UserError, did_you_mean, exits_cleanly
from common.executor import scheduler_argument
from common.programs.arguments import check_most
from common.programs.chapters import CHAPTERS
from common.training.cli import flag_of, parse_settings, types_of
from common.training.runs import CHANGEABLE, fingerprint, runs_root
from tools.sweep_report import write_report
from tools.trainings import Training, train_all

OWN = ("seed", "run_dir", "resume")
"""Settings that a sweep chooses itself."""
BOOLEANS = {"true": True, "false": False}


class Cell(NamedTuple):
    """A combination of values. values: by the name of the setting, as typed. flags: for train.py."""

    values: dict[str, str]
    settings: Any
    flags: tuple[str, ...]

    def training(self, chapter: str, preset: Mapping[str, Any], seed: int) -> Training:
        """Its run with this seed. preset: what it is called after differs from that."""
        usual = type(self.settings)(**preset)
        kept = dataclasses.asdict(dataclasses.replace(self.settings, seed=seed))
        changed = [
            f"{name}={value}"
            for name, value in kept.items()
            if name not in (*OWN, *CHANGEABLE) and value != getattr(usual, name)
        ]
        called = re.sub(r"[^\w=.,+-]+", "~", ",".join(changed) or "defaults")[:100]
        folder = runs_root() / "sweeps" / chapter / f"{called}-{fingerprint(kept)[:8]}-seed{seed}"
        about = f"{chapter}, {','.join(changed) or 'defaults'}, seed {seed}"
        return Training(about, chapter, folder.absolute(), (*self.flags, "--seed", str(seed)))


def find_chapter(place: str) -> str:
    """The name of a chapter, which may be given as its folder. Raises `UserError` where there is none."""
    name = Path(place).name
    names = sorted(path.parent.name for path in CHAPTERS.glob("*/settings.py"))
    if name not in names:
        raise UserError(f"{place}: no chapter with settings; there are {', '.join(names)}{did_you_mean(name, names)}")
    return name


def read_sets(sets: Sequence[str], known: Sequence[str]) -> dict[str, list[str]]:
    """The values of each setting that --set has named. Raises `UserError` for what cannot be a setting's values."""
    found: dict[str, list[str]] = {}
    for one in sets:
        name, equals, text = one.partition("=")
        name = name.replace("-", "_")
        values = split_values(text)
        if not equals or "" in values:
            raise UserError(f"--set {one}: a setting and its values are wanted, like hidden_size=64,128")
        if name not in known:
            names = ", ".join(sorted(known))
            raise UserError(
                f"--set {one}: the chapter has no setting {name!r}; there are {names}{did_you_mean(name, known)}"
            )
        if name in OWN or (name in CHANGEABLE and len(values) > 1):
            raise UserError(f"--set {one}: {name} makes no other model; --seeds chooses seeds")
        if name in found:
            raise UserError(f"--set {one}: there twice")
        if len(set(values)) < len(values):
            raise UserError(f"--set {one}: a value is there twice; put a ; behind a single value that contains commas")
        found[name] = values
    return found


def split_values(text: str) -> list[str]:
    """The values between `;`, of which the last may end with one too; between commas where there is no `;`."""
    if ";" not in text:
        return text.split(",")
    values = text.split(";")
    return values if values[-1] else values[:-1]


def make_cells(chapter: str, sets: Sequence[str]) -> list[Cell]:
    """Every combination of the values. Raises `UserError` where the chapter refuses one of them."""
    module = importlib.import_module(f"chapters.{chapter}.settings")
    types = types_of(module.Settings)
    chosen = read_sets(sets, list(types))
    cells = []
    for combination in product(*chosen.values()):
        values = dict(zip(chosen, combination, strict=True))
        flags = tuple(flag for name, value in values.items() for flag in as_flags(name, value, types[name]))
        settings, _ = parse_settings(module.Settings, module.PRESETS, "", list(flags))
        for name, value in values.items():
            if types[name] is bool and getattr(settings, name) != BOOLEANS[value]:
                raise UserError(f"--set {name}={value}: the preset {settings.preset} says otherwise")
        cells.append(Cell(values, settings, flags))
    if len({cell.settings for cell in cells}) < len(cells):
        raise UserError(f"--set {' --set '.join(sets)}: two of the values are the same")
    return cells


def as_flags(name: str, value: str, kind: type) -> list[str]:
    """A value as train.py takes it. A setting that is true or false is a flag that is there or not."""
    if kind is not bool:
        return [f"{flag_of(name)}={value}"]
    if value not in BOOLEANS:
        raise UserError(f"--set {name}={value}: must be true or false")
    return [flag_of(name)] * BOOLEANS[value]


@exits_cleanly
def main() -> None:
    parser = OneLineParser(
        prog="python -m tools.sweep", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chapter", metavar="CHAPTER", help="its folder: chapters/06_attentive_lm")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values of a setting, also one alone; with ; between them where they contain commas, "
        "and behind one alone that does: 'features=word1,word2;'",
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each combination (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--finished", action="store_true", help="train nothing, report on the runs that are finished")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where table and picture go (default: beside the runs)")
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.seeds, arguments.jobs) < 1:
        raise UserError("--seeds and --jobs must be at least 1")
    chapter = find_chapter(arguments.chapter)
    cells, seeds = make_cells(chapter, arguments.set), range(1, arguments.seeds + 1)
    presets = importlib.import_module(f"chapters.{chapter}.settings").PRESETS
    runs = [[cell.training(chapter, presets[cell.settings.preset], seed) for seed in seeds] for cell in cells]
    home = runs_root() / "sweeps" / chapter
    if not arguments.finished:
        train_all([training for row in runs for training in row], arguments.jobs, arguments.scheduler, home)
    found = [
        (cell.values, {seed: run.folder for seed, run in zip(seeds, row, strict=True) if run.is_finished()})
        for cell, row in zip(cells, runs, strict=True)
    ]
    if not any(folders for _, folders in found):
        raise UserError(f"no run of this sweep is finished; the first would be in {runs[0][0].folder}")
    swept = [name for name in cells[0].values if len({cell.values[name] for cell in cells}) > 1]
    out = arguments.out or home / ("over-" + "-".join(swept) if swept else "one")
    table, picture = write_report(chapter, [(values, folders) for values, folders in found if folders], swept, out)
    print(table.read_text(encoding="utf-8"))
    print(f"{table}\n{picture}")


if __name__ == "__main__":
    main()
