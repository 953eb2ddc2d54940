"""How even is the attention of chapter 6, and do its two scores attend alike (Salton et al. 2017, section 5)?

Over the predictions of a split that have two states or more to attend to, n of them:

evenness    entropy of the weights divided by that of even weights, ln n: 1 where all weights are the same
latest      the weight on the state that came into the memory last; <s>: on that after <s>; largest: the largest weight
even        the weight that each state would have if all had the same, 1 / n
moved       the share of the weight that has to be moved to make two attentions the same: half the sum of the absolute
            differences of their weights, 0 to 1; here, to make the attention even

A line for all sentences, one for those with each construction that `data/constructions.py` finds, and one for the
predictions with so many states. In the village also, where the verb of a modified subject is predicted: the weight on
the noun that the verb agrees with (without clauses with *who*, which contain other verbs like it).

Below, two systems: the share of the weight that tells them apart, and how their deviations from even weights,
n a_i - 1, correlate over all weights; each run with every run of the other system, or with every other run of its own.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from common.files import write_json
from common.text.corpus import Sentence, load_corpus
from data.constructions import RULES, constructions
from data.oracle import phenomena
from tools.metrics import spread
from tools.tables import aligned

from .attention import attending_runs, even, weights_of
from .phenomena import VILLAGE
from .systems import check_systems

STATES = (2, 4, 8, 16, 32)
"""The least number of states of each group."""
BINS = tuple(f"{a} states" if b == a + 1 else f"{a} to {b - 1} states" for a, b in pairwise(STATES)) + ("32 or more",)
ALL = "all"
FIGURES = ("evenness", "latest", "<s>", "largest", "even", "moved")

Weights = list[np.ndarray]
"""Of each sentence (T, T), a column a prediction; row i is the weight on state i."""
Figures = dict[str, dict[str, float]]
"""By a group of predictions: their number, and the means of FIGURES."""


def read(model: Any, lines: Sequence[Sentence]) -> Weights:
    """The weights of every sentence, in the order of the sentences."""
    by_number = dict(weights_of(model, lines))
    return [by_number[number].astype(float) for number in range(len(lines))]


def moved(weights: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Of one sentence, for each prediction from the third on: the share of the weight that is elsewhere, (T - 2,)."""
    return np.abs(weights - other).sum(axis=0)[2:] / 2


def figures(weights: np.ndarray) -> np.ndarray:
    """FIGURES of one sentence, for each prediction from the third on, which has two states: (6, T - 2)."""
    states = np.arange(2, len(weights))
    own = weights[:, 2:]
    entropy = -np.sum(own * np.log(np.where(own > 0, own, 1)), axis=0)
    latest = weights[states - 1, states]
    from_even = moved(weights, even(len(weights)))
    return np.array([entropy / np.log(states), latest, own[0], own.max(axis=0), 1 / states, from_even])


def measure(read_weights: Weights, lines: Sequence[Sentence], corpus: str) -> Figures:
    """By group of predictions: "all", the constructions that the sentences have, and the number of states."""
    groups = defaultdict(list)
    for weights, line in zip(read_weights, lines, strict=True):
        of_sentence = figures(weights)
        for name in (ALL, *constructions(line, corpus)):
            groups[name].append(of_sentence)
        for place, column in enumerate(of_sentence.T):
            groups[BINS[bisect_right(STATES, place + 2) - 1]].append(column[:, None])
    measured = {}
    for name in (ALL, *RULES.get(corpus, RULES[""]), *BINS):
        if columns := groups.get(name):
            table = np.concatenate(columns, axis=1)
            measured[name] = {
                "predictions": table.shape[1],
                **dict(zip(FIGURES, table.mean(axis=1).tolist(), strict=True)),
            }
    return measured


