"""Any chapter's settings, each combination with several seeds: a table and a picture.

    sweep chapters/06_attentive_lm --set hidden_size=64,128 --set score=combined,none --seeds 5

trains every combination with every seed. All settings are checked before anything is trained. A run is in
runs/sweeps/CHAPTER, in a folder that is called after what differs from its preset; sweeps share their runs.

Systems are compared with equal care, each in the recipe that is best for it on dev:

    sweep chapters/06_attentive_lm --system none score=none --system combined score=combined
        --recipe adam epochs=20 --recipe sgd epochs=20 optimiser=sgd learning_rate=1 --set dropout=0.2,0.5

trains every system with every recipe and every combination of --set. The report adds, for each system, its best recipe
on dev and its results on test, with intervals over the seeds, and the paired differences from the first system.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from common.chapters import chapter_module
from common.endings import did_you_mean
from common.errors import UserError
from common.programs.chapters import NAMES
from common.training.cli import flag_of, parse_settings, types_of
from common.training.presets import presets_of
from common.training.runs import CHANGEABLE, fingerprint, runs_root

from .runs import Training, add_run_arguments, train_missing
from .sweep_report import write_report

OWN = ("seed", "run_dir", "resume")
"""Settings that a sweep chooses itself."""
BOOLEANS = {"true": True, "false": False}

Axes = dict[str, dict[str, dict[str, str]]]
"""Column of the table -> what it may contain -> the settings that this stands for, as typed."""


class Cell(NamedTuple):
    """A combination of values. values: by column of the table; flags: for train.py."""

    values: dict[str, str]
    settings: Any
    flags: tuple[str, ...]

    def training(self, chapter: str, preset: Mapping[str, Any], seed: int) -> Training:
        """Its run with this seed, called after what differs from the preset."""
        usual = type(self.settings)(**preset)
        settings = dataclasses.asdict(dataclasses.replace(self.settings, seed=seed))
        changed = ",".join(
            f"{name}={value}"
            for name, value in settings.items()
            if name not in (*OWN, *CHANGEABLE) and value != getattr(usual, name)
        )
        name = re.sub(r"[^\w=.,+-]+", "~", changed or "defaults")[:100]
        folder = runs_root() / "sweeps" / chapter / f"{name}-{fingerprint(settings)[:8]}-seed{seed}"
        about = f"{chapter}, {changed or 'defaults'}, seed {seed}"
        return Training(about, chapter, folder.absolute(), (*self.flags, "--seed", str(seed)))


def find_chapter(place: str) -> str:
    """The name of a chapter, which may be given as its folder. Raises `UserError` where there is none."""
    name = Path(place).name
    if name not in NAMES:
        raise UserError(
            f"{place}: not a chapter with settings; choose from {', '.join(NAMES)}{did_you_mean(place, NAMES)}"
        )
    return name


def read_setting(flag: str, text: str, names: Sequence[str]) -> tuple[str, str]:
    """The name of a setting and what is behind `=`. Raises `UserError` for what is no setting of the chapter."""
    name, equals, value = text.partition("=")
    name = name.replace("-", "_")
    if not equals:
        raise UserError(f"{flag} {text}: write a setting and its values, such as hidden_size=64,128")
    if name not in names:
        there = f"there are {', '.join(sorted(names))}{did_you_mean(name, names)}"
        raise UserError(f"{flag} {text}: the chapter has no setting {name!r}; {there}")
    if name in OWN:
        raise UserError(f"{flag} {text}: {name} does not change the model; --seeds chooses seeds")
    return name, value


def read_sets(sets: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """The values of each setting that --set names. Raises `UserError` for what cannot be a setting's values."""
    values_of: dict[str, list[str]] = {}
    for text in sets:
        name, typed = read_setting("--set", text, names)
        values = split_values(typed)
        if "" in values:
            raise UserError(f"--set {text}: write a setting and its values, such as hidden_size=64,128")
        if name in CHANGEABLE and len(values) > 1:
            raise UserError(f"--set {text}: {name} does not change the model; --seeds chooses seeds")
        if name in values_of:
            raise UserError(f"--set {text}: given twice")
        if len(set(values)) < len(values):
            raise UserError(f"--set {text}: a value is given twice; put a ; behind a single value that contains commas")
        values_of[name] = values
    return values_of


def split_values(text: str) -> list[str]:
    """The values between `;`, of which the last may end with one too; between commas where there is no `;`."""
    return text.removesuffix(";").split(";") if ";" in text else text.split(",")


