"""What reads finished runs, and what students and graders have written; and all readers together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from book.explorer.curves import compare_settings, learning_curve, results
from book.explorer.shelf import Shelf
from solutions.grading import reading
from solutions.grading.rows import Table
from solutions.sets import ExerciseSet, choose, find_sets

from .extras import LADDER, SWEPT, VARIANT, has_answers
from .field import TRAININGS
from .readers import ARCHIVES, TEXTS, Reader, files_of, read_table, readers_of_run


def of_model(row: Reader) -> Reader:
    """A reader of a run's model, by a row with the run's name and what else is needed, and what of that is damaged."""
    run, _, more = row.needs.partition(" ")
    needs, damaged = f"runs/{run} {more}", f"{files_of(run)} {row.damaged}"
    return replace(row, needs=needs, damaged=damaged, command=f"{row.command} runs/{run}")


# fmt: off
MODELS = tuple(map(of_model, read_table("""
export                  | katz               |             | chapters.ngram_lm.export --out new.arpa --run
adapt                   | ngrams texts       | texts/*     | chapters.ngram_lm.adapt --run
adapt to a text         | ngrams texts sources.txt | sources.txt | chapters.ngram_lm.adapt --score sources.txt --run
neighbours              | feedforward        |             | chapters.feedforward_lm.neighbours --word hen --run
evaluate                | recurrent texts    | texts/*     | chapters.rnn_lm.evaluate --run
cache                   | recurrent texts    | texts/*     | chapters.rnn_lm.cache --run
gradients               | recurrent texts    | texts/*     | chapters.rnn_lm.gradients --number 5 --steps 3 --run
probe                   | villagers          |             | chapters.rnn_lm.probe --sentences 400 --run
saliency                | villagers          |             | chapters.rnn_lm.saliency {two} --sentences 400 --run
weights                 | attentive sources.txt | sources.txt | chapters.attentive_lm.visualize --file sources.txt --run
heads | transformer sources.txt | sources.txt | chapters.transformer.visualize --file sources.txt --run
beams                   | translation pairs  | pairs/*     | chapters.encoder_decoder.compare_search --beams 1 2 --run
begin with a run        | attention pairs    |             | chapters.beyond.train {start} --start-from
exposure                | gates              |             | chapters.beyond.exposure --sentences 5 --run
names                   | copying            |             | chapters.beyond.names --run
pivot                   | tongues tongues    | tongues/*   | chapters.beyond.pivot --corpus tongues --run
returns                 | remembering        |             | tools.analyse.__main__ --by recurrence --system a
returns with a cache    | streams            |             | tools.analyse.__main__ --by recurrence --cache a --system a
gains                   | recurrent texts    | texts/*     | tools.analyse.__main__ --by gain --system a
attention by distance   | attentive texts    | texts/*     | tools.analyse.__main__ --by distance
phenomena               | villagers          |             | tools.analyse.__main__ --by phenomenon
phenomena of pairs      | gates              |             | tools.analyse.__main__ --by phenomenon
attention by phenomenon | gates              |             | tools.analyse.__main__ --by attention
""", two="--sentence 'the girl'", start="--epochs 1 --batch-size 30 --preset scheduled --corpus pairs --run-dir new")))
"""Programs that use one model, each with one that it can use."""
TWO, WORDS = "runs/translation runs/attention", "runs/attentive runs/recurrent"
RESULTS_OF_RUNS = "runs/*/metrics.json runs/*/config.json runs/*/*.hypotheses.txt"
"""What finished runs have written down."""
RESULTS = read_table("""
compare        | {two} pairs   | {files} | tools.compare {two} --resamples 20
compare models | {words} texts | {files} | tools.compare {words}
by length      | {two} pairs   | {files} | tools.analyse.__main__ --by length {two}
by frequency   | {two} pairs   | {files} | tools.analyse.__main__ --by frequency {two}
spread | {again} | {files} | tools.analyse.__main__ --by build --build a runs/translation --build b runs/again
decoders       | {ladder} pairs | {files} | tools.experiment.__main__ decoders {done} --corpus pairs --systems default
variants       | {variant}     | {files} | tools.experiment.__main__ variants {done} --systems gates-word-gated {out}
sweep          | runs/sweeps   | {files} | tools.experiment.__main__ sweep {swept} {done} --out new
""",
    two=TWO, words=WORDS, again="runs/translation runs/again", files=RESULTS_OF_RUNS, ladder=LADDER, variant=VARIANT,
    done="--finished --seeds 1", out="--resamples 20 --out new", swept=" ".join(SWEPT),
)
# fmt: on


def read_explorer() -> None:
    runs = Shelf(Path("runs")).runs()
    print(compare_settings(runs), [(learning_curve(run), results(run)) for run in runs])


def read_hints() -> None:
    exercise_set = ExerciseSet(Path("set/ch01_ngram_lm"))
    tasks = exercise_set.tasks.values()
    print(exercise_set.title, [(task.minutes + task.points, task.title, *task.hints) for task in tasks])


def read_mutants() -> None:
    print(len(ExerciseSet(Path("set/ch01_ngram_lm")).mutants))


def read_grades() -> None:
    table = Table(Path("grades.csv"), choose(find_sets(), "1"), resume=True)
    table.finish(sorted(table.done))


def read_exercises() -> None:
    for task in choose(find_sets(), "1"):
        print(reading.find_problem(task, reading.read_files(Path("work"), task.exercises), Path("work")))


EXERCISES = (
    Reader("explore", f"{TWO} {WORDS}", RESULTS_OF_RUNS, function=read_explorer),
    Reader("hints", "set/ch01_ngram_lm", "set/*/hints.toml", function=read_hints),
    Reader("mutants", "set/ch01_ngram_lm", "set/*/mutants.toml", function=read_mutants),
    Reader("grades", "grades.csv.part", "grades.csv.part", function=read_grades),
    Reader("reset", "work", "work/*/counting.py", "exercises.__main__ --in work reset 1.1"),
    Reader("exercise", "work", "work/*/*.py", function=read_exercises),
)
"""Readers that are called as functions: of a student's files, of hints, of tables of grades, of finished runs."""

UNREAD = ("making/*", "*.png", "*/log.txt", "*/.lock", "set/*/*.py", "set/*/*.md", "set/*/*.json")
UNREAD += tuple(f"{place}/*" for place in ("runs/again", "runs/ladder", "runs/sweeps"))
"""Files of the field that no program of a user reads, and copies of runs, damaged where they were made."""


def find_readers() -> list[Reader]:
    """All readers. Each run has those of its chapter; an edition without answers has no reader of what is solved."""
    runs = [reader for name, training in TRAININGS.items() for reader in readers_of_run(name, training)]
    readers, solved = [*runs, *TEXTS, *ARCHIVES, *MODELS, *RESULTS, *EXERCISES], has_answers()
    return [reader for reader in readers if solved or "solved" not in reader.needs.split()]
