"""Translations are scored by the length of their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.evaluation.metrics import bleu
from common.text.pairs import Pair, load_pairs
from tests.pairs import write_pairs
from tests.programs import error_line, run_python, write_lines
from tools.by_length import groups, table

PAIRS = [Pair(["f"] * words, ["a", "b", "c", "d", "e", *["x"] * words]) for words in (1, 3, 4, 8, 3)]


def test_every_sentence_is_in_one_group() -> None:
    assert groups(PAIRS, (3, 6)) == {"1 to 3": [0, 1, 4], "4 to 6": [2], "7 to 8": [3]}
    assert groups(PAIRS, (0, 3, 4, 7)) == {"1 to 3": [0, 1, 4], "4 to 4": [2], "8 to 8": [3]}


def test_each_group_has_its_own_score() -> None:
    right = [" ".join(pair.target) for pair in PAIRS]
    half = [right[0], right[1], "nothing", "a b c d e", right[4]]
    lines = table(PAIRS, [("one", right), ("other", half)], (3, 6)).splitlines()
    assert [line.split()[-2:] for line in lines[1:4]] == [
        ["100.00", "100.00"],
        ["100.00", "0.00"],
        ["100.00", f"{bleu([half[3].split()], [PAIRS[3].target]).value:.2f}"],
    ]
    assert lines[4].split()[:2] == ["all", "5"]
    assert lines[5:7] == ["[1] one", "[2] other"] and lines[7].startswith("BLEU nrefs:1")


def test_the_program_reads_runs(tmp_path: Path) -> None:
    corpus = write_pairs(tmp_path / "farm")
    run = tmp_path / "run"
    run.mkdir()
    write_lines(run / "config.json", [f'{{"settings": {{"corpus": "{corpus.as_posix()}"}}}}'])
    targets = [" ".join(pair.target) for pair in load_pairs(str(corpus)).test]
    write_lines(run / "test.hypotheses.txt", targets)
    done = run_python("-m", "tools.by_length", str(run))
    assert done.returncode == 0 and done.stdout.splitlines()[-3].split() == ["all", "16", "100.00"]
    write_lines(run / "test.hypotheses.txt", targets[1:])
    refused = run_python("-m", "tools.by_length", str(run))
    assert refused.returncode == 2 and "15 translations of 16 sentences" in error_line(refused.stderr)


@pytest.mark.parametrize("run", ["nowhere"])
def test_no_run(run: str, tmp_path: Path) -> None:
    refused = run_python("-m", "tools.by_length", str(tmp_path / run))
    assert refused.returncode == 2 and "no finished run" in error_line(refused.stderr)
