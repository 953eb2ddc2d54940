"""Fuzz targets: small corpora, and a finished run of every kind of model, made anew for each campaign."""

from __future__ import annotations

import itertools
import os
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, program_of
from common.errors import UserError

from .corpora import copy_course, write_corpora
from .forks import Child

TINY = ("--epochs", "2", "--batch-size", "8", "--hidden-size", "8")
STREAMS = ("--state", "kept", "--bptt", "5", "--optimiser", "sgd")
PIECES = ("--subwords", "24")


@dataclass(frozen=True)
class Training:
    """A run of the field. chapter: of its train.py; flags: of it, small enough for a second. data: what it is trained
    on, if not on `texts` or `pairs`. start: the run that it begins with."""

    chapter: str
    flags: tuple[str, ...]
    data: str = ""
    start: str = ""

    @property
    def corpus(self) -> tuple[str, ...]:
        """The flag that names its corpus; chapter 3 draws its points itself."""
        if self.chapter.startswith("03"):
            return ()
        return ("--corpus", self.data or ("pairs" if self.translates else "texts"))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its flags, those of its corpus included."""
        return (*self.flags, *self.corpus)

    @property
    def translates(self) -> bool:
        """Whether its model translates."""
        return 7 <= int(self.chapter[:2]) <= 10 or self.chapter.endswith("_pairs")


TRAININGS = {
    "ngrams": Training("01_ngram_lm", ("--order", "3", "--skip", "2", "--cache", "--unk", "characters")),
    "katz": Training("01_ngram_lm", ("--order", "2", "--smoothing", "katz")),
    "loglinear": Training(
        "02_loglinear_lm",
        ("--features", "word1,class1,pair12,suffix1", "--classes", "3", "--pair-count", "1", "--epochs", "2"),
    ),
    "bag": Training("02_loglinear_lm", ("--features", "bag", "--epochs", "2")),
    "network": Training("03_neural_networks", ("--epochs", "40")),
    "feedforward": Training("04_feedforward_lm", TINY),
    "tree": Training("04_feedforward_lm", (*TINY, "--softmax", "hierarchical")),
    "classes": Training("04_feedforward_lm", (*TINY, "--softmax", "class")),
    "recurrent": Training("05_rnn_lm", TINY),
    "streams": Training("05_rnn_lm", (*TINY, *STREAMS), "village_paragraphs"),
    "pointer": Training("05_rnn_lm", (*TINY, "--pointer")),
    "villagers": Training("05_rnn_lm", (*TINY, "--min-count", "1"), "village"),
    "attentive": Training("06_attentive_lm", TINY),
    "remembering": Training("06_attentive_lm", (*TINY, "--memory-states", "4", "--bptt", "5"), "village_paragraphs"),
    "transformer": Training("11_transformer", TINY),
    "rotary": Training("11_transformer", (*TINY, "--positions", "rotary", "--norm", "post")),
    "translator": Training("11_transformer_pairs", TINY),
    "translation": Training("07_encoder_decoder", TINY),
    "trees": Training("07_encoder_decoder", (*TINY, "--encoder", "treelstm")),
    "attention": Training("08_attention", TINY),
    "pieces": Training("08_attention", (*TINY, *PIECES)),
    "symmetric": Training("08_attention", (*TINY, "--symmetry", "0.1")),
    "gates": Training("09_word_attention", TINY, "village_pairs"),
    "beyond": Training("10_beyond", (*TINY, "--likelihood-epochs", "1")),
    "lexicon": Training("10_beyond", (*TINY, "--preset", "likelihood", "--lexicon", "bias")),
    "copying": Training("10_beyond", (*TINY, "--preset", "likelihood", "--copying"), "village_pairs"),
    "tongues": Training("10_beyond", (*TINY, "--preset", "likelihood"), "tongues"),
    "started": Training(
        "10_beyond", ("--epochs", "2", "--preset", "scheduled", "--start-from", "runs/attention"), start="attention"
    ),
}
"""One run of each kind of model that is saved in its own way."""


def course() -> Path:
    """The copy of the course, where the field is the current folder."""
    return Path.cwd().parent / "course"


def program(chapter: str, name: str, arguments: Sequence[str]) -> Callable[[], object]:
    """What a process runs as if it were `python chapters/CHAPTER/NAME.py ARGUMENTS`, of the copy of the course."""
    return as_main(course() / program_of(chapter, name), arguments, course())


def as_main(
    program: Path | str, arguments: Sequence[str], root: Path = ROOT, begin: Callable[[], object] = lambda: None
) -> Callable[[], object]:
    """What a process runs as if it were `python FILE ARGUMENTS`, or `python -m MODULE ARGUMENTS`. begin: called before
    anything of the course in `root` is loaded."""

    def run() -> None:
        forget_the_course(root)
        begin()
        sys.argv = [str(program), *arguments]
        if isinstance(program, Path):
            runpy.run_path(str(program), run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)

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
    arguments = [*training.arguments, "--run-dir", str(run), *more]
    work = program(training.chapter, "train", arguments)

    def steadily() -> None:
        ticks = itertools.count()
        time.perf_counter = lambda: next(ticks) / 64
        work()

    return steadily if steady else work


def make_field(folder: Path, names: Sequence[str] = tuple(TRAININGS)) -> list[str]:
    """Copy the course to `course` beside the field, write the corpora, and train the runs of these names into
    `runs/NAME`, after those that they begin with; all their names. The field becomes the current folder.

    Raises `UserError` where one cannot be trained.
    """
    copy_course(folder.parent / "course")
    write_corpora(folder)
    os.chdir(folder)
    os.environ["COURSE_RUNS"], os.environ["COURSE_DATA"] = str(folder / "runs"), str(folder / "installed")
    needed = {*names, *(TRAININGS[name].start for name in names)}
    ordered = [name for name in TRAININGS if name in needed]
    for name in ordered:
        outcome = Child(train(name, Path("runs", name), steady=True), folder / "making" / name).wait()
        if outcome.status:
            raise UserError(f"the campaign's own run {name} failed: {outcome.err.strip().splitlines()[-1:]}")
    return ordered
