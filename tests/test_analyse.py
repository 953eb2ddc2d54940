"""`python -m tools.analyse`: the runs that a command line names, and the analyses of language models."""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.errors import UserError
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from data.paragraph_files import NAME
from tests.programs import make_call, write_lines
from tools.analyse import __main__ as analyse, gains, recurrence, systems

Program = Callable[..., str]


def arguments_of(*flags: str) -> argparse.Namespace:
    return analyse.make_parser().parse_args(["--by", "gain", *flags])


def write_part(folder: Path, corpus: str, **sizes: int) -> Path:
    """A corpus of the first sentences of another one's splits."""
    folder.mkdir()
    for split, number in sizes.items():
        write_lines(folder / f"{split}.txt", map(" ".join, getattr(load_corpus(corpus), split)[:number]))
    return folder


# --- runs and systems


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--system", "a", "r1", "./r1"), "--system a: a run is given twice"),
        (("--system", "a", "r1", "--system", "a", "r2"), "two have the same name"),
    ],
)
def test_a_run_counts_once(flags: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        systems.check_systems(arguments_of(*flags))
    systems.check_systems(arguments_of("--system", "plain", "r1", "--system", "cached", "r1", "--cache", "cached"))


def test_runs_that_know_other_words_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that only one of them knows would be left out of one result and not of the other."""
    corpus = load_corpus("village_paragraphs")
    few, many = Vocabulary(["a"]), Vocabulary(sorted({word for line in corpus.dev for word in line}))
    log_probs = [np.full(len(line) + 1, -1.0) for line in corpus.dev]
    monkeypatch.setattr(systems, "log_probs_of", lambda run, *rest: (log_probs, few if run.name == "few" else many))
    with pytest.raises(UserError, match="few: has another vocabulary than the first run"):
        list(systems.predictions_of(arguments_of("--system", "one", "many", "few", "--split", "dev"), corpus))
    alone = list(systems.predictions_of(arguments_of("--system", "one", "many", "--system", "two", "many"), corpus))
    assert [(run.system, run.folder.name, run.vocab) for run in alone] == [("one", "many", many), ("two", "many", many)]


def test_a_cache_needs_the_states_of_a_recurrent_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimpleNamespace(log_probs=None, vocab=Vocabulary(["a"]))
    monkeypatch.setattr(systems, "load_run", lambda folder: (model, SimpleNamespace(corpus="village")))
    with pytest.raises(UserError, match="a neural cache needs a recurrent model of chapter 5"):
        systems.log_probs_of(tmp_path, load_corpus("village"), "test", True)
    with pytest.raises(UserError, match="not a run of a language model on village_pairs"):
        systems.log_probs_of(tmp_path, argparse.Namespace(name="village_pairs"), "test", False)


def test_what_reads_a_text_in_order() -> None:
    for settings, in_order in (({"state": "kept"}, 1), ({"memory_states": 20}, 1), ({"state": "reset"}, 0), ({}, 0)):
        assert systems.reads_in_order(argparse.Namespace(**settings)) == in_order


ONE_SYSTEM = ("--system", "one")


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
        (("--by", "recurrence", *ONE_SYSTEM), "--system: give a name and at least one run"),
        (("--by", "recurrence", *ONE_SYSTEM, "RUN", "--cache", "two"), "--cache two: no system of this name"),
        (("--by", "recurrence", *ONE_SYSTEM, "nowhere"), "nowhere"),
        (("--by", "recurrence", "--system", "oracle", "RUN"), "--system oracle: this name is reserved for the grammar"),
    ],
)
def test_what_is_refused(flags: tuple[str, ...], problem: str, refuse_main: Program) -> None:
    """A flag that would have no effect, too."""
    assert problem in refuse_main(analyse.main, *flags)


# --- gains


LINES = [text.split() for text in ("mira sees mira .", "the hen sees <unk> .", "otto waits")]
COUNTS = {"mira": 9, "sees": 10, ".": 10_000, "the": 1_000, "hen": 1, "<unk>": 500, "waits": 2}


def test_the_groups_of_a_small_text() -> None:
    labels = gains.labels_of(LINES, Counter(COUNTS))
    words = [word for line in LINES for word in (*line, "</s>")]
    assert [label[0] for label in labels] == [gains.ALL] * len(words)
    often, text = "times in training", "predictions ago in the text"
    new = ("new in the sentence", "new in the text")
    assert [label[1:] for label in labels] == [
        (f"1 to 9 {often}", *new),  # mira
        (f"10 to 99 {often}", *new),
        (f"1 to 9 {often}", "1 to 5 words ago in the sentence"),  # mira again
        (f"10,000 or more {often}", *new),
        ("</s>",),
        (f"1,000 to 9,999 {often}", *new),
        (f"1 to 9 {often}", *new),  # hen
        (f"10 to 99 {often}", "new in the sentence", f"1 to 100 {text}"),  # sees: six predictions ago
        ("<unk>", *new),
        (f"10,000 or more {often}", "new in the sentence", f"1 to 100 {text}"),
        ("</s>",),
        (f"1 to 9 {often}", *new),  # otto, which training does not have
        (f"1 to 9 {often}", *new),
        ("</s>",),
    ]


def test_distances_count_words_in_a_sentence_and_predictions_in_the_text() -> None:
    """A word five places back in its sentence is in the first group, six in the second; `</s>` counts in a text."""
    within = gains.labels_of([["a", "b", "c", "d", "e", "a", "f", "b", "g", "a"]], Counter())
    assert within[5][2] == "1 to 5 words ago in the sentence" == within[9][2]
    assert within[7][2] == "6 to 10 words ago in the sentence"
    long = gains.labels_of([["a", *"b" * 98], ["a"], ["c", *"b" * 99], ["a"]], Counter())
    assert long[100][3] == "1 to 100 predictions ago in the text"
    assert long[203][3] == "101 to 500 predictions ago in the text"


def test_unknown_words_are_left_out_and_gains_add_up() -> None:
    vocab = Vocabulary(["mira", "sees", ".", "the", "hen", "waits"])
    groups = gains.groups_of(LINES, Counter(COUNTS), vocab)
    places = [place for place in range(14) if place != 11]  # otto; a text's own "<unk>" is a word
    assert groups[gains.ALL].tolist() == places
    first, other = -np.random.default_rng(1).random((2, 14))
    row = gains.measure(groups, other, first)
    mean_first, mean_other = (math.fsum(log_probs[places]) / len(places) for log_probs in (first, other))
    assert row[gains.ALL] == pytest.approx((math.exp(-mean_other), 1000 * (mean_other - mean_first)))
    by_count = [gain for name, (_, gain) in row.items() if "training" in name]
    assert sum(by_count) + row["<unk>"][1] + row["</s>"][1] == pytest.approx(row[gains.ALL][1])
    seen = row["new in the sentence"][1] + row["1 to 5 words ago in the sentence"][1]
    assert seen + row["</s>"][1] == pytest.approx(row[gains.ALL][1])
    in_text = row["new in the text"][1] + row["1 to 100 predictions ago in the text"][1]
    assert in_text == pytest.approx(row["new in the sentence"][1])
    hen = groups["1 to 9 times in training"]
    assert row["1 to 9 times in training"][0] == pytest.approx(math.exp(-np.mean(other[hen])))


def test_the_table_has_a_gain_for_all_systems_but_the_first() -> None:
    base, other = [{gains.ALL: (4.0, 0.0)}], [{gains.ALL: (6.0, 2.5)}, {gains.ALL: (8.0, 3.5)}]
    head, line = gains.table({gains.ALL: np.arange(3)}, {"one": base, "two": other}).splitlines()
    assert head.split() == ["known", "one", "two", "two,", "gain"]
    assert line.split() == ["all", "predictions", "3", "4.00", "7.00", "±", "1.41", "3.0", "±", "0.7"]


@pytest.mark.slow
def test_a_run_beside_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_main: Program) -> None:
    """A trained model gains over one that hardly is, and the numbers are those that the run has reported."""
    for name, epochs in (("little", 1), ("more", 3)):
        flags = ["--hidden-size", 16, "--epochs", epochs, "--run-dir", tmp_path / name]
        make_call(monkeypatch, "04_feedforward_lm")("train", *flags)
    record = tmp_path / "record.json"
    flags = [part for name in ("little", "more") for part in ("--system", name, tmp_path / name)]
    printed = run_main(analyse.main, "--by", "gain", *flags, "--record", record)
    assert printed.startswith("village, test: perplexity on known words")
    figures = {name: runs[0][gains.ALL] for name, runs in json.loads(record.read_text("utf-8")).items()}
    for name, row in figures.items():
        metrics = json.loads((tmp_path / name / "metrics.json").read_text("utf-8"))
        assert row["perplexity"] == pytest.approx(metrics["test"]["known_perplexity"], rel=1e-4)
    quotient = figures["little"]["perplexity"] / figures["more"]["perplexity"]
    assert figures["more"]["gain"] == pytest.approx(1000 * math.log(quotient), rel=1e-3) and quotient > 1


@pytest.mark.parametrize(
    ("analysis", "corpus", "cost"), [("gain", "village", -math.inf), ("recurrence", NAME, -2000.0)]
)
def test_a_model_that_gives_no_probability(
    analysis: str, corpus: str, cost: float, monkeypatch: pytest.MonkeyPatch, refuse_main: Program
) -> None:
    """Numbers so small that exp overflows, as a damaged model has them, are one line that names the run."""
    words = Vocabulary(sorted({word for line in load_corpus(corpus).test for word in line}))
    costs = [np.full(len(line) + 1, cost) for line in load_corpus(corpus).test]
    monkeypatch.setattr(systems, "log_probs_of", lambda *arguments: (costs, words))
    monkeypatch.setattr(gains, "corpus_of", lambda run: corpus)
    line = refuse_main(analyse.main, "--by", analysis, "--system", "mine", "runs/1")
    assert line.startswith("error: runs/1: gives some word the probability 0")


# --- names that come back

PARAGRAPH = [text.split() for text in ("mira sees tavin .", "tavin thanks mira .", "*", "mira waits .")]


def test_only_known_words_are_counted() -> None:
    """Two names come back, one of which is unknown; the second sentence's words cost 1/2, 1/4, 1/8 ..."""
    vocab = Vocabulary(["mira", "sees", ".", "thanks", "*", "waits"])
    log_probs = [np.log(0.5) * np.arange(1, len(line) + 2) for line in PARAGRAPH]
    row = recurrence.measure(PARAGRAPH, log_probs, vocab)
    assert row["all"] == (1, pytest.approx(8)) == row["1 to 10"]
    costs = [index + 1 for line in PARAGRAPH for index, word in enumerate([*line, "."]) if word in vocab]
    assert row[recurrence.ALL] == (len(costs), pytest.approx(math.exp(np.log(2) * np.mean(costs))))
    few = [np.full(len(line) + 1, -2000.0) for line in PARAGRAPH]
    assert recurrence.measure(PARAGRAPH, few, Vocabulary([*vocab.words[2:], "tavin"]))["all"] == (2, math.inf)


def test_the_table_has_means_and_deviations() -> None:
    rows = [{recurrence.ALL: (9, 4.0), "all": (2, value)} for value in (6.0, 8.0)]
    text = recurrence.table({"oracle": rows[:1], "mine": rows})
    assert text.splitlines()[2].split() == ["all", "2", "6.00", "7.00", "±", "1.41"]


@pytest.mark.slow
def test_runs_of_both_chapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_main: Program) -> None:
    """Trained on a few paragraphs: each is read as it was trained, and a cache changes what it costs."""
    folder = write_part(tmp_path / NAME, NAME, train=300, dev=60, test=60)
    few = load_corpus(str(folder))
    monkeypatch.setattr(recurrence, "load_corpus", lambda name: few)
    tiny = ["--corpus", folder, "--hidden-size", 8, "--epochs", 1, "--batch-size", 4]
    for name, chapter, flags in (
        ("memory", "06_attentive_lm", ["--memory-states", 20]),
        ("sentence", "06_attentive_lm", []),
        ("kept", "05_rnn_lm", ["--state", "kept"]),
    ):
        make_call(monkeypatch, chapter)("train", *tiny, *flags, "--run-dir", tmp_path / name)
    flags = [part for name in ("memory", "sentence", "kept") for part in ("--system", name, tmp_path / name)]
    flags += ["--system", "cached", tmp_path / "kept", "--cache", "cached"]
    record = tmp_path / "record.json"
    assert "cached" in run_main(analyse.main, "--by", "recurrence", *flags, "--record", record)
    figures = json.loads(record.read_text("utf-8"))
    assert list(figures) == ["oracle", "memory", "sentence", "kept", "cached"]
    values = [rows[0]["all"]["perplexity"] for rows in figures.values()]
    assert len(set(values)) == 5 and min(values) == values[0]