def read_bundles(flag: str, bundles: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Name -> settings of what --system or --recipe names. Raises `UserError` for a name that is there twice."""
    bundled: dict[str, dict[str, str]] = {}
    for name, *settings in bundles:
        if name in bundled:
            raise UserError(f"{flag} {name}: given twice")
        bundled[name] = dict(read_setting(f"{flag} {name}", text, names) for text in settings)
    return bundled


def make_cells(
    chapter: str, sets: Sequence[str], systems: Sequence[Sequence[str]] = (), recipes: Sequence[Sequence[str]] = ()
) -> list[Cell]:
    """Every combination of systems, recipes and values. Raises `UserError` where the chapter refuses one of them."""
    module = chapter_module(chapter, "settings")
    types = types_of(module.Settings)
    axes: Axes = {
        "system": read_bundles("--system", systems, list(types)),
        "recipe": read_bundles("--recipe", recipes, list(types)),
        **{name: {value: {name: value} for value in values} for name, values in read_sets(sets, list(types)).items()},
    }
    axes = {column: choices for column, choices in axes.items() if choices}
    return [make_cell(module, types, axes, labels) for labels in product(*axes.values())]


def make_cell(module: Any, types: Mapping[str, type], axes: Axes, labels: Sequence[str]) -> Cell:
    """The combination of these labels, one of each axis."""
    values: dict[str, str] = {}
    for (column, choices), label in zip(axes.items(), labels, strict=True):
        if twice := values.keys() & choices[label]:
            raise UserError(f"{column} {label}: the setting {min(twice)} is chosen twice")
        values |= choices[label]
    flags = tuple(flag for name, value in values.items() for flag in as_flags(name, value, types[name]))
    settings, _ = parse_settings(module.Settings, module.CHAPTER, "", list(flags))
    for name, value in values.items():
        if types[name] is bool and getattr(settings, name) != BOOLEANS[value]:
            raise UserError(f"--set {name}={value}: the preset {settings.preset} sets it to another value")
    return Cell(dict(zip(axes, labels, strict=True)), settings, flags)


def as_flags(name: str, value: str, kind: type) -> list[str]:
    """A value as train.py takes it. A setting that is true or false is a flag that is there or not."""
    if kind is not bool:
        return [f"{flag_of(name)}={value}"]
    if value not in BOOLEANS:
        raise UserError(f"--set {name}={value}: must be true or false")
    return [flag_of(name)] * BOOLEANS[value]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    values = "values of a setting, also one alone; with ; between them where they contain commas, "
    values += "and behind one alone that does: 'features=word1,word2;'"
    bundle = {"nargs": "+", "action": "append", "default": [], "metavar": ("NAME", "SETTING=VALUE")}
    parser.add_argument("chapter", metavar="CHAPTER", help="the chapter's folder, such as chapters/06_attentive_lm")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE,VALUE", help=values)
    parser.add_argument("--system", help="a system to compare, and its settings", **bundle)
    parser.add_argument("--recipe", help="a recipe with which every system is trained, and its settings", **bundle)
    add_run_arguments(parser, seeds=5)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the report (default: beside the runs)")


def run(arguments: argparse.Namespace) -> None:
    chapter = find_chapter(arguments.chapter)
    cells = make_cells(chapter, arguments.set, arguments.system, arguments.recipe)
    if len({cell.settings for cell in cells}) < len(cells):
        raise UserError("two combinations of the values of --system, --recipe and --set are the same")
    seeds, home = range(1, arguments.seeds + 1), runs_root() / "sweeps" / chapter
    presets = presets_of(chapter)
    runs = [[cell.training(chapter, presets[cell.settings.preset], seed) for seed in seeds] for cell in cells]
    if not train_missing([training for row in runs for training in row], arguments, home):
        return
    folders = [
        (cell.values, {seed: run.folder for seed, run in zip(seeds, row, strict=True) if run.is_finished()})
        for cell, row in zip(cells, runs, strict=True)
    ]
    finished = [(values, by_seed) for values, by_seed in folders if by_seed]
    if not finished:
        raise UserError(f"no run of this sweep is finished; the first would be in {runs[0][0].folder}")
    swept = [name for name in cells[0].values if len({cell.values[name] for cell in cells}) > 1]
    out = arguments.out or home / ("over-" + "-".join(swept) if swept else "one")
    table, picture = write_report(chapter, finished, swept, out)
    print(table.read_text(encoding="utf-8"))
    print(f"{table}\n{picture}")
