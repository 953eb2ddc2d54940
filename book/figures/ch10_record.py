"""What the figures of chapter 10 show of trained models: `python -m book.figures.ch10_record RUNS` records it.

RUNS: the folder with the runs whose commands chapters/10_beyond/RESULTS.md gives, OBJECTIVE and SEED in their names.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from book.figures.recorded import record
from common.errors import OneLineParser, exits_cleanly
from common.programs.chapters import load_run
from common.reading import read_object
from common.text.pairs import load_pairs
from data.pairs import truth_of

CHAPTER = "10_beyond"
OBJECTIVES = ("likelihood", "scheduled", "risk", "reinforce")
SEEDS = (1, 2, 3)
FIGURES = ("bleu", "chrf", "perplexity")
SENTENCES = 100
COMMAND = (
    "python chapters/10_beyond/train.py --start-from RUNS/baseSEED --objective OBJECTIVE --epochs 1 --share 0.1 "
    "--seed SEED --run-dir RUNS/OBJECTIVESEED"
)


def results(folder: Path, seeds: Sequence[int]) -> dict:
    """BLEU, chrF and perplexity on dev and test, before and after each objective, by objective and seed."""
    found: dict = {}
    for objective in OBJECTIVES:
        found[objective] = {}
        for seed in seeds:
            path = folder / f"{objective}{seed}" / "metrics.json"
            metrics = read_object(path, "no such run; RESULTS.md has the command", "damaged; train again")
            one = {"before": metrics["before"]["test"], "after": metrics["test"]}
            one |= {"dev_before": metrics["before"]["dev"], "dev_after": metrics["dev"]}
            found[objective][str(seed)] = {
                name: {figure: split[figure] for figure in FIGURES} for name, split in one.items()
            }
    return found


def exposure_of(run: Path, sentences: int) -> dict:
    """What `exposure.py` measures on a run: by prefixes, and position by position."""
    from chapters.beyond import exposure

    model, settings = load_run(run)
    corpus = load_pairs(settings.corpus)
    truth, pairs, found = truth_of(corpus.name, corpus.facts), corpus.dev[:sentences], {}
    for prefixes in exposure.PREFIXES:
        measured = exposure.measure(model, truth, pairs, prefixes, np.random.default_rng(1))
        found[prefixes] = {name: part.tolist() for name, part in measured._asdict().items()}
    return found


def measure(folder: Path, seeds: Sequence[int] = SEEDS, sentences: int = SENTENCES) -> dict:
    """All that is recorded."""
    base = folder / f"base{seeds[0]}"
    return {"runs": results(folder, seeds), "exposure": exposure_of(base, sentences)}


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description="Record what the figures of chapter 10 show of trained models.")
    parser.add_argument("runs", type=Path, metavar="RUNS", help="folder of the runs that RESULTS.md names")
    arguments: argparse.Namespace = parser.parse_args()
    print(record(CHAPTER, COMMAND, {"seeds": list(SEEDS), "sentences": SENTENCES}, measure(arguments.runs)))


if __name__ == "__main__":
    main()
