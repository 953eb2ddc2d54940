"""Everything in the course that reads a file: what it reads, and how it is called."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from solutions.grading import reading
from solutions.grading.rows import Table
from solutions.sets import ExerciseSet, choose, find_sets

from .field import TRAININGS, Training, program, write_lines
from .forks import Child

SENTENCES = ("the hen sees a goat", "a zebra feeds the duck")
"""What models are tried on; the second has an unknown word."""


@dataclass(frozen=True)
class Reader:
    """Something that reads files.

    needs: the files and folders of the field that it is given. damaged: which of them may be damaged, as patterns.
    command: a module, whose `main` is called, and its arguments; or `function` is called instead.
    """

    name: str
    needs: str
    damaged: str
    command: str = ""
    function: Callable[[], object] | None = None


def find_readers() -> list[Reader]:
    """All readers. Each run has those of its chapter."""
    runs = [reader for name, training in TRAININGS.items() for reader in readers_of_run(name, training)]
    return [*runs, *TEXTS, *ARCHIVES, *RESULTS, *EXERCISES]


def readers_of_run(name: str, training: Training) -> list[Reader]:
    """Resuming a run, and using its model."""
    run, chapter, corpus = f"runs/{name}", f"chapters.{training.chapter}", " ".join(training.corpus[1:])
    flags = " ".join((*training.flags, *training.corpus))
    kept = " ".join(f"{run}/{one}" for one in ("*.npz", "config.json", "*vocab.txt", "unigram.txt", "*.spm"))
    found = [Reader(f"resume {name}", f"{run} {corpus}", kept, f"{chapter}.train {flags} --resume --run-dir {run}")]
    if training.chapter.startswith("03"):
        return found
    if corpus == "texts":
        use = f"{chapter}.generate --run {run} --score sources.txt --unk uniform"
        return [*found, Reader(f"use {name}", f"{run} sources.txt", kept, use)]
    use = f"{chapter}.translate sources.txt --run {run} --beam 2"
    if name in ("attention", "gates"):
        use += " --replace-unknown dictionary"
        show = f"{chapter}.visualize --split test --pictures 0 --number 2 --run {run}"
        found.append(Reader(f"show {name}", f"{run} pairs", kept, show))
    return [*found, Reader(f"use {name}", f"{run} pairs sources.txt", kept, use)]


NEW = "--epochs 1 --hidden-size 4 --batch-size 30 --run-dir new"
MODEL = "--run runs/attention"
TEXTS = (
    Reader("count a corpus", "texts", "texts/*", "chapters.01_ngram_lm.train --run-dir new --corpus texts"),
    Reader("train on a corpus", "texts", "texts/*", f"chapters.06_attentive_lm.train {NEW} --corpus texts"),
    Reader(
        "train on trees",
        "pairs",
        "pairs/*",
        f"chapters.07_encoder_decoder.train {NEW} --corpus pairs --encoder recursive",
    ),
    Reader(
        "train on links",
        "pairs",
        "pairs/*",
        f"chapters.08_attention.train {NEW} --corpus pairs --supervised 1 --symmetry 0.1",
    ),
    Reader("cut a corpus", "pairs", "pairs/*", f"chapters.08_attention.train {NEW} --corpus pairs --subwords 24"),
    Reader("show a corpus", "texts", "texts/*", "data.__main__ show texts"),
    Reader("show pairs", "pairs", "pairs/*", "data.__main__ show pairs"),
    Reader("align", "pairs", "pairs/*", "tools.align pairs --iterations 2"),
    Reader(
        "a model's text",
        "model.arpa sources.txt",
        "model.arpa",
        "chapters.01_ngram_lm.generate --arpa model.arpa --score sources.txt --unk uniform",
    ),
    Reader(
        "score a text",
        "runs/attentive sources.txt",
        "sources.txt",
        "chapters.06_attentive_lm.generate --run runs/attentive --score sources.txt --unk uniform",
    ),
    Reader(
        "translate a text",
        "runs/attention sources.txt",
        "sources.txt",
        f"chapters.08_attention.translate sources.txt {MODEL}",
    ),
    Reader(
        "show a text",
        "runs/attention sources.txt targets.txt links.txt",
        "*.txt",
        f"chapters.08_attention.visualize sources.txt {MODEL} --references targets.txt --links links.txt --pictures 0",
    ),
)
"""Readers of texts, pairs, trees, alignments, and of a model that is a text."""
GET = "--to installed --unverified --from"
ARCHIVES = (
    Reader("get a text", "ptb.zip", "ptb.zip", f"data.__main__ get ptb {GET} ptb.zip"),
    Reader("get paragraphs", "wiki.zip", "wiki.zip", f"data.__main__ get wikitext2 {GET} wiki.zip"),
    Reader("get pairs", "pairs.zip", "pairs.zip", f"data.__main__ get tanaka {GET} pairs.zip"),
    Reader("get what is there", "installed", "installed/ptb/*", f"data.__main__ get ptb {GET} x"),
)
TWO, WORDS = "runs/translation runs/attention", "runs/attentive runs/recurrent"
LATE = " ".join(
    f"{run}/{name}" for run in TWO.split() for name in ("metrics.json", "config.json", "test.hypotheses.txt")
)
RESULTS = (
    Reader("compare", f"{TWO} pairs", LATE, f"tools.compare {TWO} --resamples 20"),
    Reader("compare models", f"{WORDS} texts", "runs/*/*.json", f"tools.compare {WORDS}"),
    Reader("by length", f"{TWO} pairs", LATE, f"tools.by_length {TWO}"),
    Reader(
        "spread",
        "runs/translation runs/again",
        "runs/*/metrics.json",
        "tools.spread --build a runs/translation --build b runs/again",
    ),
    Reader(
        "evaluate",
        "runs/recurrent texts",
        "runs/recurrent/*.json texts/*",
        "chapters.05_rnn_lm.evaluate --run runs/recurrent",
    ),
    Reader(
        "cache",
        "runs/recurrent texts",
        "runs/recurrent/*.json texts/*",
        "chapters.05_rnn_lm.cache --run runs/recurrent",
    ),
    Reader(
        "neighbours",
        "runs/feedforward",
        "runs/feedforward/[cmuv]*.*",
        "chapters.04_feedforward_lm.neighbours --run runs/feedforward --word hen",
    ),
)
"""Readers of what finished runs have written down."""


def read_hints() -> None:
    one = ExerciseSet(Path("set/ch01_ngram_lm"))
    print(one.title, [(task.minutes + task.points, task.title, *task.hints) for task in one.tasks.values()])


def read_grades() -> None:
    table = Table(Path("grades.csv"), choose(find_sets(), "1"), resume=True)
    table.finish(sorted(table.done))


def read_exercises() -> None:
    for one, task in choose(find_sets(), "1"):
        print(reading.find_problem(task, one, reading.read_files(Path("work"), one), Path("work")))


EXERCISES = (
    Reader("hints", "set/ch01_ngram_lm", "set/*/hints.toml", function=read_hints),
    Reader("grades", "grades.csv.part", "grades.csv.part", function=read_grades),
    Reader("reset", "work", "work/*/counting.py", "exercises.__main__ --in work reset 1.1"),
    Reader("exercise", "work", "work/*/*.py", function=read_exercises),
)
"""Readers of a student's files, of hints, and of tables of grades."""


