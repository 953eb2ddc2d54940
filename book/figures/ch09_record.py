"""What the figures of chapter 9 show of trained models: `python -m book.figures.ch09_record`.

The runs are those that `python -m tools.experiment variants --corpus village_pairs` trains, seeds 1 to 5 of some of its
systems, and the same seeds of chapter 8's default.
The first seed's model is shown at work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import dynet as dy
import numpy as np

from book.figures.recording import Recording, ladder_runs, linked_pair
from common.programs.chapters import load_run
from common.search.attending import force
from common.text.pairs import Pair, ParallelCorpus, load_pairs
from tools.analyse.attention import figures_of, gate_figures
from tools.compare import load_run as outputs_of, make_metrics
from tools.experiment.systems import DECODERS, variant
from tools.metrics import read_metrics
from tools.significance import (
    between_systems,
    draw_runs,
    draw_test_sets,
    effect_of_sentences,
    scores,
    statistics_of,
    variance_of_outputs,
)

CHAPTER = "09_word_attention"
CORPUS, PRESET = "village_pairs", "quick"
COMMAND = f"python -m tools.experiment variants --corpus {CORPUS}"
GATED, COMPARED = ("gates-word-gated", "gates-state-plain"), ("rnnsearch-state", "word-state")
SEEDS = (1, 2, 3, 4, 5)
SENTENCE = 139
"""The test sentence whose attention is shown, counted from 0."""
RESAMPLES, BINS, ENCODED = 1000, 24, 400
"""Samples of the bootstrap, bins of its histograms, and test sentences whose annotations are compared."""

Runs = Mapping[str, Sequence[Path]]
"""By system: the folders of runs that differ in the seed."""


def opened(folders: Sequence[Path], corpus: ParallelCorpus) -> dict:
    """By what decides a word: how many, then of each run 1 - o and both attentions on the aligned words; NaN, where
    a word renders none, as None. Below, what each run's gates are like."""
    models = [load_run(folder, CHAPTER)[0] for folder in folders]
    tables = [figures_of(folder, model, corpus) for folder, model in zip(folders, models, strict=True)]
    by_kind: dict = {kind: {"words": row[0]} for kind, row in tables[0].items()}
    for kind, row in by_kind.items():
        for place, name in enumerate(("share", "annotation", "word"), start=1):
            row[name] = [None if np.isnan(table[kind][place]) else table[kind][place] for table in tables]
    gates = [gate_figures(model, corpus.test) for model in models]
    return {"by_kind": by_kind, "gates": {name: [run[name] for run in gates] for name in gates[0]}}


def sentence(model, corpus: ParallelCorpus, number: int) -> dict:
    """Both attentions and the share of the word context on one test sentence, and its true links."""
    pair = corpus.test[number]
    forced = force(model, [pair.source], [pair.target])[0]
    matrices = {name: getattr(forced, name).astype(float).tolist() for name in ("attention", "word_attention", "gates")}
    return {**linked_pair(corpus, "test", number), **matrices}


def annotations(model, pairs: Sequence[Pair]) -> list[tuple[str, int, np.ndarray]]:
    """Every source word with the number of its sentence and its annotation, scaled to length 1. model: of this chapter
    or of chapter 8."""
    words = []
    for number, pair in enumerate(pairs):
        dy.renew_cg()
        state = model.encode([model.source_vocab.encode(pair.source)])
        memory = state.memories[0] if hasattr(state, "memories") else state.source
        rows = np.array(memory.annotations.npvalue(), dtype=float).reshape(-1, len(pair.source)).T
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        words += [(word, number, row) for word, row in zip(pair.source, rows, strict=True)]
    return words


def similarity(model, pairs: Sequence[Pair]) -> dict:
    """Cosines of annotations from different sentences: of one word, and of two; and where the nearest one is not of the
    same word. Words that the model does not know, and those of one sentence alone, are left out."""
    rows = annotations(model, pairs)
    sentences = defaultdict(set)
    for word, number, _ in rows:
        sentences[word].add(number)
    repeated = [row for row in rows if row[0] in model.source_vocab and len(sentences[row[0]]) > 1]
    names = frozenset(word for pair in pairs for word in set(pair.source) & set(pair.target) if word.isalpha())
    words, numbers = np.array([row[0] for row in repeated]), np.array([row[1] for row in repeated])
    vectors = np.array([row[2] for row in repeated])
    cosines = vectors @ vectors.T
    other, same = numbers[:, None] != numbers, words[:, None] == words
    edges = np.linspace(-1, 1, 41)
    upper = np.triu(other)
    nearest = np.where(other, cosines, -2).argmax(axis=1)
    missed = words[nearest] != words
    is_name = np.array([word in names for word in words])
    return {
        "sentences": len(pairs),
        "edges": edges.tolist(),
        "same": share_of(cosines[upper & same], edges),
        "different": share_of(cosines[upper & ~same], edges),
        "means": {"same": float(cosines[upper & same].mean()), "different": float(cosines[upper & ~same].mean())},
        "missed": {
            "names": [int(is_name.sum()), float(missed[is_name].mean()) if is_name.any() else 0.0],
            "other words": [int((~is_name).sum()), float(missed[~is_name].mean())],
        },
        "example": examples(repeated, nearest, is_name & missed, pairs),
    }


