"""What tests of recorded numbers share: a record's form, records of tiny runs, and pairs that train in a moment."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from book.figures.recorded import rounded
from common.text import alignment, pairs
from tests.programs import make_call


def keys(value: object, depth: int = 9) -> dict | None:
    """The keys of nested dictionaries in a record's file, so many levels of them; a list of dictionaries counts as its
    first."""
    value = json.loads(json.dumps(rounded(value)))
    value = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return {key: keys(entry, depth - 1) for key, entry in value.items()} if isinstance(value, dict) and depth else None


def cut_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All splits of all pairs are cut down to forty."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])


def train_tiny(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, runs: Path, *flags: object, **constants: object
) -> None:
    """Train the runs that a program of records needs, with these flags too, in this folder.

    constants: of the program, other ones. With other SEEDS, only the runs of these are trained.
    """
    for name, value in constants.items():
        monkeypatch.setattr(program, name, value)
    for training in program.RECORDING.trainings(runs):
        seed = int(training.flags[training.flags.index("--seed") + 1])
        if seed in getattr(program, "SEEDS", [seed]):
            call = make_call(monkeypatch, training.chapter)
            call("train", "--run-dir", training.folder, *training.flags, *flags)


def tiny_record(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, runs: Path, *flags: object, **constants: object
) -> dict:
    """The numbers that the program takes from such runs."""
    train_tiny(program, monkeypatch, runs, *flags, **constants)
    return program.RECORDING.measure(runs)[1]
