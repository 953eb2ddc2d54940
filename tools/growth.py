"""How time and memory grow with the data and the model, for every chapter: `python -m tools.growth`.

An epoch of each chapter's train.py, in a process of its own, on invented text: the length of sentences, the vocabulary,
the number of sentences and the number of layers are doubled one at a time. The time is the processor's, less that of
the same program on six short sentences. The exponent is the slope of the line through the logarithms: 1 means that
twice as much takes twice as long.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from common import ROOT
from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import write_json, write_lines
from common.programs.arguments import check_most
from tools.tables import header, row_of

BASE = {"length": 10, "vocabulary": 500, "sentences": 1_600, "layers": 1}
"""What stays the same where it is not what grows."""
AXES = {
    "length": ("words in a sentence", (5, 10, 20, 40)),
    "vocabulary": ("words in the vocabulary", (250, 500, 1_000, 2_000)),
    "sentences": ("sentences", (800, 1_600, 3_200, 6_400)),
    "layers": ("layers", (1, 2, 3, 4)),
}
"""What grows: its name for people, and its sizes."""
TIMES = {1: 25}
"""How many times as many sentences in a chapter that is fast: counting."""
SMALLEST = {"length": 3, "vocabulary": 3, "sentences": 6, "layers": 1}
HELD_OUT = 20
"""Sentences of dev and of test."""
LAYERS = (4, 5, 6, 7, 8, 9, 11)
"""Chapters with --layers."""
PAIRS = (7, 8, 9, 10)
CHAPTERS = (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)

Results = dict[str, dict[str, list[list[float]]]]
"""By chapter and axis: [size, seconds, MB] of each run."""


def program_of(chapter: int) -> Path:
    (program,) = ROOT.glob(f"chapters/{chapter:02}_*/train.py")
    return program


def write_text(folder: Path, sizes: Mapping[str, int], pairs: bool) -> None:
    """Invented sentences of one length; each word is equally likely, and occurs twice in train at least. The target of
    a pair is its source, word by word in other words."""
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(sizes["vocabulary"])]
    number = max(sizes["sentences"], math.ceil(2 * len(words) / sizes["length"]))
    every_word = np.tile(np.arange(len(words)), 2)
    drawn = rng.integers(len(words), size=number * sizes["length"])
    drawn[: len(every_word)] = every_word
    train = rng.permutation(drawn).reshape(number, -1)[: sizes["sentences"]]
    for split in ("train", "dev", "test"):
        ids = train if split == "train" else rng.integers(len(words), size=(HELD_OUT, sizes["length"]))
        for kind, prefix in (("source", ""), ("target", "t")) if pairs else (("txt", ""),):
            lines = (" ".join(prefix + words[word] for word in sentence) for sentence in ids)
            write_lines(folder / f"{split}.{kind}", lines)


def measure(chapter: int, sizes: Mapping[str, int]) -> tuple[float, float]:
    """The processor seconds and the most memory, in MB, of an epoch in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_text(folder, sizes, chapter in PAIRS)
        command = [sys.executable, str(program_of(chapter)), "--corpus", name, "--run-dir", str(folder / "run")]
        command += ["--epochs", "1", "--min-count", "1"]
        command += ["--layers", str(sizes["layers"])] if chapter in LAYERS else []
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr
        with process.stderr:
            message = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise UserError(f"chapter {chapter}, {dict(sizes)}: {message.strip().splitlines()[-1]}")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


def run_all(chapters: Sequence[int], rounds: int) -> Iterator[tuple[int, str, list[list[float]]]]:
    """Chapter, axis, and [size, seconds, MB] of each size: the least of some rounds, less what a start takes."""
    for chapter in chapters:
        start = min(measure(chapter, SMALLEST)[0] for _ in range(rounds))
        for axis, (_, values) in AXES.items():
            if axis == "layers" and chapter not in LAYERS:
                continue
            rows = []
            for value in values:
                sizes = {**BASE, axis: value}
                sizes["sentences"] *= TIMES.get(chapter, 1)
                runs = [measure(chapter, sizes) for _ in range(rounds)]
                rows.append([value, round(min(run[0] for run in runs) - start, 3), round(min(run[1] for run in runs))])
            yield chapter, axis, rows


def exponent(rows: Sequence[Sequence[float]]) -> float:
    """k of seconds = c size^k, by least squares on logarithms; nan where a run took no longer than a start."""
    sizes, seconds, _ = zip(*rows, strict=True)
    if min(seconds) <= 0:
        return math.nan
    slope, _ = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(slope)


def table(results: Results) -> list[str]:
    """A line for each chapter: of each axis the exponent, and the memory at the smallest and at the largest size."""
    lines = header(["chapter", *(f"time by {label}" for label, _ in AXES.values()), "MB"])
    for chapter, axes in results.items():
        cells = [f"{exponent(axes[axis]):.2f}" if axis in axes else "" for axis in AXES]
        memory = [row[2] for rows in axes.values() for row in rows]
        lines.append(row_of([chapter, *cells, f"{min(memory):.0f} to {max(memory):.0f}"]))
    return lines


def draw(results: Results, path: Path) -> None:
    """A panel for each axis, a line for each chapter: seconds over size, both on logarithmic scales."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import LogLocator

    from common.plots.ground import ON_ANY_GROUND
    from common.plots.plotting import save_figure

    with plt.rc_context(ON_ANY_GROUND):
        figure, panels = plt.subplots(1, len(AXES), figsize=(12, 3.6), sharey=True, layout="constrained")
        for panel, (axis, (label, values)) in zip(panels, AXES.items(), strict=True):
            for place, (chapter, axes) in enumerate(results.items()):
                if axis in axes:
                    sizes, seconds, _ = zip(*axes[axis], strict=True)
                    colour = plt.get_cmap("turbo")(0.08 + 0.84 * place / max(1, len(results) - 1))
                    panel.plot(sizes, seconds, "o-", color=colour, markersize=3, label=f"chapter {chapter}")
            panel.set(xlabel=label, xscale="log", yscale="log")
            panel.set_xticks(values, [f"{value:,}" for value in values])
            panel.minorticks_off()
        panels[0].set_ylabel("seconds of the processor")
        panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panels[0].yaxis.set_major_formatter("{x:g}")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center")
        save_figure(figure, path)


def make_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m tools.growth", description=__doc__, allow_abbrev=False,
                           formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--chapters", nargs="+", type=int, default=CHAPTERS, choices=CHAPTERS, metavar="N")
    parser.add_argument("--rounds", type=int, default=1, help="times that each run is repeated; the least counts")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the numbers to FILE as JSON")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the picture (PNG)")
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    check_most(arguments)
    if arguments.rounds < 1:
        raise UserError("--rounds must be at least 1")
    results: Results = {}
    for chapter, axis, rows in run_all(arguments.chapters, arguments.rounds):
        results.setdefault(str(chapter), {})[axis] = rows
        print(json.dumps({"chapter": chapter, axis: rows}), file=sys.stderr, flush=True)
    print("\n".join(table(results)))
    if arguments.record:
        write_json(arguments.record, results)
    if arguments.picture:
        draw(results, arguments.picture)


if __name__ == "__main__":
    main()
