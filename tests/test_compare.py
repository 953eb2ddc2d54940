"""Comparing systems: equal ones do not differ, a much better one does, and the scores are BLEU's own."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.metrics import bleu, rouge
from tests.programs import error_line, write_lines
from tools import compare

WORDS = "ba do ku le mi no pa ru".split()


@pytest.fixture
def systems(tmp_path: Path) -> dict:
    """References, and three systems: good, as good with other mistakes, and bad."""
    rng = random.Random(1)
    references = [[rng.choice(WORDS) for _ in range(rng.randrange(5, 12))] for _ in range(150)]

    def spoilt(rate: float) -> list[list[str]]:
        return [[word if rng.random() > rate else rng.choice(WORDS) for word in words] for words in references]

    corpus = tmp_path / "farm"
    corpus.mkdir()
    for split in ("train", "dev", "test"):
        write_lines(corpus / f"{split}.source", ["hen"] * len(references))
        write_lines(corpus / f"{split}.target", [" ".join(words) for words in references])
    found = {"good": spoilt(0.1), "alike": spoilt(0.1), "bad": spoilt(0.3)}
    for name, translations in found.items():
        (tmp_path / name).mkdir()
        write_lines(tmp_path / name / "config.json", [json.dumps({"settings": {"corpus": str(corpus)}})])
        write_lines(tmp_path / name / "test.hypotheses.txt", [" ".join(words) for words in translations])
    return {"place": tmp_path, "references": references, **found}


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], None]:
    """Runs the program with these arguments."""

    def run(arguments: list[str]) -> None:
        monkeypatch.setattr(sys, "argv", ["compare", *arguments])
        compare.main()

    return run


def rows(text: str) -> dict[str, list[str]]:
    return {Path(line.split()[0]).name: line.split()[1:] for line in text.splitlines()[1:4]}


def test_table(systems: dict, call: Callable, capsys: pytest.CaptureFixture) -> None:
    place = systems["place"]
    call([str(place / name) for name in ("good", "alike", "bad")] + ["--resamples", "300"])
    text = capsys.readouterr().out
    table = rows(text)
    for name in ("good", "alike", "bad"):
        assert float(table[name][0]) == pytest.approx(bleu(systems[name], systems["references"]).value, abs=0.01)
    bleu_p = {name: float(table[name][3]) for name in ("alike", "bad")}
    assert bleu_p["bad"] < 0.01 and bleu_p["alike"] > 0.05
    assert "tok:none" in text and "chrF" in text


def test_the_seed_decides(systems: dict) -> None:
    pair = [(name, [" ".join(words) for words in systems[name]]) for name in ("good", "alike")]
    first, again, other = (compare.compare(pair, systems["references"], 100, seed) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["good"], "two runs or more"),
        (["good", "good"], "different ones"),
        (["good", "farm"], "no finished run"),
        (["good", "bad", "--resamples", "0"], "--resamples"),
        (["good", "bad", "--split", "dev"], "no dev.hypotheses.txt"),
    ],
)
def test_bad_input(
    systems: dict, call: Callable, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture
) -> None:
    runs = [str(systems["place"] / name) if (systems["place"] / name).exists() else name for name in arguments]
    with pytest.raises(SystemExit) as stopped:
        call(runs)
    assert stopped.value.code == 2 and complaint in error_line(capsys.readouterr().err)


def test_a_corpus_that_has_changed(systems: dict, call: Callable, capsys: pytest.CaptureFixture) -> None:
    write_lines(systems["place"] / "bad" / "test.hypotheses.txt", ["ba"])
    with pytest.raises(SystemExit):
        call([str(systems["place"] / name) for name in ("good", "bad")])
    assert "1 translations of 150 sentences" in error_line(capsys.readouterr().err)


def test_summaries_are_compared_by_rouge(systems: dict, call: Callable, capsys: pytest.CaptureFixture) -> None:
    place = systems["place"]
    write_lines(place / "farm" / "corpus.json", ['{"task": "summarisation"}'])
    call([str(place / name) for name in ("good", "alike", "bad")] + ["--resamples", "300"])
    text = capsys.readouterr().out
    assert "chrF" not in text and text.splitlines()[0].split()[::3] == ["BLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L"]
    table = rows(text)
    for place_in_row, kind in ((0, "rouge1"), (1, "rouge2"), (2, "rougeL")):
        found = {name: rouge(systems[name], systems["references"])[kind] for name in ("good", "alike", "bad")}
        column = {"good": 3 + 3 * place_in_row, "alike": 4 + 4 * place_in_row, "bad": 4 + 4 * place_in_row}
        for name in found:
            assert float(table[name][column[name]]) == pytest.approx(found[name].value, abs=0.01)
        p_values = {name: float(table[name][column[name] + 3]) for name in ("alike", "bad")}
        assert p_values["bad"] < 0.01 and p_values["alike"] > 0.05
    assert "ROUGE-L: " in text and "bs:300" in text and "version:rouge-score." in text
