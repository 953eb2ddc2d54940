"""How even the attention of both scores is in the village: `python -m book.figures.ch06_evenness_record [RUNS]`.

The runs are those of the ladder with `--score combined`, and the same with `single`, seeds 1 to 5 (about a minute
each), measured on the test split.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from book.figures.ch06_record import CHAPTER, CORPUS, SEEDS, SYSTEMS, weights_of
from book.figures.recording import Recording, ladder_runs
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from data.constructions import RULES, constructions
from tools.analyse.evenness import measure_systems, tables

SCORES = ("single", "combined")
NAME = "figures/evenness.json"


def examples(folders: Mapping[str, Path]) -> dict:
    """By construction, the first sentence of the test split that has it, and by score its weights by that run."""
    sentences = load_corpus(CORPUS).test
    models = {score: load_run(folder)[0] for score, folder in folders.items()}
    first = {name: next(s for s in sentences if list(constructions(s, CORPUS)) == [name]) for name in RULES[CORPUS]}
    return {
        name: {"sentence": list(sentence), **{score: weights_of(model, sentence) for score, model in models.items()}}
        for name, sentence in first.items()
    }


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in the ladder's folder; the examples are of the first seed."""
    runs = {score: [folder / SYSTEMS[score].folder(CORPUS, seed).name for seed in SEEDS] for score in SCORES}
    settings = {"preset": "quick", "score": list(SCORES), "seed": list(SEEDS)}
    return settings, {
        **measure_systems(runs, "test"),
        "examples": examples({score: of_score[0] for score, of_score in runs.items()}),
    }


RECORDING = Recording(
    CHAPTER,
    f"python chapters/{CHAPTER}/train.py --score SCORE --seed SEED",
    measure,
    ladder_runs([SYSTEMS[score] for score in SCORES], CORPUS, SEEDS),
    ladder=True,
    name=NAME,
    tables=tables,
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
