"""What the figures of part 2 of chapter 5 show of trained models: what probes find in their states.

`python -m book.figures.ch05_part2_record RUNS` measures the recurrent runs of `ch05_record`, and prints the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import dynet as dy
import numpy as np

from book.figures.ch05_record import CELL_RUNS, CELLS, SEEDS, commands_of
from book.figures.recording import Recording
from common.chapters import chapter_module
from common.programs.chapters import load_run
from data.agreement import agreement_sentences, new_sentences

CHAPTER, NAME = "05_rnn_lm", "figures/recorded_part2.json"
probe, probing, variants = (chapter_module(CHAPTER, name) for name in "probe probing variants".split())
SAMPLE = 6000
"""New sentences of the village in which verbs are looked for, as probe.py has them."""
QUESTIONS = tuple((feature, zone) for feature in probing.PROPERTIES for zone in probing.ZONES)
PAIR = ("the girl whom the singers admire often reads her letters .".split(),
        "the girls whom the singers admire often read their letters .".split())  # fmt: skip
POOLED = (("number before", 4), ("number after", 1), ("gender before", 3), ("gender after", 0))
"""Questions, and the distances from which on their places are counted together."""


def answers(kinds: Mapping, questions: Mapping) -> dict:
    """For each question what the probes of all kinds of vectors tell."""
    return {name: probe.columns(kinds, where) for name, where in questions.items()}


def rows(seeds: Sequence[Mapping]) -> dict:
    """For each kind of vector the accuracies by distance: a list for each run."""
    return {name: [run[name].accuracy for run in seeds] for name in seeds[0]}


def tested(where) -> dict:
    """How many sentences test a probe, and how many of their places there are at each distance."""
    test = ~probe.split(where)
    far = np.minimum(where.distance[test], probe.FAR)
    return {"sentences": len(set(where.sentence[test])), "places": np.bincount(far, minlength=probe.FAR + 1)}


def through(model, part: str, reader) -> list:
    """The probe's probability of a singular subject after each word of both sentences of PAIR."""
    return [1 / (1 + np.exp(-reader.scores(values))) for values in probing.states(model, PAIR)[part]]


def unit(model, reader) -> dict:
    """The number of the cell that the probe hears most, its weight, and its values after each word of PAIR."""
    index = probe.loudest(reader)
    values = [state[:, index] for state in probing.states(model, PAIR)["c"]]
    return {"unit": index, "weight": reader.w[index], "values": values, "all weights": np.sort(np.abs(reader.w))[::-1]}


def pooled(record: Mapping, name: str, cell: str, kind: str, first: int) -> np.ndarray:
    """Right answers of each run in percent at all places from a distance on, (runs,)."""
    places = np.array(record["tested"][name]["places"][first:])
    return 100 * np.array(record["accuracy"][name][cell][kind])[:, first:] @ places / max(places.sum(), 1)


def tables(record: Mapping) -> list[str]:
    """Means and standard deviations over the runs, in percent."""
    lines = []
    for name, cells in record["accuracy"].items():
        places = " ".join(f"{count:11}" for count in record["tested"][name]["places"])
        lines += [f"\n{name}, {record['tested'][name]['sentences']} sentences", f"{'places':18}{places}"]
        for cell, kinds in cells.items():
            for kind, runs in kinds.items():
                each = 100 * np.array(runs)
                spread = each.std(axis=0, ddof=1) if len(each) > 1 else np.zeros(each.shape[1])
                both = zip(each.mean(axis=0), spread, strict=True)
                columns = " ".join(f"{mean:5.1f} ±{deviation:4.1f}" for mean, deviation in both)
                lines.append(f"{cell:6}{kind:12}{columns}")
        lines.append(f"{'majority':18}" + " ".join(f"{100 * share:11.1f}" for share in record["majority"][name]))
    for name, first in POOLED:
        lines += [f"\n{name}, distances from {first} on together, run by run"]
        for cell, kinds in record["accuracy"][name].items():
            lines += [f"{cell:6}{kind:12}" + " ".join(f"{run:5.1f}" for run in pooled(record, name, cell, kind, first))
                      for kind in kinds]  # fmt: skip
    lines += ["\nright verb forms run by run: as it is, mirrored, means exchanged, moved elsewhere"]
    for cell, runs in record["moved"].items():
        lines += [f"{cell:6}" + "  ".join(f"{100 * share:5.1f}" for share in run[:4]) for run in runs]
    return lines


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in a folder."""
    models = {cell: [before_and_after(runs / f"{cell}-{seed}") for seed in SEEDS] for cell in CELLS}
    cases = agreement_sentences(new_sentences(SAMPLE))
    questions = {f"{feature} {zone}": probing.places(cases, feature, zone) for feature, zone in QUESTIONS}
    results = {
        cell: [answers(probe.vectors(*pair, [case.sentence for case in cases]), questions) for pair in pairs]
        for cell, pairs in models.items()
    }
    return {"runs": commands_of(CELL_RUNS), "sentences": SAMPLE}, {
        "accuracy": {name: {cell: rows([run[name] for run in each]) for cell, each in results.items()}
                     for name in questions},
        "majority": {name: probe.majority(where) for name, where in questions.items()},
        "tested": {name: tested(where) for name, where in questions.items()},
        "moved": {cell: [list(probe.move(model, run["number before"]["state"].probe, cases))
                         for (model, _), run in zip(models[cell], each, strict=True)]
                  for cell, each in results.items()},
        "through": {cell: through(models[cell][0][0], "h", each[0]["number before"]["state"].probe)
                    for cell, each in results.items()},
        "unit": unit(models["lstm"][0][0], results["lstm"][0]["number before"]["cell"].probe),
        "pair": PAIR,
    }  # fmt: skip


def before_and_after(run: Path) -> tuple:
    """The model of a run, and one like it before its training."""
    model, settings = load_run(run, CHAPTER)
    dy.reset_random_seed(settings.seed)
    return model, variants.of_run(run, settings)[0]


RECORDING = Recording(
    CHAPTER, "python -m book.figures.ch05_part2_record RUNS", measure, CELL_RUNS, name=NAME, tables=tables
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
