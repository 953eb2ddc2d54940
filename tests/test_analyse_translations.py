"""`python -m tools.analyse --by length` and `--by frequency`: the translations that runs have written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from common.evaluation.metrics import bleu
from common.text.pairs import Pair
from tests.pairs import write_pairs
from tests.programs import error_line, run_python, write_lines
from tools.analyse import translations
from tools.analyse.translations import FREQUENCIES, Matches, frequency_table, length_groups, length_table, matches

PAIRS = [Pair(["f"] * words, ["a", "b", "c", "d", "e", *["x"] * words]) for words in (1, 3, 4, 8, 3)]
COUNTS = Counter({"the": 1200, "hen": 12, "wombat": 1})
REFERENCES = [["the", "hen", "the", "wombat"], ["the", "emu"]]
OUTPUTS = [["the", "wombat", "wombat", "emu"], ["the", "the", "hen"]]


def test_every_sentence_is_in_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    for bounds, groups in (
        ((3, 6), {"1 to 3": [0, 1, 4], "4 to 6": [2], "7 to 8": [3]}),
        ((0, 3, 4, 7), {"1 to 3": [0, 1, 4], "4 to 4": [2], "8 to 8": [3]}),
    ):
        monkeypatch.setattr(translations, "BOUNDS", bounds)
        assert length_groups(PAIRS) == groups


def test_each_group_has_its_own_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translations, "BOUNDS", (3, 6))
    right = [pair.target for pair in PAIRS]
    half = [right[0], right[1], ["nothing"], "a b c d e".split(), right[4]]
    lines = length_table(PAIRS, {"one": right, "other": half}).splitlines()
    assert [line.split()[-2:] for line in lines[1:4]] == [
        ["100.00", "100.00"],
        ["100.00", "0.00"],
        ["100.00", f"{bleu([half[3]], [PAIRS[3].target]).value:.2f}"],
    ]
    assert lines[4].split()[:2] == ["all", "5"]
    assert lines[5:7] == ["[1] one", "[2] other"] and lines[7].startswith("BLEU nrefs:1")


def test_words_are_matched_in_their_own_sentence_and_as_often_as_both_have_them() -> None:
    by_group = matches(REFERENCES, OUTPUTS, COUNTS)
    assert {group: row for group, row in by_group.items() if any(row)} == {
        "never": Matches(reference=1, written=1, both=0),
        "once": Matches(reference=1, written=2, both=1),
        "10 to 99 times": Matches(reference=1, written=1, both=0),
        "1,000 times or more": Matches(reference=3, written=3, both=2),
    }
    assert tuple(by_group) == tuple(FREQUENCIES) and sum(row.reference for row in by_group.values()) == 6


def test_frequencies_have_three_columns_a_system() -> None:
    head, *rows = frequency_table(REFERENCES, [OUTPUTS, REFERENCES], COUNTS).splitlines()
    assert head.split()[4:] == ["references", *"[1] recall written precision [2] recall written precision".split()]
    assert rows[1].split()[-7:] == ["1", "100.0%", "2", "50.0%", "100.0%", "1", "100.0%"]
    assert rows[2].split()[-3:] == ["0", "0", "0"], "no share of nothing"


def test_the_program_reads_runs(tmp_path: Path) -> None:
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    run.mkdir()
    write_lines(run / "config.json", [f'{{"settings": {{"corpus": "{corpus.as_posix()}"}}}}'])
    targets = (corpus / "test.target").read_text("utf-8").splitlines()
    write_lines(run / "test.hypotheses.txt", targets)

    def analyse(name: str, run: Path) -> list[list[str]]:
        done = run_python("-m", "tools.analyse", str(run), "--by", name)
        assert done.returncode == 0, done.stderr
        return [line.split() for line in done.stdout.splitlines()]

    assert analyse("length", run)[-3] == ["all", "16", "100.00"]
    lines = analyse("frequency", run)
    assert lines[-1] == ["[1]", str(run)] and ["wombat"] == [w for w in targets[-1].split() if w == "wombat"]
    assert lines[1][-4:] == ["1", "100.0%", "1", "100.0%"], "the one word that training has not"
    write_lines(run / "test.hypotheses.txt", targets[1:])
    for name in ("length", "frequency"):
        for folder, problem in ((run, "15 translations of 16 sentences"), (tmp_path, "no finished run")):
            refused = run_python("-m", "tools.analyse", str(folder), "--by", name)
            assert refused.returncode == 2 and problem in error_line(refused.stderr)
