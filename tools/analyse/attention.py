"""What models attend to: those of chapter 6 by distance, those of chapter 9 by what decides the target word.

Distance: over the predictions of a split that have something to attend to, which share of the attention goes to the
state after `<s>`, and to the others by how many words back they are; beside it the share that they would get if all
states got the same. And how many states the attention is on: exp of its entropy, on average, beside the number of
states there are.

Attention: for each target word of the test split, with teacher forcing, the share of the word context, which is the
mean of the elements of 1 - o_i, and how much of either attention lies on the source words that the target word renders.
The embedded corpora know both what decides each word and what it renders. Below, of runs with gates: which share of all
elements of o_i is near 0, near one half and near 1, and how long the two contexts are on average (Euclidean norm) once
the gate has weighed them, as the decoder reads them (Wu et al. 2018, Eq. 6).

Figures are means over the words; of several runs, the mean of those and their standard deviation.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from common.errors import UserError
from common.programs.chapters import load_run
from common.search.attending import BATCH_SIZE, Shown, force
from common.text.alignment import Links, true_alignments
from common.text.batching import make_batches
from common.text.corpus import Sentence, load_corpus
from common.text.pairs import Pair, ParallelCorpus, load_pairs, make_pair_batches
from common.text.vocab import BEGIN
from data.pairs import truth_of
from tools.metrics import spread
from tools.tables import aligned

from .phenomena import labels_of_pairs, model_of
from .systems import corpus_of

CHAPTER = "06_attentive_lm"
BACK = (1, 2, 3, 4, 7, 13, 25)
"""The least distance of each group."""
GROUPS = (BEGIN, *(f"{a} back" if b == a + 1 else f"{a} to {b - 1} back" for a, b in pairwise(BACK)), "25 or more")
STATES = "states"


def groups_of(predictions: int) -> np.ndarray:
    """The number in GROUPS of each state, for each prediction of a sentence: (T, T), a column a prediction."""
    back = np.arange(predictions) - np.arange(predictions)[:, None]
    group = np.array([bisect_right(BACK, distance) for distance in range(predictions)])[np.maximum(back, 0)]
    group[0] = 0
    return group


def shares(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Of one sentence, weights (T, T), a column a prediction: the weight on each group, and the exp of the entropy.

    Both summed over the predictions from the second on; the first has nothing to attend to.
    """
    group, seen = groups_of(len(weights)), np.triu(np.ones_like(weights, dtype=bool), 1)
    entropy = -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=0)[1:]
    return np.bincount(group[seen], weights[seen], minlength=len(GROUPS)), float(np.exp(entropy).sum())


def even(predictions: int) -> np.ndarray:
    """The weights of an attention that is the same on all states, (T, T), a column a prediction."""
    before = np.triu(np.ones((predictions, predictions)), 1)
    return before / np.maximum(before.sum(axis=0), 1)


def weights_of(model: Any, lines: Sequence[Sentence]) -> Iterator[tuple[int, np.ndarray]]:
    """The number of each sentence, in no order, and its weights (T, T), a column a prediction."""
    encoded = [model.vocab.encode(line) for line in lines]
    for batch in make_batches(encoded, 64):
        weights = model.attention(batch.inputs)
        for column, index in enumerate(batch.indices):
            length = len(encoded[index]) + 1
            yield index, weights[:length, :length, column]


def measure(model: Any, lines: Sequence[Sentence]) -> dict[str, tuple[float, float]]:
    """By group, and for the number of states: the mean of the model, and that of an even attention."""
    sums = np.zeros((2, len(GROUPS) + 1))
    for _, weights in weights_of(model, lines):
        for row, of_sentence in enumerate((weights, even(len(weights)))):
            on_groups, states = shares(of_sentence)
            sums[row] += (*on_groups, states)
    names, number = (*GROUPS, STATES), sum(map(len, lines))
    return {name: (float(a), float(b)) for name, a, b in zip(names, *(sums / number), strict=True) if b}


def distance_table(runs: Sequence[dict[str, tuple[float, float]]]) -> str:
    rows = [["", "attention", "even"]]
    for name, (_, if_even) in runs[0].items():
        digits = 2 if name == STATES else 3
        rows.append([name, spread([run[name][0] for run in runs], digits), f"{if_even:.{digits}f}"])
    return aligned(rows)


def attending_runs(folders: Sequence[Path]) -> Iterator[tuple[Any, Any]]:
    """Models of chapter 6 and their settings, one at a time; each attends to its own sentence, all are of one corpus.

    Raises `UserError` for another run.
    """
    corpus = ""
    for run in folders:
        model, settings = load_run(run, CHAPTER)
        corpus = corpus or settings.corpus
        if settings.score == "none":
            raise UserError(f"{run}: trained with --score none, so there is no attention; choose another run")
        if settings.memory_states:
            raise UserError(f"{run}: attends to earlier sentences, too; choose a run without --memory-states")
        if settings.corpus != corpus:
            raise UserError(
                f"{run}: trained on {settings.corpus}, the first run on {corpus}; choose runs on one corpus"
            )
        yield model, settings


