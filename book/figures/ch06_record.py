"""What the figures of chapter 6 show of trained models: `python -m book.figures.ch06_record`.

The runs are those of the ladder with `--score combined`, and the same with `none` and `single`, seeds 1 to 5 (about a
minute each), measured on the test split of the village.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from book.figures.recording import Recording, by_phenomenon, ladder_runs
from common.programs.chapters import load_run
from common.text.batching import make_batch
from common.text.corpus import load_corpus
from data.oracle import phenomena
from data.phenomena import labels_of, oracle_log_probs
from tools.analyse.heads import earlier_places, return_places
from tools.analyse.phenomena import VILLAGE as CORPUS, model_log_probs
from tools.experiment.runs import System
from tools.metrics import read_metrics

CHAPTER = "06_attentive_lm"
DEFAULT = "combined"
"""The score of the ladder's runs, which serve here, too."""
SCORES = ("none", "single", DEFAULT)
SENTENCE = "orlek sees floran by the fountain , and floran brings orlek his dented pans ."
"""A sentence of dev in which each of two names comes back."""
DISTANCES = ((1, 3), (4, 6), (7, 9), (10, 12), (13, 40))
"""Words between a name and its return, both ends included, in bins."""

SYSTEMS = {score: System(CHAPTER, score, ("--score", score), "" if score == DEFAULT else score) for score in SCORES}
SEEDS = range(1, 6)


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in the ladder's folder."""
    runs = {score: [folder / system.folder(CORPUS, seed).name for seed in SEEDS] for score, system in SYSTEMS.items()}
    sentences = load_corpus(CORPUS).test
    costs = {score: [model_log_probs(folder, sentences) for folder in folders] for score, folders in runs.items()}
    first = {score: folders[0] for score, folders in runs.items() if score != "none"}
    metrics = {score: [read_metrics(folder) for folder in folders] for score, folders in runs.items()}
    settings = {"preset": "quick", "score": list(SCORES), "seed": list(SEEDS)}
    return settings, {
        "test": {score: [run["test"]["perplexity"] for run in some] for score, some in metrics.items()},
        "phenomena": by_phenomenon(labels_of(sentences), oracle_log_probs(sentences), costs),
        "distances": by_distance(costs, sentences),
        "sentence": SENTENCE.split(),
        "attention": {name: weights_of(load_run(folder)[0], SENTENCE.split()) for name, folder in first.items()},
        "attended": {score: attended(folder, sentences) for score, folder in first.items()},
    }


def returns(sentence: Sequence[str]) -> list[tuple[int, int]]:
    """Names that come back: the place of the return, and how many words earlier the name stood last."""
    places = return_places(sentence, phenomena(sentence))
    return [(place, place + 1 - earlier_places(sentence, place)[-1]) for place in places]


def by_distance(costs: Mapping[str, Sequence], sentences: Sequence[Sequence[str]]) -> list[dict]:
    """For each bin of distances: how many returns, and each run's mean surprise of them, in nats."""
    places = defaultdict(list)
    for number, sentence in enumerate(sentences):
        for place, distance in returns(sentence):
            places[next(b for b in DISTANCES if b[0] <= distance <= b[1])].append((number, place))

    def surprise(of_run: Sequence, bin_: tuple[int, int]) -> float:
        return float(np.mean([-of_run[number][place] for number, place in places[bin_]]))

    columns = {**costs, "oracle": [oracle_log_probs(sentences)]}
    rows = []
    for b in DISTANCES:
        if places[b]:
            of_runs = {name: [surprise(run, b) for run in some] for name, some in columns.items()}
            rows.append({"from": b[0], "to": b[1], "returns": len(places[b]), **of_runs})
    return rows


def attended(folder: Path, sentences: Sequence[Sequence[str]]) -> dict[str, dict[str, float]]:
    """Mean attention weight on four kinds of memory, where a name comes back and where another word is predicted."""
    model, _ = load_run(folder)
    sums = {"recall": defaultdict(float), "other": defaultdict(float)}
    numbers = {"recall": 0, "other": 0}
    for sentence in sentences:
        back = {place for place, _ in returns(sentence)}
        kinds = ["<s>", *("a name" if label in ("name", "recall") else "other words" for label in phenomena(sentence))]
        for place, row in enumerate(weights_of(model, sentence)[1:], start=1):
            case = "recall" if place in back else "other"
            numbers[case] += 1
            for memory, weight in enumerate(row[:place]):
                same = place in back and memory and sentence[memory - 1] == sentence[place]
                sums[case]["the name itself" if same else kinds[memory]] += weight
    return {case: {kind: total / numbers[case] for kind, total in of.items()} for case, of in sums.items()}


def weights_of(model, sentence: Sequence[str]) -> np.ndarray:
    """A row for each predicted word, `</s>` the last; a column for each word read, `<s>` the first: (T, T)."""
    return model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[:, :, 0].T


RECORDING = Recording(
    CHAPTER,
    f"python chapters/{CHAPTER}/train.py --score SCORE --seed SEED",
    measure,
    ladder_runs(SYSTEMS.values(), CORPUS, SEEDS),
    ladder=True,
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
