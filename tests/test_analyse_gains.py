"""`python -m tools.analyse --by gain`: on which words one model gains over another."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest

from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.programs import make_call
from tools.analyse import __main__ as analyse, gains, systems

LINES = [text.split() for text in ("mira sees mira .", "the hen sees <unk> .", "otto waits")]
COUNTS = {"mira": 9, "sees": 10, ".": 10_000, "the": 1_000, "hen": 1, "<unk>": 500, "waits": 2}


def test_the_groups_of_a_small_text() -> None:
    labels = gains.labels_of(LINES, Counter(COUNTS))
    words = [word for line in LINES for word in (*line, "</s>")]
    assert [label[0] for label in labels] == [gains.ALL] * len(words)
    often, text = "times in training", "predictions ago in the text"
    assert [label[1:] for label in labels] == [
        (f"1 to 9 {often}", "new in the sentence", "new in the text"),  # mira
        (f"10 to 99 {often}", "new in the sentence", "new in the text"),
        (f"1 to 9 {often}", "1 to 5 words ago in the sentence"),  # mira again
        (f"10,000 or more {often}", "new in the sentence", "new in the text"),
        ("</s>",),
        (f"1,000 to 9,999 {often}", "new in the sentence", "new in the text"),
        (f"1 to 9 {often}", "new in the sentence", "new in the text"),  # hen
        (f"10 to 99 {often}", "new in the sentence", f"1 to 100 {text}"),  # sees: six predictions ago
        ("<unk>", "new in the sentence", "new in the text"),
        (f"10,000 or more {often}", "new in the sentence", f"1 to 100 {text}"),
        ("</s>",),
        (f"1 to 9 {often}", "new in the sentence", "new in the text"),  # otto, which training does not have
        (f"1 to 9 {often}", "new in the sentence", "new in the text"),
        ("</s>",),
    ]


def test_distances_count_words_in_a_sentence_and_predictions_in_the_text() -> None:
    """A word five places back in its sentence is in the first group, six in the second; `</s>` counts in a text."""
    within = gains.labels_of([["a", "b", "c", "d", "e", "a", "f", "b", "g", "a"]], Counter())
    assert within[5][2] == "1 to 5 words ago in the sentence" == within[9][2]
    assert within[7][2] == "6 to 10 words ago in the sentence"
    long = [["a", *"b" * 98], ["a"], ["c", *"b" * 99], ["a"]]
    first, second = (gains.labels_of(long, Counter())[place][3] for place in (100, 203))
    assert first == "1 to 100 predictions ago in the text"
    assert second == "101 to 500 predictions ago in the text"


def test_unknown_words_are_left_out_and_gains_add_up() -> None:
    vocab = Vocabulary(["mira", "sees", ".", "the", "hen", "waits"])
    groups = gains.groups_of(LINES, Counter(COUNTS), vocab)
    known = [place for place in range(14) if place != 11]  # otto; a text's own "<unk>" is a word
    assert groups[gains.ALL].tolist() == known
    rng = np.random.default_rng(1)
    first, other = -rng.random((2, 14))
    row = gains.measure(groups, other, first)
    mean_first, mean_other = (math.fsum(found[known]) / len(known) for found in (first, other))
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
    groups = {gains.ALL: np.arange(3)}
    one, two = [{gains.ALL: (4.0, 0.0)}], [{gains.ALL: (6.0, 2.5)}, {gains.ALL: (8.0, 3.5)}]
    head, line = gains.table(groups, {"one": one, "two": two}).splitlines()
    assert head.split() == ["known", "one", "two", "two,", "gain"]
    assert line.split() == ["all", "predictions", "3", "4.00", "7.00", "±", "1.41", "3.0", "±", "0.7"]


@pytest.mark.slow
def test_a_run_beside_another(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """A trained model gains over one that hardly is, and the numbers are those that the run has reported."""
    for name, epochs in (("little", 1), ("more", 3)):
        flags = ["--hidden-size", 16, "--epochs", epochs, "--run-dir", tmp_path / name]
        make_call(monkeypatch, "04_feedforward_lm")("train", *flags)
    capsys.readouterr()
    record = tmp_path / "found.json"
    systems_ = ["--system", "little", str(tmp_path / "little"), "--system", "more", str(tmp_path / "more")]
    monkeypatch.setattr("sys.argv", ["analyse", "--by", "gain", *systems_, "--record", str(record)])
    analyse.main()
    assert capsys.readouterr().out.startswith("village, test: perplexity on known words")
    found = {name: runs[0][gains.ALL] for name, runs in json.loads(record.read_text("utf-8")).items()}
    for name, row in found.items():
        metrics = json.loads((tmp_path / name / "metrics.json").read_text("utf-8"))
        assert row["perplexity"] == pytest.approx(metrics["test"]["known_perplexity"], rel=1e-4)
    quotient = found["little"]["perplexity"] / found["more"]["perplexity"]
    assert found["more"]["gain"] == pytest.approx(1000 * math.log(quotient), rel=1e-3) and quotient > 1


def test_bad_input_is_one_line(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    vocab = Vocabulary(["mira"])
    monkeypatch.setattr(gains, "corpus_of", lambda run: "village")
    costs = [np.full(len(line) + 1, -math.inf) for line in load_corpus("village").test]
    monkeypatch.setattr(systems, "log_probs_of", lambda *what: (costs, vocab))
    for flags, told in (
        (["--system", "one"], "--system: give a name and at least one run"),
        (["--system", "one", "RUN", "--cache", "two"], "--cache two: no system of this name"),
        (["--system", "one", "RUN"], "RUN: gives some word no probability"),
    ):
        monkeypatch.setattr("sys.argv", ["analyse", "--by", "gain", *flags])
        with pytest.raises(SystemExit) as caught:
            analyse.main()
        error = capsys.readouterr().err
        assert caught.value.code == 2 and told in error and len(error.splitlines()) == 1
