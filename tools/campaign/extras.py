"""The files of the field that only some programs read, made from its corpora and runs."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from common.files import write_lines
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from solutions.sets import choose, find_sets
from solutions.stubs import is_answer

from .field import course, program
from .forks import Child

SENTENCES = ("the hen sees a goat", "a zebra feeds the duck")
"""What models are tried on; the second has an unknown word."""
COPIES = {
    "again": "translation",
    "ladder/pairs-08_attention-seed1": "attention",
    "ladder/village_pairs-09_word_attention-gates-word-gated-seed1": "gates",
}
"""Folders of runs that hold copies of a run, and which."""


def make_files() -> None:
    """Write these files, as far as the runs are there that they are made of, into the field, the current folder."""
    write_lines(Path("sources.txt"), SENTENCES)
    write_lines(Path("targets.txt"), ["la zul ne mik lira", "la vok posa"])
    write_lines(Path("links.txt"), ["0-0 1-1 2-4 3-2 4-3", ""])
    for run in (Path("runs/attention"), Path("runs/gates")):
        if run.is_dir():
            Lexicon.learn(load_pairs("pairs").train).save(run / "lexicon.npz")
    for target, name in COPIES.items():
        if Path("runs", name).is_dir():
            shutil.copytree(Path("runs", name), Path("runs", target))
    if Path("runs/katz").is_dir():
        Child(program("01_ngram_lm", "export", ("--run", "runs/katz", "--out", "model.arpa")), Path("making")).wait()
    make_archives()
    make_exercises()


def make_archives() -> None:
    """Archives as `python -m data get` may find them."""
    texts = [Path("texts", f"{split}.txt").read_bytes() for split in ("train", "dev", "test")]
    pack("ptb.zip", [f"data/ptb.{split}.txt" for split in ("train", "valid", "test")], texts)
    pack("wiki.zip", [f"wiki/wiki.{split}.tokens" for split in ("train", "valid", "test")], texts)
    sides = [f"{split}.{side}" for split in ("train", "dev", "test") for side in ("source", "target")]
    names = [name.replace("source", "ja").replace("target", "en") for name in sides]
    pack("pairs.zip", names, [Path("pairs", name).read_bytes() for name in sides])


def pack(path: str, names: list[str], contents: list[bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in zip(names, contents, strict=True):
            archive.writestr(zipfile.ZipInfo(name), content)


def make_exercises() -> None:
    """What chapter 1 asks for, blank (`work`) and, with answers, done (`solved`); its hints (`set`); grades of it."""
    shutil.copytree(course() / "solutions" / "ch01_ngram_lm", "set/ch01_ngram_lm")
    shutil.copytree(course() / "exercises" / "ch01_ngram_lm", "work/ch01_ngram_lm")
    if all(is_answer(task.exercises.answers[task.file]) for task in choose(find_sets(), "1")):
        names = [path.name for path in Path("work/ch01_ngram_lm").iterdir()]
        shutil.copytree("set", "solved", ignore=lambda folder, there: {*there} - {"ch01_ngram_lm", *names})
    numbers = [task.number for task in choose(find_sets(), "1")]
    header = ["student", "points", "of", *numbers, "problems", "look at", "seconds", "exam"]
    rows = [[name, "1", "2", *("1" for _ in numbers), "", "", "0.1", "secret"] for name in ("mira", "anton")]
    write_lines(Path("grades.csv.part"), [",".join(row) for row in [header, *rows]])
