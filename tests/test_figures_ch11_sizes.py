"""How much data each model needs: what the page of results says is in the record, and the dropout was chosen on dev."""

from __future__ import annotations

import numpy as np

from book.figures.ch11_sizes import NAMES, data_needed
from book.figures.ch11_sizes_record import CHAPTER, DROPOUTS, RECORD, SEEDS, SIZES, SYSTEMS, cases, on_test, tables
from book.figures.recorded import recorded
from book.figures.style import styled
from book.lessons import ROOT

NUMBERS = recorded(CHAPTER, RECORD)
PAGE = (ROOT / "chapters" / CHAPTER / "RESULTS.md").read_text("utf-8")


def test_every_run_is_in_the_record_once() -> None:
    runs = [(run["size"], run["system"], run["dropout"], run["seed"]) for run in NUMBERS["runs"]]
    assert runs == cases() and len(set(runs)) == len(runs)


def test_the_tables_are_those_of_the_record() -> None:
    assert "\n".join(tables(NUMBERS)) in PAGE


def test_the_dropout_is_that_of_the_lowest_mean_on_dev() -> None:
    for size, rates in DROPOUTS.items():
        for name in SYSTEMS:
            runs = [run for run in NUMBERS["runs"] if (run["size"], run["system"]) == (size, name)]
            on_dev = [np.mean([run["dev"]["perplexity"] for run in runs if run["dropout"] == rate]) for rate in rates]
            chosen = [run["test"] for run in runs if run["dropout"] == rates[int(np.argmin(on_dev))]]
            assert on_test(NUMBERS, size, name) == chosen and len(runs) == len(rates) * len(SEEDS)


def test_every_point_has_five_seeds() -> None:
    assert {len(on_test(NUMBERS, size, name)) for size in SIZES for name in SYSTEMS} == {5}


def test_chapter_6_says_the_same_of_its_runs_on_the_largest_village() -> None:
    chapter6 = (ROOT / "chapters" / SYSTEMS["none"][0] / "RESULTS.md").read_text("utf-8")
    for name in ("none", "combined"):
        values = [run["perplexity"] for run in on_test(NUMBERS, 100_000, name)]
        assert f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}" in chapter6 and len(values) == 5


def test_the_figure_shows_every_seed_and_a_line_through_their_means() -> None:
    with styled():
        panels = data_needed().axes
    for axes, label in zip(panels, ("perplexity", "recall"), strict=True):
        lines = {line.get_label(): line.get_ydata() for line in axes.lines if len(line.get_xdata()) == len(SIZES)}
        points = [(x, y) for line in axes.lines if line.get_marker() == "o" for x, y in line.get_xydata()]
        expected = []
        for system, name in NAMES.items():
            seeds = {size: [run[label] for run in on_test(NUMBERS, size, system)] for size in SIZES}
            np.testing.assert_allclose(lines[name], [np.mean(values) for values in seeds.values()])
            expected += [(size, value) for size, values in seeds.items() for value in values]
        assert sorted(points) == sorted(expected)
