"""The benchmarks' program: what it runs, what it prints, what it refuses."""

from __future__ import annotations

import importlib
import json
import math
import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from common.errors import UserError
from tests.pairs import write_pairs
from tools.bench import __main__ as bench, report, rounds
from tools.bench.language_models import LanguageModelSide

SMALL = {"hidden_size": 16, "vocabulary": 30, "batch_size": 4}
SMALL_FLAGS = [text for name, value in SMALL.items() for text in (f"--{name.replace('_', '-')}", value)]
TASKS = ["training", "evaluation", "decoding"]
LISTED = ["feedforward_lm", "rnn_lm", "transformer"]


@pytest.fixture
def small_and_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if only some benchmarks of small models were there, and neither PyTorch nor a real corpus."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.setattr(rounds, "PEAK_SIZE", 512)
    monkeypatch.setattr(rounds, "has_torch", lambda: False)
    small = {name: bench.BENCHMARKS[name] for name in LISTED}
    monkeypatch.setattr(bench, "BENCHMARKS", small)
    for side in small.values():
        monkeypatch.setattr(side, "Settings", partial(side.Settings, **SMALL))


Run = Callable[..., str]


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run_main: Run) -> Run:
    """A function that runs the program here, without a real corpus and with a small peak; what it prints."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.setattr(rounds, "PEAK_SIZE", 512)
    return partial(run_main, bench.main)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sides' processes are forks of this one, which has loaded the libraries; by themselves they load them anew."""
    for name in ("dynet", *(["torch._dynamo"] if rounds.has_torch() else [])):
        importlib.import_module(name)
    if hasattr(os, "fork"):
        monkeypatch.setattr(rounds, "get_context", lambda way: get_context("fork"))


@pytest.mark.slow
def test_program_prints_a_table_and_writes_its_figures(measure: Run, forked: None, tmp_path: Path) -> None:
    flags = [*SMALL_FLAGS, "--batches", 2, "--rounds", 2, "--score", "combined", "--json", tmp_path / "bench.json"]
    printed = measure("attentive_lm", *flags)
    figures = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert figures["settings"]["hidden_size"] == 16 and figures["settings"]["score"] == "combined"
    assert figures["versions"]["dynet"] in printed.splitlines()[0]
    assert list(figures["tasks"]) == TASKS
    for task, entry in figures["tasks"].items():
        side = entry["sides"]["DyNet"]
        speeds, per_processor_second = side["tokens_per_second"], side["tokens_per_processor_second"]["median"]
        flops = figures["flops_per_token"] / (1 if task == "training" else 3)
        assert side["gflops_per_thread"] == pytest.approx(per_processor_second * flops / 1e9)
        assert len(speeds["rounds"]) == 2 and speeds["min"] <= speeds["median"] <= speeds["max"]
        assert task in printed and f"{speeds['median']:.0f}" in printed
        if "PyTorch" in entry["sides"]:
            other = entry["sides"]["PyTorch"]["tokens_per_second"]["rounds"]
            ratios = [ours / theirs for ours, theirs in zip(speeds["rounds"], other, strict=True)]
            assert entry["ratio"]["rounds"] == pytest.approx(ratios)