def by_distance(arguments: argparse.Namespace) -> str:
    measured, lines = [], []
    for model, settings in attending_runs(arguments.runs):
        lines = lines or getattr(load_corpus(settings.corpus), arguments.split)
        measured.append(measure(model, lines))
    return distance_table(measured)


FIGURES = ("1 - o", "annotation", "word")
"""The share of the word context, and what of the annotation attention and of the word attention is where it belongs."""

Figures = Mapping[str, tuple[float, ...]]
"""By label: how many words, then FIGURES; NaN where there is none."""


def on_aligned(attention: np.ndarray, links: Links) -> np.ndarray:
    """The weight that each target word, and `</s>`, puts on the source words it renders; NaN where it renders none."""
    weights = np.full(len(attention), np.nan)
    for i, j in links:
        weights[j] = attention[j, i] + (0 if np.isnan(weights[j]) else weights[j])
    return weights


def by_label(labels: Sequence[Sequence[str]], sentences: Sequence[Shown], links: Sequence[Links]) -> Figures:
    """What FIGURES are on the words that each label decides."""
    collected = defaultdict(list)
    for sentence, readings, linked in zip(labels, sentences, links, strict=True):
        gates = np.full(len(sentence), np.nan) if readings.gates is None else readings.gates
        each = gates, on_aligned(readings.attention, linked), on_aligned(readings.word_attention, linked)
        for label, *figures in zip(sentence, *each, strict=True):
            collected[label].append(figures)
    return {label: (len(rows), *map(known_mean, zip(*rows, strict=True))) for label, rows in collected.items()}


def known_mean(values: Sequence[float]) -> float:
    """The mean of what is known; NaN where nothing is."""
    numbers = [float(value) for value in values if not np.isnan(value)]
    return mean(numbers) if numbers else float("nan")


def label_table(runs: Sequence[Figures]) -> str:
    """All runs as one table, the words with the largest gates first."""
    rows = {label: [[run[label][number] for run in runs] for number in range(1, len(FIGURES) + 1)] for label in runs[0]}
    cells = [["decided by", "words", *FIGURES]]
    for label, columns in sorted(rows.items(), key=lambda row: -np.nan_to_num(mean(row[1][0]))):
        cells.append([label, f"{runs[0][label][0]:,}", *(spread(column, 3) for column in columns)])
    return aligned(cells)


def figures_of(run: Path, model: Any, corpus: ParallelCorpus) -> Figures:
    """The rows of a run. Raises `UserError` for a model that does not attend to words."""
    readings = force(model, *zip(*corpus.test, strict=True))
    if readings[0].word_attention is None:
        raise UserError(f"{run}: its model does not attend to words; choose a run of --variant word or gates")
    return by_label(
        labels_of_pairs(truth_of(corpus.name, corpus.facts), corpus.test, model.vocab),
        readings,
        true_alignments(corpus, "test"),
    )


def gate_figures(model: Any, pairs: Sequence[Pair]) -> dict[str, float]:
    """Shares of the elements of o_i, and mean norms of the contexts, over all predictions of the targets given."""
    import dynet as dy

    from common.nn.dropout import NO_DROPOUT
    from common.nn.softmax import as_rows, embed, unfold_time

    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    gates, norms = [], []
    for batch in make_pair_batches(sources, targets, BATCH_SIZE):
        dy.renew_cg()
        words = unfold_time(embed(model.embedding, batch.target.inputs.T.ravel().tolist()), len(batch.target.inputs))
        state = model.encode([sources[index] for index in batch.target.indices])
        for step, real in zip(model.decode(state, words, NO_DROPOUT), batch.target.mask > 0, strict=True):
            gates.append(as_rows(step.gate)[real])
            norms.append([np.linalg.norm(as_rows(context)[real], axis=1) for context in step.contexts])
    o, (alpha, beta) = np.concatenate(gates), map(np.concatenate, zip(*norms, strict=True))
    return {
        "elements of o_i below 0.1": float(np.mean(o < 0.1)),
        "elements of o_i from 0.4 to 0.6": float(np.mean((o >= 0.4) & (o <= 0.6))),
        "elements of o_i above 0.9": float(np.mean(o > 0.9)),
        "norm of the gated context of annotations": float(alpha.mean()),
        "norm of the gated context of words": float(beta.mean()),
    }


def by_phenomenon(arguments: argparse.Namespace) -> str:
    name = arguments.corpus or corpus_of(arguments.runs[0])
    corpus, models = load_pairs(name), [model_of(run, name) for run in arguments.runs]
    if any(model.vocab.words != models[0].vocab.words for model in models):
        raise UserError("the models have different vocabularies; compare runs with one --min-count")
    lines = [label_table([figures_of(run, model, corpus) for run, model in zip(arguments.runs, models, strict=True)])]
    gates = [gate_figures(model, corpus.test) for model in models if model.variant == "gates"]
    if gates:
        lines.append(aligned([[name, spread([run[name] for run in gates], 3)] for name in gates[0]]))
    return "\n".join(lines)
