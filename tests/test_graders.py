"""The graders of the exercises: the answer passes, the blank does not, and every mutant is caught."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from common.errors import UserError
from solutions.check import inspect
from solutions.examine import examine, examine_all
from solutions.sets import SOLUTIONS, ExerciseSet, find_sets


@pytest.fixture(scope="module")
def problems() -> list[str]:
    """What is wrong with all sets, found side by side."""
    return examine_all(find_sets())


@pytest.mark.slow
@pytest.mark.parametrize("exercises", find_sets(), ids=lambda exercises: exercises.name)
def test_answers_pass_and_blanks_and_mutants_are_caught(exercises: ExerciseSet, problems: list[str]) -> None:
    assert [problem for problem in problems if exercises.name in problem] == []


@pytest.mark.parametrize("exercises", find_sets(), ids=lambda exercises: exercises.name)
def test_files_are_in_order(exercises: ExerciseSet) -> None:
    assert list(inspect(exercises)) == []


SHOWN = "check(sorted(seen) == sorted(expected)"
STATE = """["1.5"."words of the sentence before"]
right = "        before: tuple[str, ...] = ()"
wrong = "        before = () if predictions == 0 else before"
"""


def part(folder: Path, file: str, changes: dict[str, str], mutants: str = "", exam: bool = False) -> ExerciseSet:
    """A copy of one file of chapter 1, in which texts are others, with these mutants. exam: also with its exams."""
    copy = folder / "ch01_ngram_lm"
    copy.mkdir()
    for name in (f"{file}.py", f"test_{file}.py", "hints.toml", *(("exams.py", "expected.json") if exam else ())):
        text = (SOLUTIONS / "ch01_ngram_lm" / name).read_text(encoding="utf-8")
        for before, after in changes.items():
            text = text.replace(before, after)
        (copy / name).write_text(text, encoding="utf-8", newline="\n")
    (copy / "mutants.toml").write_text(mutants, encoding="utf-8")
    return ExerciseSet(copy)


def with_mutant(wrong: str, *more: str) -> str:
    """Mutants of exercise 1.1, each with another answer to P(goat | the)."""
    lines = [f'"{answer}" = {{ right = "return 2 / 3", wrong = {json.dumps(answer)} }}' for answer in (wrong, *more)]
    return "\n".join(['["1.1"]', *lines])


def test_right_answers_in_other_styles_pass_and_others_are_reported(tmp_path: Path) -> None:
    styles = (
        '@style("1.1")\ndef probability_of_goat():\n    return 4 / 6\n\n\n'
        '@style("1.1")\ndef predictions():\n    import math\n\n    return math.sqrt(196)\n'
    )
    exercises = part(tmp_path, "by_hand", {})
    (exercises.folder / "styles.py").write_text(styles, encoding="utf-8")
    (line,) = reports(exercises)
    assert "styles.py, line 7: a right answer to 1.1 fails test_predictions: " in line and "yours gives 14.0" in line


def test_a_mutant_that_nothing_catches_is_reported(tmp_path: Path) -> None:
    (line,) = reports(part(tmp_path, "by_hand", {}, with_mutant("return 4 / 6", "return 3 / 4")))
    assert "mutants.toml: neither grader nor exam of task 1.1 catches the mutant 'return 4 / 6'" in line


@pytest.mark.slow
def test_what_a_mutant_leaves_behind_catches_no_other(tmp_path: Path) -> None:
    """The first would let everything fail that is graded after it in its process."""
    spoils = "import solutions.checks as c; c.same = lambda *values: False; return 0"
    (line,) = reports(part(tmp_path, "by_hand", {}, with_mutant(spoils, "return 4 / 6")))
    assert "catches the mutant 'return 4 / 6'" in line


def test_a_task_that_does_not_exist_is_told(tmp_path: Path) -> None:
    exercises = part(tmp_path, "by_hand", {}, '["1.9"]\nname = { right = "a", wrong = "b" }')
    with pytest.raises(UserError, match=r"mutants.toml: there is no task 1\.9"):
        reports(exercises)
    exercises = ExerciseSet(exercises.folder)
    (exercises.folder / "styles.py").write_text('@style("1.9")\ndef f():\n    pass', encoding="utf-8")
    with pytest.raises(UserError, match=r"styles.py: there is no task 1\.9"):
        _ = exercises.styles


def reports(exercises: ExerciseSet) -> list[str]:
    return [
        line for line in examine(exercises) if not re.search("has no|there must be at least|which is no task", line)
    ]


def test_a_weakened_grader_is_reported(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {SHOWN: "check(len(seen) == len(expected)"}, STATE)
    (line,) = reports(exercises)
    assert "neither grader nor exam of task 1.5 catches the mutant 'words of the sentence before'" in line


def test_a_public_exam_catches_what_a_weakened_grader_does_not(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {SHOWN: "check(len(seen) == len(expected)"}, STATE, exam=True)
    counts: Counter[str] = Counter()
    lines = [line for line in examine(exercises, counts) if "neither grader" in line]
    assert lines == [] and counts["graders"] == 1


def test_a_mutant_that_no_longer_fits_is_reported(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {}, '["1.5"]\nnone = { right = "return math.infinity", wrong = "raise" }')
    (line,) = reports(exercises)
    assert "mutants.toml, 'none': " in line and "'return math.infinity' is there 0 times" in line


def test_a_wrong_answer_is_reported(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {"            predictions += 1": "            predictions += 2"})
    assert any("the answer fails test_the_end_costs_and_counts" in line for line in reports(exercises))


def test_an_answer_that_is_no_longer_the_one_of_the_record_is_reported(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {"math.exp(-log_prob /": "1e-3 + math.exp(-log_prob /"}, exam=True)
    assert any("the answer fails public exam of 1.5" in line for line in reports(exercises))


def test_a_grader_that_never_looks_is_reported(tmp_path: Path) -> None:
    lazy = '@task("1.5")\ndef test_nothing(work):\n    pass\n\n\ndef unigram('
    exercises = part(tmp_path, "perplexity", {"def unigram(": lazy})
    assert any("the blank passes test_nothing" in line for line in reports(exercises))


def test_a_set_with_few_mutants_is_reported(tmp_path: Path) -> None:
    exercises = part(tmp_path, "perplexity", {}, STATE)
    assert any("1 mutants; there must be at least 8" in line for line in examine(exercises))