def test_what_decoding_does_is_chosen(measure: Run, forked: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either way of generating does without the other."""
    monkeypatch.setattr(rounds, "has_torch", lambda: False)
    flags = ["rnn_lm", *SMALL_FLAGS, "--batches", 1, "--rounds", 1, "--generate"]
    for method, other in (("sampled", "decode_batch"), ("greedy", "sample_batch")):
        with monkeypatch.context() as patched:
            patched.setattr(LanguageModelSide, other, lambda *batch: math.nan)
            assert "decoding" in measure(*flags, method)
            with pytest.raises(SystemExit):  # a sum that is not finite
                measure(*flags, {"sampled": "greedy", "greedy": "sampled"}[method])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "flags"), [("encoder_decoder", ()), ("attention", ()), ("word_attention", ("--variant", "word"))]
)
def test_program_prints_every_task_of_a_translation_model(
    name: str, flags: tuple[str, ...], measure: Run, forked: None, tmp_path: Path
) -> None:
    small = "--hidden-size 8 --batches 2 --batch-size 4 --rounds 2 --layers 1".split()
    files = "--corpus", write_pairs(tmp_path / "farm"), "--json", tmp_path / "bench.json"
    printed = measure(name, *small, *files, *flags)
    assert "pairs of farm" in printed
    figures = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert list(figures["tasks"]) == TASKS
    for task, entry in figures["tasks"].items():
        speed = entry["sides"]["DyNet"]["tokens_per_second"]["median"]
        assert task in printed and f"{speed:.0f}" in printed


@pytest.mark.slow
def test_all_benchmarks_run_one_after_another(small_and_alone: None, tmp_path: Path, capsys) -> None:
    settings = bench.AllSettings(batches=2, rounds=2, json=str(tmp_path / "all.json"))
    results = bench.measure_all(settings, markdown=False)
    printed, table = capsys.readouterr().out, report.overview(results)
    written = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert list(written["benchmarks"]) == LISTED and written["settings"]["rounds"] == 2
    for name, result in written["benchmarks"].items():
        assert result["settings"]["rounds"] == 2 and result["settings"]["batches"] == 2
        assert result["benchmark"] in printed
        rows = [line.split() for line in table.splitlines() if line.startswith(f"{name} ")]
        medians = [task["sides"]["DyNet"]["tokens_per_second"]["median"] for task in result["tasks"].values()]
        assert [row[1] for row in rows] == [f"{median:,.0f}" for median in medians]
    for text in (printed, table):
        assert 'pip install -e ".[compare]"' in text and "\nPyTorch  " not in text


def invented_result(with_torch: bool) -> dict:
    """Three rounds: DyNet reads 1,000 tokens in 1, 2 and 4 seconds, PyTorch in half the time; the peak is 5 GFLOP/s."""
    times = {"DyNet": [(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)], "PyTorch": [(0.5, 0.5), (1.0, 1.0), (1.0, 1.0)]}
    sides = times if with_torch else {"DyNet": times["DyNet"]}
    return {
        "versions": {"dynet": "dynet38 2.2"},
        "losses_before_training": dict.fromkeys(sides, 1.0),
        "peak_gflops_per_thread": rounds.spread([2.0, 5.0, 3.0]),
        "tasks": {task: rounds.of_task(sides, 1000, 4e6) for task in TASKS},
    }


def test_tables_of_all_benchmarks() -> None:
    results = {"rnn_lm": invented_result(True)}
    table, readme = report.overview(results).splitlines(), report.markdown(results).splitlines()
    rows = [line.split() for line in table if line.startswith("rnn_lm")]
    assert rows == [["rnn_lm", "500", "1,000", "0.50", "(0.25", "to", "0.50)", "40%", "80%"]] * 3
    assert readme[3] == "| | training | evaluation | decoding |"
    cell = "500 / 1,000<br>0.50 (0.25 to 0.50)<br>40% / 80%"
    assert readme[-1] == f"| rnn_lm | {cell} | {cell} | {cell} |"
    alone = report.markdown({"rnn_lm": invented_result(False)}).splitlines()
    assert alone[-1] == f"| rnn_lm | {' | '.join(['500<br>40%'] * 3)} |"


def test_what_would_spoil_the_comparison_is_an_error() -> None:
    rounds.compare_losses({"DyNet": 7.0, "PyTorch": 7.0001})
    with pytest.raises(RuntimeError, match="same loss"):
        rounds.compare_losses({"DyNet": 7.0, "PyTorch": 7.01})
    with pytest.raises(UserError, match="not finite"):
        rounds.timed(lambda: [1.0, math.nan])


def test_a_side_that_dies_is_reported() -> None:
    with ExitStack() as stack, pytest.raises(UserError, match="the DyNet side died"):
        rounds.Worker(stack, "DyNet", 1, os._exit, 1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("attentive_lm", "--rounds", "0"), "--rounds 0: must be at least 1"),
        (("attentive_lm", "--score", "triple"), "--score"),
        (("nothing",), "nothing"),
        (("--rounds", "0"), "--rounds 0: must be at least 1"),
        (("--rounds", "2", "rnn_lm"), "rnn_lm"),
        (("all", "--layers", "2"), "--layers"),
    ],
)
def test_bad_flags_get_one_line(arguments: tuple[str, ...], complaint: str, refuse_main: Run) -> None:
    assert complaint in refuse_main(bench.main, *arguments)
