"""What reads finished runs, and what students and graders have written; and all readers together."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from book.explorer.curves import compare_settings, learning_curve, results
from book.explorer.shelf import Shelf
from solutions.grading import reading
from solutions.grading.rows import Table
from solutions.sets import ExerciseSet, choose, find_sets

from .copies import COPIES, LAYOUTS, read_copies
from .extras import LADDER, SWEPT, VARIANT, has_answers
from .field import TRAININGS
from .readers import ARCHIVES, TEXTS, Reader, model, readers_of_run

START = "chapters.beyond.train --epochs 1 --batch-size 30 --preset scheduled --corpus pairs --run-dir new"
MODELS = (
    model("export", "katz", "chapters.ngram_lm.export --out new.arpa --run"),
    model("adapt", "ngrams", "chapters.ngram_lm.adapt --run", "texts", "texts/*"),
    model(
        "adapt to a text",
        "ngrams",
        "chapters.ngram_lm.adapt --score sources.txt --run",
        "texts sources.txt",
        "sources.txt",
    ),
    model("neighbours", "feedforward", "chapters.feedforward_lm.neighbours --word hen --run"),
    model("evaluate", "recurrent", "chapters.rnn_lm.evaluate --run", "texts", "texts/*"),
    model("cache", "recurrent", "chapters.rnn_lm.cache --run", "texts", "texts/*"),
    model("gradients", "recurrent", "chapters.rnn_lm.gradients --number 5 --steps 3 --run", "texts", "texts/*"),
    model("probe", "villagers", "chapters.rnn_lm.probe --sentences 400 --run"),
    model(
        "weights",
        "attentive",
        "chapters.attentive_lm.visualize --file sources.txt --run",
        "sources.txt",
        "sources.txt",
    ),
    model("beams", "translation", "chapters.encoder_decoder.compare_search --beams 1 2 --run", "pairs", "pairs/*"),
    model("begin with a run", "attention", f"{START} --start-from", "pairs"),
    model("exposure", "gates", "chapters.beyond.exposure --sentences 5 --run"),
    model("names", "copying", "chapters.beyond.names --run"),
    model("pivot", "tongues", "chapters.beyond.pivot --corpus tongues --run", "tongues", "tongues/*"),
    model("returns", "remembering", "tools.analyse.__main__ --by recurrence --system a"),
    model("returns with a cache", "streams", "tools.analyse.__main__ --by recurrence --cache a --system a"),
    model("gains", "recurrent", "tools.analyse.__main__ --by gain --system a", "texts", "texts/*"),
    model("attention by distance", "attentive", "tools.analyse.__main__ --by distance", "texts", "texts/*"),
    model("phenomena", "villagers", "tools.analyse.__main__ --by phenomenon"),
    model("phenomena of pairs", "gates", "tools.analyse.__main__ --by phenomenon"),
    model("attention by phenomenon", "gates", "tools.analyse.__main__ --by attention"),
)
"""Programs that use one model, each with one that it can use."""
TWO, WORDS = "runs/translation runs/attention", "runs/attentive runs/recurrent"
DONE = "--finished --seeds 1"
LATE = "runs/*/metrics.json runs/*/config.json runs/*/*.hypotheses.txt"
"""What finished runs have written down."""


def read_explorer() -> None:
    runs = Shelf(Path("runs")).runs()
    print(compare_settings(runs), [(learning_curve(run), results(run)) for run in runs])


RESULTS = (
    Reader("compare", f"{TWO} pairs", LATE, f"tools.compare {TWO} --resamples 20"),
    Reader("compare models", f"{WORDS} texts", LATE, f"tools.compare {WORDS}"),
    Reader("by length", f"{TWO} pairs", LATE, f"tools.analyse.__main__ --by length {TWO}"),
    Reader("by frequency", f"{TWO} pairs", LATE, f"tools.analyse.__main__ --by frequency {TWO}"),
    Reader(
        "spread",
        "runs/translation runs/again",
        LATE,
        "tools.analyse.__main__ --by build --build a runs/translation --build b runs/again",
    ),
    Reader(
        "decoders",
        f"{LADDER} pairs",
        LATE,
        f"tools.experiment.__main__ decoders {DONE} --corpus pairs --systems default",
    ),
    Reader(
        "variants",
        VARIANT,
        LATE,
        f"tools.experiment.__main__ variants {DONE} --systems gates-word-gated --resamples 20 --out new",
    ),
    Reader("sweep", "runs/sweeps", LATE, f"tools.experiment.__main__ sweep {' '.join(SWEPT)} {DONE} --out new"),
    Reader("explore", f"{TWO} {WORDS}", LATE, function=read_explorer),
)


def read_hints() -> None:
    one = ExerciseSet(Path("set/ch01_ngram_lm"))
    print(one.title, [(task.minutes + task.points, task.title, *task.hints) for task in one.tasks.values()])


def read_mutants() -> None:
    print(len(ExerciseSet(Path("set/ch01_ngram_lm")).mutants))


def read_grades() -> None:
    table = Table(Path("grades.csv"), choose(find_sets(), "1"), resume=True)
    table.finish(sorted(table.done))


def read_exercises() -> None:
    for task in choose(find_sets(), "1"):
        print(reading.find_problem(task, reading.read_files(Path("work"), task.exercises), Path("work")))


SUBMISSIONS = tuple(
    Reader(f"copies: {layout}", f"{COPIES}/{layout}", f"{COPIES}/*", function=partial(read_copies, layout))
    for layout in LAYOUTS
)
"""Two copies of the work in one submission."""
EXERCISES = (
    *SUBMISSIONS,
    Reader("hints", "set/ch01_ngram_lm", "set/*/hints.toml", function=read_hints),
    Reader("mutants", "set/ch01_ngram_lm", "set/*/mutants.toml", function=read_mutants),
    Reader("grades", "grades.csv.part", "grades.csv.part", function=read_grades),
    Reader("reset", "work", "work/*/counting.py", "exercises.__main__ --in work reset 1.1"),
    Reader("exercise", "work", "work/*/*.py", function=read_exercises),
)
"""Readers of a student's files, of hints, and of tables of grades."""

