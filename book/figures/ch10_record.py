"""What the figures of chapter 10 show of trained models: `python -m book.figures.ch10_record RUNS`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from book.figures.recording import Recording
from common.programs.chapters import load_run
from common.text.pairs import load_pairs
from data.pairs import truth_of
from tools.metrics import read_metrics

CHAPTER = "10_beyond"
OBJECTIVES = ("likelihood", "scheduled", "risk", "reinforce")
SEEDS = (1, 2, 3)
FIGURES = ("bleu", "chrf", "perplexity")
SENTENCES = 100
FLAGS = (
    "--start-from RUNS/base{seed} --objective {objective} --epochs 1 --share 0.1 --objective-rate 0.0005 --seed {seed}"
)
COMMAND = (
    f"python chapters/{CHAPTER}/train.py {FLAGS.format(seed='SEED', objective='OBJECTIVE')} "
    "--run-dir RUNS/OBJECTIVESEED"
)


def results(folder: Path) -> dict:
    """BLEU, chrF and perplexity on dev and test, before and after each objective, by objective and seed."""

    def scores(run: Path) -> dict:
        metrics = read_metrics(run)
        splits = {"before": metrics["before"]["test"], "after": metrics["test"]}
        splits |= {"dev_before": metrics["before"]["dev"], "dev_after": metrics["dev"]}
        return {name: {figure: split[figure] for figure in FIGURES} for name, split in splits.items()}

    return {name: {str(seed): scores(folder / f"{name}{seed}") for seed in SEEDS} for name in OBJECTIVES}


def exposure_of(run: Path) -> dict:
    """What `exposure.py` measures on a run: by prefixes, and position by position."""
    from chapters.beyond import exposure

    model, settings = load_run(run)
    corpus = load_pairs(settings.corpus)
    truth, pairs, results = truth_of(corpus.name, corpus.facts), corpus.dev[:SENTENCES], {}
    for prefixes in exposure.PREFIXES:
        measured = exposure.measure(model, truth, pairs, prefixes, np.random.default_rng(1))
        results[prefixes] = {name: part.tolist() for name, part in measured._asdict().items()}
    return results


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings, and all that is recorded."""
    numbers = {"runs": results(folder), "exposure": exposure_of(folder / f"base{SEEDS[0]}")}
    return {"seeds": list(SEEDS), "sentences": SENTENCES}, numbers


RECORDING = Recording(
    CHAPTER,
    COMMAND,
    measure,
    {
        **{f"base{seed}": (CHAPTER, f"--epochs 2 --likelihood-epochs 2 --seed {seed}") for seed in SEEDS},
        **{f"{objective}{seed}": (CHAPTER, FLAGS.format(objective=objective, seed=seed))
           for objective in OBJECTIVES for seed in SEEDS},
    },
)  # fmt: skip

if __name__ == "__main__":
    RECORDING.main(__doc__)
