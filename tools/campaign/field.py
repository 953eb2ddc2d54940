"""What is shot at: small corpora, and a finished run of every kind of model, made anew for each campaign."""

from __future__ import annotations

import itertools
import os
import random
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write, write_json
from common.launch import ROOT

from .forks import Child

NOUNS = {"hen": "zul", "goat": "mik", "farmer": "tarem", "duck": "vok"}
VERBS = {"sees": "lira", "feeds": "posa", "follows": "dena"}
TINY = ("--epochs", "2", "--batch-size", "8", "--hidden-size", "8")
PIECES = ("--subwords", "24")


@dataclass(frozen=True)
class Training:
    """A run of the field. chapter: of its train.py; flags: of it, small enough for a second."""

    chapter: str
    flags: tuple[str, ...]

    @property
    def corpus(self) -> tuple[str, ...]:
        """The flag that names its corpus; chapter 3 draws its points itself."""
        number = int(self.chapter[:2])
        return () if number == 3 else ("--corpus", "texts" if number < 7 else "pairs")


TRAININGS = {
    "ngrams": Training("01_ngram_lm", ("--order", "3", "--skip", "2", "--cache", "--unk", "characters")),
    "katz": Training("01_ngram_lm", ("--order", "2", "--smoothing", "katz")),
    "loglinear": Training(
        "02_loglinear_lm",
        ("--features", "word1,class1,pair12,suffix1", "--classes", "3", "--pair-count", "1", "--epochs", "2"),
    ),
    "bag": Training("02_loglinear_lm", ("--features", "bag", "--epochs", "2")),
    "network": Training(
        "03_neural_networks",
        (
            "--epochs",
            "40",
        ),
    ),
    "feedforward": Training("04_feedforward_lm", TINY),
    "tree": Training("04_feedforward_lm", (*TINY, "--softmax", "hierarchical")),
    "classes": Training("04_feedforward_lm", (*TINY, "--softmax", "class")),
    "recurrent": Training("05_rnn_lm", TINY),
    "streams": Training("05_rnn_lm", (*TINY, "--state", "kept", "--bptt", "5", "--optimiser", "sgd")),
    "pointer": Training("05_rnn_lm", (*TINY, "--pointer")),
    "attentive": Training("06_attentive_lm", TINY),
    "translation": Training("07_encoder_decoder", TINY),
    "trees": Training("07_encoder_decoder", (*TINY, "--encoder", "treelstm")),
    "attention": Training("08_attention", TINY),
    "pieces": Training("08_attention", (*TINY, *PIECES)),
    "symmetric": Training("08_attention", (*TINY, "--symmetry", "0.1")),
    "gates": Training("09_word_attention", TINY),
    "beyond": Training("10_beyond", (*TINY, "--likelihood-epochs", "1")),
}
"""One run of each kind of model that is saved in its own way."""


def write_corpora(folder: Path) -> None:
    """`texts`, a corpus of sentences, and `pairs`, one of sentence pairs with trees and alignments."""
    rng = random.Random(1)
    for split, number in (("train", 60), ("dev", 10), ("test", 10)):
        drawn = [draw_pair(rng) for _ in range(number)]
        write_lines(folder / "texts" / f"{split}.txt", [source for source, *_ in drawn])
        for place, kind in enumerate(("source", "target", "trees", "align")):
            write_lines(folder / "pairs" / f"{split}.{kind}", [pair[place] for pair in drawn])
    figures = {"perplexity": 2.5, "known_perplexity": 2.5, "known_predictions": 50}
    for name in ("texts", "pairs"):
        write_json(folder / name / "oracle.json", {"dev": figures, "test": figures, "floors": {}})
        write_json(folder / name / "corpus.json", {"name": name, "unk": "uniform"})


def draw_pair(rng: random.Random) -> tuple[str, str, str, str]:
    """A sentence, its translation with the verb at the end, its tree, and its alignment."""
    subject, thing = rng.choice([*NOUNS]), rng.choice([*NOUNS])
    verb = rng.choice([*VERBS])
    source, tree = f"the {subject} {verb} a {thing}", f"((the {subject}) ({verb} (a {thing})))"
    return source, f"la {NOUNS[subject]} ne {NOUNS[thing]} {VERBS[verb]}", tree, "0-0 1-1 2-4 3-2 4-3"


def write_lines(path: Path, lines: Sequence[str]) -> None:
    with atomic_write(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def program(chapter: str, name: str, arguments: Sequence[str], root: Path = ROOT) -> Callable[[], object]:
    """What a process runs as if it were `python chapters/CHAPTER/NAME.py ARGUMENTS`, of the course at `root`."""
    return as_main(root / "chapters" / chapter / f"{name}.py", arguments, root)


def as_main(what: Path | str, arguments: Sequence[str], root: Path = ROOT) -> Callable[[], object]:
    """What a process runs as if it were `python FILE ARGUMENTS`, or `python -m MODULE ARGUMENTS`."""

    def run() -> None:
        forget_the_course(root)
        sys.argv = [str(what), *arguments]
        if isinstance(what, Path):
            runpy.run_path(str(what), run_name="__main__")
        else:
            runpy.run_module(what, run_name="__main__", alter_sys=True)

    return run


def forget_the_course(root: Path) -> None:
    """Let this process import the course anew, from `root`."""
    ours = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    sys.path[:] = [str(root), *(place for place in sys.path if Path(place or ".").resolve() != ROOT)]


def train(name: str, run: Path, *more: str, steady: bool = False) -> Callable[[], object]:
    """What a process runs to make the run of this name in the folder `run`, where the field is the current folder.

    steady: by a clock that always goes the same, so that the files of the run are the same bytes each time.
    """
    training = TRAININGS[name]
    arguments = [*training.flags, *training.corpus, "--run-dir", str(run), *more]
    work = program(training.chapter, "train", arguments)

    def steadily() -> None:
        ticks = itertools.count()
        time.perf_counter = lambda: next(ticks) / 64
        work()

    return steadily if steady else work


def make_field(folder: Path, names: Sequence[str] = tuple(TRAININGS)) -> None:
    """Write the corpora, and train the runs of these names into `runs/NAME`. The field becomes the current folder.

    Raises `UserError` where one cannot be trained.
    """
    write_corpora(folder)
    os.chdir(folder)
    os.environ["COURSE_RUNS"], os.environ["COURSE_DATA"] = str(folder / "runs"), str(folder / "installed")
    for name in names:
        outcome = Child(train(name, Path("runs", name), steady=True), folder / "making" / name).wait()
        if outcome.status:
            raise UserError(f"the campaign's own run {name} failed: {outcome.err.strip().splitlines()[-1:]}")