def on_heads(read_weights: Weights, lines: Sequence[Sentence]) -> dict[str, dict[str, float]]:
    """By construction, of village sentences: the number of verbs that agree with a modified noun, the mean weight on
    that noun where they are predicted, and the mean of even weights."""
    rows = defaultdict(list)
    for weights, line in zip(read_weights, lines, strict=True):
        for name, head in constructions(line, VILLAGE).items():
            if "who" not in line:
                verb = phenomena(line).index("agreement", head + 1)
                rows[name].append((weights[head + 1, verb], 1 / verb))  # state 0 is that after <s>
    return {
        name: {"verbs": len(of_name), **dict(zip(("weight", "even"), np.mean(of_name, axis=0).tolist(), strict=True))}
        for name, of_name in rows.items()
    }


def compare(first: Weights, second: Weights) -> dict[str, float]:
    """Mean of `moved` over all predictions, and the correlation of n a_i - 1 over all their weights."""
    shares, deviations = [], ([], [])
    for pair in zip(first, second, strict=True):
        shares.append(moved(*pair))
        seen = np.triu(np.ones_like(pair[0], dtype=bool), 1)
        seen[:, :2] = False
        for list_of, weights in zip(deviations, pair, strict=True):
            list_of.append((weights * np.arange(len(weights)) - 1)[seen])
    correlation = np.corrcoef(*map(np.concatenate, deviations))[0, 1]
    return {"moved": float(np.concatenate(shares).mean()), "correlation": float(correlation)}


def pairs(systems: Mapping[str, Sequence[Weights]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Every two runs, of two systems or of one, and what `compare` says."""
    for first, second in combinations_with_replacement(systems, 2):
        for number, weights in enumerate(systems[first]):
            for others in systems[second][number + 1 if first == second else 0 :]:
                yield f"{first}, {second}", compare(weights, others)


def measure_systems(systems: Mapping[str, Sequence[Path]], split: str) -> dict:
    """By system, the `Figures` of each run and in the village `on_heads`; by pair of systems, `compare` of two runs."""
    folders = [folder for runs in systems.values() for folder in runs]
    names = iter([name for name, runs in systems.items() for _ in runs])
    lines, runs, weights, heads = [], defaultdict(list), defaultdict(list), defaultdict(list)
    for model, settings in attending_runs(folders):
        corpus = Path(settings.corpus).name
        lines = lines or getattr(load_corpus(settings.corpus), split)
        name, of_run = next(names), read(model, lines)
        weights[name].append(of_run)
        runs[name].append(measure(of_run, lines, corpus))
        if corpus == VILLAGE:
            heads[name].append(on_heads(of_run, lines))
    between = defaultdict(list)
    for name, figures_of_pair in pairs(weights):
        between[name].append(figures_of_pair)
    return {"runs": dict(runs), "heads": dict(heads), "pairs": dict(between)}


def tables(measured: Mapping) -> list[str]:
    """The figures of every system, and of every pair of systems: means and standard deviations."""
    lines = []
    for system, runs in measured["runs"].items():
        rows = [[system, "predictions", *FIGURES]]
        for group, of_group in runs[0].items():
            cells = [spread([run[group][name] for run in runs], 3) for name in FIGURES]
            rows.append([group, f"{of_group['predictions']:,}", *cells])
        lines += [aligned(rows), ""]
    rows = [["weight on the noun that the verb agrees with", "verbs", "weight", "even"]]
    for system, runs in measured["heads"].items():
        for name, figures_of_name in runs[0].items():
            cells = [spread([run[name][figure] for run in runs], 3) for figure in ("weight", "even")]
            rows.append([f"{system}, {name}", str(figures_of_name["verbs"]), *cells])
    if len(rows) > 1:
        lines += [aligned(rows), ""]
    rows = [["", "pairs", "moved", "correlation"]]
    for name, differences in measured["pairs"].items():
        cells = [spread([pair[figure] for pair in differences], 3) for figure in ("moved", "correlation")]
        rows.append([name, str(len(differences)), *cells])
    return [*lines, aligned(rows)]


def by_evenness(arguments: argparse.Namespace) -> str:
    check_systems(arguments)
    systems = {name: [Path(run) for run in runs] for name, *runs in arguments.system}
    measured = measure_systems(systems, arguments.split)
    if arguments.record:
        write_json(arguments.record, measured)
    return "\n".join(tables(measured))
