"""Record what the figures of part 2 of chapter 5 show of trained models: what probes find in their states.

python -m book.figures.ch05_part2_record --run DIR --run DIR ...      runs of `python chapters/05_rnn_lm/train.py`

Runs of one cell that differ in their seeds are one row. At least one must be of an LSTM. It prints the tables, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import dynet as dy
import numpy as np

from book.figures.recorded import record
from common.chapters import chapter_module
from common.errors import UserError, exits_cleanly
from common.programs.chapters import load_run
from common.training import cli
from data.agreement import agreement_sentences, new_sentences

CHAPTER, NAME = "05_rnn_lm", "figures/recorded_part2.json"
COMMAND = "python -m book.figures.ch05_part2_record --run RUN --run RUN ..."
probe, probing, variants = (chapter_module(CHAPTER, name) for name in "probe probing variants".split())
SAMPLE = 6000
"""New sentences of the village in which verbs are looked for, as probe.py has them."""
QUESTIONS = tuple((asked, zone) for asked in probing.PROPERTIES for zone in probing.ZONES)
PAIR = ("the girl whom the singers admire often reads her letters .".split(),
        "the girls whom the singers admire often read their letters .".split())  # fmt: skip
POOLED = (("number before", 4), ("number after", 1), ("gender before", 3), ("gender after", 0))
"""Questions, and the distances from which on their places are counted together."""
Pairs = Mapping[str, Sequence[tuple]]
"""Trained models by their cells, each with one like it before its training."""


def numbers(models: Pairs, sample: int = SAMPLE) -> dict:
    """All that the figures read. sample: new sentences among which those are found that are asked about."""
    found = agreement_sentences(new_sentences(sample))
    questions = {f"{asked} {zone}": probing.places(found, asked, zone) for asked, zone in QUESTIONS}
    results = {
        cell: [answers(probe.vectors(*pair, [one.sentence for one in found]), questions) for pair in pairs]
        for cell, pairs in models.items()
    }
    return {
        "accuracy": {name: {cell: rows([one[name] for one in each]) for cell, each in results.items()}
                     for name in questions},
        "majority": {name: probe.majority(where) for name, where in questions.items()},
        "tested": {name: tested(where) for name, where in questions.items()},
        "moved": {cell: [list(probe.move(model, one["number before"]["state"].probe, found))
                         for (model, _), one in zip(models[cell], each, strict=True)]
                  for cell, each in results.items()},
        "through": {cell: through(models[cell][0][0], "h", each[0]["number before"]["state"].probe)
                    for cell, each in results.items()},
        "unit": unit(models["lstm"][0][0], results["lstm"][0]["number before"]["cell"].probe),
        "pair": PAIR,
    }  # fmt: skip


def answers(kinds: Mapping, questions: Mapping) -> dict:
    """For each question what the probes of all kinds of vectors tell."""
    return {name: probe.columns(kinds, where) for name, where in questions.items()}


def rows(seeds: Sequence[Mapping]) -> dict:
    """For each kind of vector the accuracies by distance: a list for each run."""
    return {name: [one[name].accuracy for one in seeds] for name in seeds[0]}


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
    chosen = probe.loudest(reader)
    values = [one[:, chosen] for one in probing.states(model, PAIR)["c"]]
    return {
        "unit": chosen,
        "weight": reader.w[chosen],
        "values": values,
        "all weights": np.sort(np.abs(reader.w))[::-1],
    }


def plain(value):
    """The same with lists in place of arrays."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def pooled(found: Mapping, name: str, cell: str, kind: str, first: int) -> np.ndarray:
    """Right answers of each run in percent at all places from a distance on, (runs,)."""
    places = np.array(found["tested"][name]["places"][first:])
    return 100 * np.array(found["accuracy"][name][cell][kind])[:, first:] @ places / max(places.sum(), 1)


def tables(found: Mapping) -> list[str]:
    """Means and standard deviations over the runs, in percent."""
    lines = []
    for name, cells in found["accuracy"].items():
        places = " ".join(f"{one:11}" for one in found["tested"][name]["places"])
        lines += [f"\n{name}, {found['tested'][name]['sentences']} sentences", f"{'places':18}{places}"]
        for cell, kinds in cells.items():
            for kind, runs in kinds.items():
                each = 100 * np.array(runs)
                spread = each.std(axis=0, ddof=1) if len(each) > 1 else np.zeros(each.shape[1])
                shown = " ".join(
                    f"{mean:5.1f} ±{one:4.1f}" for mean, one in zip(each.mean(axis=0), spread, strict=True)
                )
                lines.append(f"{cell:6}{kind:12}{shown}")
        lines.append(f"{'majority':18}" + " ".join(f"{100 * one:11.1f}" for one in found["majority"][name]))
    for name, first in POOLED:
        lines += [f"\n{name}, distances from {first} on together, run by run"]
        for cell, kinds in found["accuracy"][name].items():
            lines += [f"{cell:6}{kind:12}" + " ".join(f"{one:5.1f}" for one in pooled(found, name, cell, kind, first))
                      for kind in kinds]  # fmt: skip
    lines += ["\nright verb forms run by run: as it is, mirrored, means exchanged, moved elsewhere"]
    for cell, runs in found["moved"].items():
        lines += [f"{cell:6}" + "  ".join(f"{100 * one:5.1f}" for one in run[:4]) for run in runs]
    return lines


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Record what the figures of part 2 of chapter 5 show of trained models.")
    parser.add_argument("--run", action="append", type=Path, metavar="DIR", help="folder of a run; may be repeated")
    models: dict[str, list[tuple]] = {}
    commands: list[str] = []
    for folder in parser.parse_args().run or []:
        model, settings = load_run(folder, CHAPTER)
        dy.reset_random_seed(settings.seed)
        models.setdefault(settings.cell, []).append((model, variants.of_run(folder, settings)[0]))
        program = f"chapters/{CHAPTER}/train.py --cell {settings.cell}"
        commands.append(f"python {program} --epochs {settings.epochs} --seed {settings.seed}")
    if "lstm" not in models:
        raise UserError("name runs with --run; one at least must be of an LSTM")
    found = plain(numbers(models))
    print(*tables(found), sep="\n")
    print(record(CHAPTER, COMMAND, {"runs": commands, "sentences": SAMPLE}, found, name=NAME))


if __name__ == "__main__":
    main()