READS_NOTHING = {
    "chapters/02_loglinear_lm/additive.py": "draws its sentences from the grammar",
    "chapters/03_neural_networks/by_hand.py": "has its numbers in itself",
    "chapters/03_neural_networks/how_often.py": "draws its points",
    "solutions": "grades in processes that are fenced in; what it reads, `exercise` and `grades` read",
    "book.labs": "runs the course's own labs",
    "book.slides": "builds the course's own slides",
    "tools.shake": "runs the course's own tests",
    "tools.epoch_tables": "reads what tools.by_epoch wrote; its own tests damage that",
    "tools.by_epoch": "trains on the village as train.py does, which `train on a corpus` reads",
}
"""Programs that read no file of the user's, with the reason."""
UNREAD = ("making/*", "*.png", "*/log.txt", "*/.lock", "set/*/*.py", "set/*/*.md", "set/*/expected.json")
UNREAD += tuple(f"{place}/*" for place in ("runs/again", "runs/ladder", "runs/sweeps"))
"""Files of the field that no program of a user reads, and copies of runs, damaged where they were made."""


OF_ANSWERS = {"solved", *(reader.needs for reader in SUBMISSIONS)}
"""What there is of the field only with the answers."""


def find_readers() -> list[Reader]:
    """All readers. Each run has those of its chapter; an edition without answers has no reader of what is solved."""
    runs = [reader for name, training in TRAININGS.items() for reader in readers_of_run(name, training)]
    found, solved = [*runs, *TEXTS, *ARCHIVES, *MODELS, *RESULTS, *EXERCISES], has_answers()
    return [reader for reader in found if solved or not OF_ANSWERS & {*reader.needs.split()}]
