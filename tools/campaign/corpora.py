"""The small corpora of the field, and a copy of the course whose own corpora are as short."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from common import ROOT
from common.copying import copy_tree
from common.files import write_json, write_lines

NOUNS = {"hen": "zul", "goat": "mik", "farmer": "tarem", "duck": "vok"}
VERBS = {"sees": "lira", "feeds": "posa", "follows": "dena"}
LINES, PAIRS, FEW = 400, 60, 10
"""Kept of a text's train; of a train in pairs; and of every other split."""
LEFT_OUT = (".git", ".venv", "runs", "build", "__pycache__", "corpora", ".*_cache", "*.egg-info", "*.svg", "*.png")


def write_corpora(folder: Path) -> None:
    """`texts`, a corpus of sentences; `pairs`, one of sentence pairs with trees and alignments; `tongues`, one of pairs
    in several directions."""
    rng = random.Random(1)
    for split, number in (("train", 60), ("dev", FEW), ("test", FEW)):
        pairs = [draw_pair(rng) for _ in range(number)]
        write_lines(folder / "texts" / f"{split}.txt", [source for source, *_ in pairs])
        for place, kind in enumerate(("source", "target", "trees", "align")):
            write_lines(folder / "pairs" / f"{split}.{kind}", [pair[place] for pair in pairs])
    figures = {"perplexity": 2.5, "known_perplexity": 2.5, "known_predictions": 50}
    for name in ("texts", "pairs"):
        write_json(folder / name / "oracle.json", {"dev": figures, "test": figures, "floors": {}})
        write_json(folder / name / "corpus.json", {"name": name, "unk": "uniform"})
    shorten(ROOT / "data" / "village_tongues", folder / "tongues")


def draw_pair(rng: random.Random) -> tuple[str, str, str, str]:
    """A sentence, its translation with the verb at the end, its tree, and its alignment."""
    subject, thing = rng.choice([*NOUNS]), rng.choice([*NOUNS])
    verb = rng.choice([*VERBS])
    source, tree = f"the {subject} {verb} a {thing}", f"((the {subject}) ({verb} (a {thing})))"
    return source, f"la {NOUNS[subject]} ne {NOUNS[thing]} {VERBS[verb]}", tree, "0-0 1-1 2-4 3-2 4-3"


def shorten(source: Path, target: Path) -> None:
    """A shorter corpus: of a text the first lines, in their order, of pairs some from everywhere; facts as they are."""
    for path in sorted(source.glob("*.*")):
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        train, text = path.stem == "train", path.suffix == ".txt"
        number = (LINES if text else PAIRS) if train else FEW
        step = 1 if text else max(1, len(lines) // number)
        write_lines(target / path.name, lines if path.suffix == ".json" else lines[::step][:number])


def copy_course(folder: Path) -> None:
    """Copy the course, with its own corpora shortened, so that nothing takes long that is done to them."""
    copy_tree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT, "village*"))
    for source in (ROOT / "data").glob("village*"):
        target = folder / "data" / source.name
        shorten(source, target) if source.is_dir() else shutil.copyfile(source, target)