def share_of(values: np.ndarray, edges: np.ndarray) -> list[float]:
    counts = np.histogram(np.clip(values, -1, 1), edges)[0]
    return (counts / max(counts.sum(), 1)).tolist()


def examples(rows: Sequence, nearest: np.ndarray, mask: np.ndarray, pairs: Sequence[Pair], most: int = 6) -> list:
    """Names whose nearest annotation in another sentence is of another word: both, with their sentences."""
    found = []
    for place in sorted(np.flatnonzero(mask), key=lambda place: (len(pairs[rows[place][1]].source), place))[:most]:
        both = rows[place], rows[nearest[place]]
        words = [part for word, number, _ in both for part in (word, " ".join(pairs[number].source))]
        found.append([*words, both[0][2] @ both[1][2]])
    return found


def bootstrap(runs: Runs, corpus: ParallelCorpus) -> dict:
    """The difference in BLEU of two systems: each seed's score, and histograms of what drawing does to it: drawing
    seeds, drawing sentences, and both, in which what drawn runs vary by is not counted twice. "luck" is what is
    subtracted: either system's variance by what its runs happen to write for each sentence."""
    references = [pair.target for pair in corpus.test]
    metric, test_sets = make_metrics(False)["BLEU"], draw_test_sets(len(references), RESAMPLES, 1)

    def scores_of(folder: Path) -> np.ndarray:
        outputs = outputs_of(folder, corpus, "test").outputs
        return scores(metric, statistics_of(metric, outputs, references), test_sets)

    tables = [np.array([scores_of(folder) for folder in folders]) for folders in runs.values()]
    rng = np.random.default_rng(1)
    samples = [draw_runs(table[:, 0], RESAMPLES, rng) for table in tables]
    seeds, each = samples[1] - samples[0], tables[1].mean(axis=0) - tables[0].mean(axis=0)
    difference = between_systems(*tables, RESAMPLES, 1)
    parts = {"seeds": seeds, "sentences": each[1:] - each[0], "both": seeds + effect_of_sentences(*tables)}
    width = 1.02 * max(abs(difference.found), *(float(np.abs(part).max()) for part in parts.values()))
    edges = difference.found + np.linspace(-width, width, BINS + 1)
    return {
        "scores": {name: table[:, 0].tolist() for name, table in zip(runs, tables, strict=True)},
        "found": difference.found,
        "interval": [difference.low, difference.high],
        "edges": edges.tolist(),
        "drawn": {name: np.histogram(difference.found + part, edges)[0].tolist() for name, part in parts.items()},
        "deviations": {name: float(part.std()) for name, part in parts.items()},
        "luck": [variance_of_outputs(table) for table in tables],
    }


def error_rates(runs: Runs) -> dict:
    """The alignment error rate of the annotation attention on test, by system, as train.py measured it."""
    metrics = {system: [read_metrics(folder) for folder in folders] for system, folders in runs.items()}
    return {system: [run["test"]["alignment"]["error_rate"] for run in some] for system, some in metrics.items()}


SYSTEMS = ("rnnsearch-word", "word-word", *GATED, *COMPARED)
CHAPTER_8, ANNOTATED = "08_attention", ("rnnsearch-word", GATED[0])
"""The model of chapter 8, and the two of this chapter whose annotations are compared with its own."""
BY_NAME = {name: variant(name, PRESET) for name in SYSTEMS} | {CHAPTER_8: DECODERS["default"]}


def similarities(runs: Runs, pairs: Sequence[Pair]) -> dict:
    """The `similarity` of the first run of chapter 8; and of every run, how often the nearest annotation is another
    word's."""
    tables = {}
    for system, folders in runs.items():
        tables[system] = [similarity(load_run(folder, BY_NAME[system].chapter)[0], pairs) for folder in folders]
    first = tables[CHAPTER_8][0]
    rates = {
        system: {kind: [run["missed"][kind][1] for run in table] for kind in first["missed"]}
        for system, table in tables.items()
    }
    return {**first, "rates": rates}


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in the ladder's folder."""
    runs = {name: [folder / system.folder(CORPUS, seed).name for seed in SEEDS] for name, system in BY_NAME.items()}
    corpus, first = load_pairs(CORPUS), load_run(runs[GATED[0]][0], CHAPTER)[0]
    settings = {"preset": PRESET, "systems": list(SYSTEMS), "seeds": list(SEEDS), "resamples": RESAMPLES}
    return settings, {
        "opened": {system: opened(runs[system], corpus) for system in GATED},
        "sentence": sentence(first, corpus, SENTENCE % len(corpus.test)),
        "similarity": similarities({name: runs[name] for name in (CHAPTER_8, *ANNOTATED)}, corpus.test[:ENCODED]),
        "bootstrap": bootstrap({system: runs[system] for system in COMPARED}, corpus),
        "error_rates": error_rates({name: runs[name] for name in SYSTEMS}),
    }


RECORDING = Recording(CHAPTER, COMMAND, measure, ladder_runs(BY_NAME.values(), CORPUS, SEEDS), ladder=True)

if __name__ == "__main__":
    RECORDING.main(__doc__)
