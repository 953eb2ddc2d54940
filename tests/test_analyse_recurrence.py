"""`python -m tools.analyse --by recurrence`: who remembers names across sentences."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from data.paragraph_files import NAME
from tests.programs import make_call
from tools.analyse import __main__ as analyse, recurrence, systems

LINES = [text.split() for text in ("mira sees tavin .", "tavin thanks mira .", "*", "mira waits .")]


def test_only_known_words_are_counted() -> None:
    """Two names come back, one of which is unknown; the second sentence's words cost 1/2, 1/4, 1/8 ..."""
    vocab = Vocabulary(["mira", "sees", ".", "thanks", "*", "waits"])
    log_probs = [np.log(0.5) * np.arange(1, len(line) + 2) for line in LINES]
    row = recurrence.measure(LINES, log_probs, vocab)
    assert row["all"] == (1, pytest.approx(8)) == row["1 to 10"]
    known = [index + 1 for line in LINES for index, word in enumerate([*line, "."]) if word in vocab]
    assert row[recurrence.ALL] == (len(known), pytest.approx(math.exp(np.log(2) * np.mean(known))))


def test_the_table_has_means_and_deviations() -> None:
    rows = [{recurrence.ALL: (9, 4.0), "all": (2, value)} for value in (6.0, 8.0)]
    text = recurrence.table({"oracle": rows[:1], "mine": rows})
    assert text.splitlines()[2].split() == ["all", "2", "6.00", "7.00", "±", "1.41"]


def test_a_model_that_gives_no_probability(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Numbers so small that exp overflows, as a damaged model has them, are one line that names the run."""
    vocab = Vocabulary(["mira", "sees", "tavin", ".", "thanks", "*", "waits"])
    few = [np.full(len(line) + 1, -2000.0) for line in LINES]
    assert recurrence.measure(LINES, few, vocab)["all"] == (2, math.inf)
    costs = [np.full(len(line) + 1, -2000.0) for line in load_corpus(NAME).test]
    monkeypatch.setattr(systems, "log_probs_of", lambda *what: (costs, vocab))
    monkeypatch.setattr("sys.argv", ["analyse", "--by", "recurrence", "--system", "mine", "runs/1"])
    with pytest.raises(SystemExit):
        analyse.main()
    assert capsys.readouterr().err.startswith("error: runs/1: gives some word no probability")


@pytest.mark.slow
def test_runs_of_both_chapters(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Trained on a few paragraphs: each is read as it was trained, and a cache changes what it costs."""
    corpus, folder = load_corpus(NAME), tmp_path / NAME
    folder.mkdir()
    for split, number in (("train", 300), ("dev", 60), ("test", 60)):
        lines = getattr(corpus, split)[:number]
        (folder / f"{split}.txt").write_text("".join(" ".join(line) + "\n" for line in lines), "utf-8")
    few = load_corpus(str(folder))
    monkeypatch.setattr(recurrence, "load_corpus", lambda name: few)
    tiny = ["--corpus", folder, "--hidden-size", 8, "--epochs", 1, "--batch-size", 4]
    for name, chapter, flags in (
        ("memory", "06_attentive_lm", ["--memory-states", 20]),
        ("sentence", "06_attentive_lm", []),
        ("kept", "05_rnn_lm", ["--state", "kept"]),
    ):
        make_call(monkeypatch, chapter)("train", *tiny, *flags, "--run-dir", tmp_path / name)
    capsys.readouterr()
    flags = [part for name in ("memory", "sentence", "kept") for part in ("--system", name, str(tmp_path / name))]
    flags += ["--system", "cached", str(tmp_path / "kept"), "--cache", "cached"]
    record = tmp_path / "found.json"
    monkeypatch.setattr("sys.argv", ["analyse", "--by", "recurrence", *flags, "--record", str(record)])
    analyse.main()
    found = json.loads(record.read_text("utf-8"))
    assert list(found) == ["oracle", "memory", "sentence", "kept", "cached"]
    values = [rows[0]["all"]["perplexity"] for rows in found.values()]
    assert len(set(values)) == 5 and min(values) == values[0]
    assert "cached" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--system", "one"], "--system: give a name and at least one run"),
        (["--system", "one", "RUN", "--cache", "two"], "--cache two: no system of this name"),
        (["--system", "one", "nowhere"], "nowhere"),
        (["--system", "oracle", "RUN"], "--system oracle: that is the name of the truth"),
    ],
)
def test_bad_input_is_one_line(flags: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["analyse", "--by", "recurrence", *flags])
    with pytest.raises(SystemExit) as caught:
        analyse.main()
    error = capsys.readouterr().err
    assert caught.value.code == 2 and told in error and len(error.splitlines()) == 1