def make_files(root: Path) -> None:
    """Write, into the field, the files that only some readers read. root: the folder of the course."""
    write_lines(Path("sources.txt"), SENTENCES)
    write_lines(Path("targets.txt"), ["la zul ne mik lira", "la vok posa"])
    write_lines(Path("links.txt"), ["0-0 1-1 2-4 3-2 4-3", ""])
    for run in (Path("runs/attention"), Path("runs/gates")):
        if run.is_dir():
            Lexicon.learn(load_pairs("pairs").train).save(run / "lexicon.npz")
    if Path("runs/translation").is_dir():
        shutil.copytree("runs/translation", "runs/again")
    if Path("runs/katz").is_dir():
        export = program("01_ngram_lm", "export", ("--run", "runs/katz", "--out", "model.arpa"), root)
        Child(export, Path("making")).wait()
    texts = [Path("texts", f"{split}.txt").read_bytes() for split in ("train", "dev", "test")]
    pack("ptb.zip", [f"data/ptb.{split}.txt" for split in ("train", "valid", "test")], texts)
    pack("wiki.zip", [f"wiki/wiki.{split}.tokens" for split in ("train", "valid", "test")], texts)
    sides = [f"{split}.{side}" for split in ("train", "dev", "test") for side in ("source", "target")]
    names = [name.replace("source", "ja").replace("target", "en") for name in sides]
    pack("pairs.zip", names, [Path("pairs", name).read_bytes() for name in sides])
    shutil.copytree(root / "solutions" / "ch01_ngram_lm", "set/ch01_ngram_lm")
    shutil.copytree(root / "exercises" / "ch01_ngram_lm", "work/ch01_ngram_lm")
    numbers = [task.number for _, task in choose(find_sets(), "1")]
    header = ["student", "points", "of", *numbers, "problems", "look at", "seconds", "exam"]
    rows = [[name, "1", "2", *("1" for _ in numbers), "", "", "0.1", "secret"] for name in ("mira", "anton")]
    write_lines(Path("grades.csv.part"), [",".join(row) for row in [header, *rows]])


def pack(path: str, names: list[str], contents: list[bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in zip(names, contents, strict=True):
            archive.writestr(zipfile.ZipInfo(name), content)
