"""Which words of translations are right, by how often training has them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.pairs import write_pairs
from tests.programs import error_line, run_python, write_lines
from tools.by_frequency import GROUPS, Matches, matches, table

COUNTS = Counter({"the": 1200, "hen": 12, "wombat": 1})
REFERENCES = [["the", "hen", "the", "wombat"], ["the", "emu"]]
FOUND = [["the", "wombat", "wombat", "emu"], ["the", "the", "hen"]]


def test_words_are_matched_in_their_own_sentence_and_as_often_as_both_have_them() -> None:
    found = matches(REFERENCES, FOUND, COUNTS)
    assert {group: one for group, one in found.items() if any(one)} == {
        "never": Matches(wanted=1, written=1, both=0),
        "once": Matches(wanted=1, written=2, both=1),
        "10 to 99 times": Matches(wanted=1, written=1, both=0),
        "1,000 times or more": Matches(wanted=3, written=3, both=2),
    }
    assert tuple(found) == GROUPS and sum(one.wanted for one in found.values()) == 6


def test_the_table_has_three_columns_a_system() -> None:
    head, *rows = table(REFERENCES, [FOUND, REFERENCES], COUNTS).splitlines()
    assert head.split()[4:] == ["references", *"[1] found written right [2] found written right".split()]
    assert rows[1].split()[-7:] == ["1", "100.0%", "2", "50.0%", "100.0%", "1", "100.0%"]
    assert rows[2].split()[-3:] == ["0", "0", "0"], "no share of nothing"


def test_the_program_reads_runs(tmp_path: Path) -> None:
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    run.mkdir()
    write_lines(run / "config.json", [f'{{"settings": {{"corpus": "{corpus.as_posix()}"}}}}'])
    targets = (corpus / "test.target").read_text("utf-8").splitlines()
    write_lines(run / "test.hypotheses.txt", targets)
    done = run_python("-m", "tools.by_frequency", str(run))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1].split(maxsplit=1) == ["[1]", str(run)]
    assert targets[-1].split().count("wombat") == 1
    assert lines[1].split()[-4:] == ["1", "100.0%", "1", "100.0%"], "the one word that training has not"
    refused = run_python("-m", "tools.by_frequency", str(tmp_path))
    assert refused.returncode == 2 and "no finished run" in error_line(refused.stderr)
