"""Where the gates of chapter 9 choose the word context, by what decides the word: `python -m tools.gates RUN ...`.

For each target word of the test split, the references given (teacher forcing): the mean of 1 - o_i, the share of the
word context. The embedded corpora know what decides each word (`python -m tools.pair_phenomena`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev

import numpy as np

from common import cli, runtime
from common.errors import UserError, exits_cleanly
from common.pairs import load_pairs
from common.visualising import force
from data.pairs import TRUTHS
from tools.pair_phenomena import labels_of, model_of

Gates = Sequence[np.ndarray]
"""Of each sentence the mean of 1 - o_i at its words and `</s>`."""


def by_label(labels: Sequence[Sequence[str]], gates: Gates) -> dict[str, tuple[int, float]]:
    """How many words each label decides, and the mean of the gates there; the largest mean first."""
    collected = defaultdict(list)
    for sentence, found in zip(labels, gates, strict=True):
        for label, gate in zip(sentence, found, strict=True):
            collected[label].append(float(gate))
    rows = {label: (len(found), mean(found)) for label, found in collected.items()}
    return dict(sorted(rows.items(), key=lambda row: -row[1][1]))


def table(columns: Mapping[str, dict[str, tuple[int, float]]]) -> str:
    """columns: a run's name -> what `by_label` found there; the rows are in the order of the first."""
    first = next(iter(columns.values()))
    lines = [f"{'decided by':14}{'words':>8}" + "".join(f"{f'[{n}]':>9}" for n in range(1, len(columns) + 1))]
    lines[0] += f"{'mean':>9}{'spread':>9}" if len(columns) > 1 else ""
    for label, (words, _) in first.items():
        found = [column[label][1] for column in columns.values()]
        line = f"{label:14}{words:8,}" + "".join(f"{gate:9.3f}" for gate in found)
        lines.append(line + (f"{mean(found):9.3f}{stdev(found):9.3f}" if len(found) > 1 else ""))
    return "\n".join([*lines, *(f"[{number}] {name}" for number, name in enumerate(columns, start=1))])


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.gates", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders of models with gates")
    parser.add_argument("--corpus", choices=TRUTHS, default="village_pairs", help="what they were trained on")
    arguments = parser.parse_args()
    runtime.configure()
    truth, pairs = TRUTHS[arguments.corpus], load_pairs(arguments.corpus).test
    columns = {}
    for run in arguments.runs:
        model = model_of(run, arguments.corpus)
        shown = force(model, [pair.source for pair in pairs], [pair.target for pair in pairs])
        if shown[0].gates is None:
            raise UserError(f"{run}: its model has no gates; choose a run of --variant gates")
        columns[str(run)] = by_label(labels_of(truth, pairs, model.vocab), [one.gates for one in shown])
    print(table(columns))


if __name__ == "__main__":
    main()
