"""How good are translations of short and of long sentences? `python -m tools.by_length RUN [RUN ...]`.

Reads the translations of a split that each run has in its folder, and scores those of sentences of
similar length together. A table for people; every system's BLEU is over the same sentences.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError, exits_cleanly
from common.evaluation.metrics import bleu
from common.text.pairs import Pair, load_pairs
from common.text.words import split_words
from common.training import cli
from tools.compare import read_run

BOUNDS = (7, 10, 13, 16)


def groups(pairs: Sequence[Pair], bounds: Sequence[int]) -> dict[str, list[int]]:
    """The numbers of the pairs by the number of their source's words, each group up to one of the bounds."""
    edges = [0, *bounds, max(len(pair.source) for pair in pairs)]
    found = {}
    for low, high in itertools.pairwise(edges):
        chosen = [number for number, pair in enumerate(pairs) if low < len(pair.source) <= high]
        if chosen:
            found[f"{low + 1} to {high}"] = chosen
    return found


def bleu_by_length(pairs: Sequence[Pair], found: Sequence[list[str]]) -> dict[str, list[float]]:
    """By the group of lengths: how many pairs, and the BLEU of their translations."""
    return {
        name: [len(chosen), bleu([found[i] for i in chosen], [pairs[i].target for i in chosen]).value]
        for name, chosen in groups(pairs, BOUNDS).items()
    }


def table(pairs: Sequence[Pair], systems: Sequence[tuple[str, list[str]]], bounds: Sequence[int] = BOUNDS) -> str:
    """A line a group of lengths, a column a system. systems: name and translations of each."""
    rows = [f"{'source words':14}{'sentences':>10}" + "".join(f"{f'[{n}]':>8}" for n in range(1, len(systems) + 1))]
    for name, chosen in [*groups(pairs, bounds).items(), ("all", list(range(len(pairs))))]:
        references = [pairs[number].target for number in chosen]
        scores = [bleu([split_words(lines[number]) for number in chosen], references) for _, lines in systems]
        rows.append(f"{name:14}{len(chosen):10,}" + "".join(f"{score.value:8.2f}" for score in scores))
    names = [f"[{number}] {name}" for number, (name, _) in enumerate(systems, start=1)]
    return "\n".join([*rows, *names, f"BLEU {scores[0].signature}"])


def read_translations(runs: Sequence[Path], split: str) -> tuple[str, list[Pair], list[list[str]]]:
    """The corpus of runs, the pairs of its split, and the translations of each run.

    Raises `UserError` where a run has none, or they are of different corpora.
    """
    corpora, found = zip(*(read_run(run, split) for run in runs), strict=True)
    if len(set(corpora)) > 1:
        raise UserError("the runs are of different corpora; give runs of one")
    pairs = getattr(load_pairs(corpora[0]), split)
    for run, lines in zip(runs, found, strict=True):
        if len(lines) != len(pairs):
            raise UserError(f"{run}: {len(lines)} translations of {len(pairs)} sentences; the corpus has changed")
    return corpora[0], pairs, list(found)


def make_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """Of a program that reads the translations of `runs` of a `split`."""
    parser = cli.OneLineParser(prog=f"python -m tools.{program}", description=description)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders of trained translation models")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="what to score (default: test)")
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser("by_length", __doc__).parse_args()
    _, pairs, found = read_translations(arguments.runs, arguments.split)
    print(table(pairs, list(zip(map(str, arguments.runs), found, strict=True))))


if __name__ == "__main__":
    main()
