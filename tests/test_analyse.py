"""`python -m tools.analyse`: the runs and systems that a command line names, and what they give a split."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from common.errors import UserError
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.programs import error_line
from tools.analyse import __main__ as analyse, systems


def arguments_of(*flags: str) -> argparse.Namespace:
    return analyse.make_parser().parse_args(["--by", "gain", *flags])


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--system", "a", "r1", "./r1"), "--system a: a run is there twice"),
        (("--system", "a", "r1", "--system", "a", "r2"), "two have the same name"),
    ],
)
def test_a_run_counts_once(flags: tuple[str, ...], told: str) -> None:
    with pytest.raises(UserError, match=told):
        systems.check_systems(arguments_of(*flags))
    systems.check_systems(arguments_of("--system", "plain", "r1", "--system", "cached", "r1", "--cache", "cached"))


def test_runs_that_know_other_words_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that only one of them knows would be left out of one result and not of the other."""
    corpus = load_corpus("village_paragraphs")
    few, many = Vocabulary(["a"]), Vocabulary(sorted({word for line in corpus.dev for word in line}))
    found = [np.full(len(line) + 1, -1.0) for line in corpus.dev]
    monkeypatch.setattr(systems, "log_probs_of", lambda run, *rest: (found, few if run.name == "few" else many))
    with pytest.raises(UserError, match="few: knows other words than the first run"):
        list(systems.predictions_of(arguments_of("--system", "one", "many", "few", "--split", "dev"), corpus))
    alone = list(systems.predictions_of(arguments_of("--system", "one", "many", "--system", "two", "many"), corpus))
    assert [(one.system, one.folder.name, one.vocab) for one in alone] == [("one", "many", many), ("two", "many", many)]


def test_a_cache_needs_the_states_of_a_recurrent_model(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = type("Model", (), {"log_probs": None, "vocab": Vocabulary(["a"])})()
    settings = type("Settings", (), {"corpus": "village"})()
    monkeypatch.setattr(systems, "load_run", lambda folder: (model, settings))
    with pytest.raises(UserError, match="a neural cache lies over a recurrent model of chapter 5"):
        systems.log_probs_of(tmp_path, load_corpus("village"), "test", True)
    with pytest.raises(UserError, match="no run of a language model on village_pairs"):
        systems.log_probs_of(tmp_path, argparse.Namespace(name="village_pairs"), "test", False)


@pytest.mark.parametrize(
    ("kept", "in_order"),
    [({"state": "kept"}, True), ({"memory_states": 20}, True), ({"state": "reset"}, False), ({}, False)],
)
def test_what_reads_a_text_in_order(kept: dict, in_order: bool) -> None:
    assert systems.reads_in_order(argparse.Namespace(**kept)) == in_order


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--by", "length"), "--by length needs finished runs: RUN ..."),
        (("--by", "gain"), "--by gain needs finished runs: --system NAME RUN"),
        (("--by", "length", "r", "--cache", "a"), "--cache: not for --by length"),
        (("--by", "phenomenon", "r", "--split", "dev"), "--split: not for --by phenomenon"),
        (("--by", "build", "r"), "RUN: not for --by build"),
        (("--by", "colour", "r"), "invalid choice: 'colour'"),
        (("r",), "--by"),
    ],
)
def test_each_analysis_has_its_flags(flags: tuple[str, ...], problem: str, monkeypatch, capsys) -> None:
    """A flag that would have no effect is refused."""
    monkeypatch.setattr("sys.argv", ["analyse", *flags])
    with pytest.raises(SystemExit) as stopped:
        analyse.main()
    assert stopped.value.code == 2 and problem in error_line(capsys.readouterr().err)
