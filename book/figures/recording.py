"""What is recorded of trained models: the runs that a file needs, and the numbers that it takes from them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from book.figures.recorded import NAME, record, rounded
from common.errors import OneLineParser, exits_cleanly
from common.text.alignment import true_alignments
from common.text.pairs import ParallelCorpus
from common.training.runs import runs_root
from data.phenomena import by_label
from tools.experiment.runs import System, Training, train_all

RUNS = "RUNS"
"""What stands in flags for the folder of all runs."""


def ladder_runs(systems: Iterable[System], corpus: str, seeds: Iterable[int]) -> dict[str, tuple[str, str]]:
    """Runs of `tools.experiment` as a `Recording` has them."""
    trainings = [system.training(corpus, seed) for system in systems for seed in seeds]
    return {training.folder.name: (training.chapter, shlex.join(training.flags)) for training in trainings}


def by_phenomenon(
    labels: Sequence[Sequence[str]], oracle: Sequence, costs: Mapping[str, Sequence], number: str = "predictions"
) -> dict[str, dict]:
    """For what decides a word: how many there are, the oracle's perplexity on them, and each run's, by system.

    oracle: log-probabilities of each sentence's words; costs: the same of each run. number: what counts are called.
    """
    tables = {name: [by_label(labels, run) for run in runs] for name, runs in costs.items()}
    return {
        label: {number: words, "oracle": best, **{n: [table[label][1] for table in tables[n]] for n in tables}}
        for label, (words, best) in by_label(labels, oracle).items()
    }


def linked_pair(corpus: ParallelCorpus, split: str, number: int) -> dict[str, list]:
    """A pair of a split, and its true links (source word, target word)."""
    pair, links = getattr(corpus, split)[number], true_alignments(corpus, split)[number]
    return {"source": list(pair.source), "target": list(pair.target), "links": sorted(map(list, links))}


@dataclass(frozen=True)
class Recording:
    """The numbers of one file: the runs that they are taken from, and the function that takes them.

    command: how it is made, as the file says. measure: from the folder of the runs to settings that the file names, and
    to the numbers. runs: by its folder in RUNS, the chapter of each run and the flags of its train.py. ladder: RUNS is
    that of `tools.experiment` if none is named. name: the file, from the chapter's folder. tables: lines to be printed.
    """

    chapter: str
    command: str
    measure: Callable[[Path], tuple[Mapping, Mapping]]
    runs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ladder: bool = False
    name: str = NAME
    tables: Callable[[Mapping], Iterable[str]] | None = None

    def trainings(self, folder: Path) -> list[Training]:
        """The runs in this folder, trained or not yet."""
        trainings = []
        for name, (chapter, flags) in self.runs.items():
            words = tuple(flag.replace(RUNS, str(folder)) for flag in shlex.split(flags))
            trainings.append(Training(name, chapter, folder / name, words))
        return trainings

    def make(self, runs: Path, folder: Path | None = None) -> None:
        """Train what is missing in the folder of the runs, write, and print. folder: another than the chapter's own."""
        if any(not training.is_finished() for training in self.trainings(runs)):
            train_all(self.trainings(runs), 1, "", runs)
        settings, numbers = self.measure(runs)
        print(record(self.chapter, self.command, settings, numbers, folder, self.name))
        if self.tables:
            print(*self.tables(rounded(numbers)), sep="\n")

    def main(self, about: str | None) -> None:
        """All of the program. about: its docstring."""
        parser = OneLineParser(description=about)
        if self.runs:
            default = {"nargs": "?", "default": runs_root() / "ladder"} if self.ladder else {}
            help_text = "folder of the runs; those that are missing are trained"
            parser.add_argument("runs", type=Path, metavar=RUNS, help=help_text, **default)
        exits_cleanly(lambda: self.make(getattr(parser.parse_args(), "runs", Path()).absolute()))()
