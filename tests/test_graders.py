"""The graders of the exercises: the answer passes, the blank does not, and every mutant is caught."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from common.copying import copy_tree
from common.errors import UserError
from solutions.check import inspect
from solutions.examine import examine, examine_all
from solutions.sets import SOLUTIONS, ExerciseSet, find_sets


@pytest.fixture(scope="module")
def problems() -> list[str]:
    """What is wrong with all sets, found side by side."""
    return examine_all(find_sets())


@pytest.mark.slow
@pytest.mark.parametrize("one", find_sets(), ids=lambda one: one.name)
def test_answers_pass_and_blanks_and_mutants_are_caught(one: ExerciseSet, problems: list[str]) -> None:
    assert [problem for problem in problems if one.name in problem] == []


@pytest.mark.parametrize("one", find_sets(), ids=lambda one: one.name)
def test_files_are_in_order(one: ExerciseSet) -> None:
    assert list(inspect(one)) == []


def change(folder: Path, file: str, before: str, after: str) -> ExerciseSet:
    """A copy of the set of chapter 1 in which one text of a file is another."""
    copy = copy_tree(SOLUTIONS / "ch01_ngram_lm", folder / "ch01_ngram_lm")
    path = copy / file
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8", newline="\n")
    for other in copy.glob("*.py"):  # the files that the change is not about would only cost time
        if not other.stem.endswith(path.stem.removeprefix("test_")):
            other.unlink()
    return ExerciseSet(copy)


def with_others(folder: Path, name: str, text: str) -> ExerciseSet:
    """A copy of the first exercise of chapter 1 with another mutants.py or styles.py."""
    copy = folder / "ch01_ngram_lm"
    copy.mkdir()
    for file in ("by_hand.py", "test_by_hand.py", "hints.toml"):
        shutil.copyfile(SOLUTIONS / "ch01_ngram_lm" / file, copy / file)
    (copy / name).write_text(text, encoding="utf-8")
    return ExerciseSet(copy)


def test_right_answers_in_other_styles_pass_and_others_are_reported(tmp_path: Path) -> None:
    styles = (
        '@style("1.1")\ndef probability_of_goat():\n    return 4 / 6\n\n\n'
        '@style("1.1")\ndef predictions():\n    import math\n\n    return math.sqrt(196)\n'
    )
    (line,) = reports(with_others(tmp_path, "styles.py", styles))
    assert "styles.py, line 7: a right answer to 1.1 fails test_predictions: " in line and "yours gives 14.0" in line


def test_mutants_in_a_file_of_their_own_are_given_to_their_task(tmp_path: Path) -> None:
    mutants = 'MUTANTS = [("1.1", "return 2 / 3", "return 4 / 6"), ("1.1", "return 2 / 3", "return 3 / 4")]'
    (line,) = reports(with_others(tmp_path, "mutants.py", mutants))
    assert "neither grader nor exam of task 1.1 catches the mutant 'return 2 / 3' -> 'return 4 / 6'" in line


@pytest.mark.slow
def test_what_a_mutant_leaves_behind_catches_no_other(tmp_path: Path) -> None:
    """The first would let everything fail that is graded after it in its process."""
    spoils = "import solutions.checks as c; c.same = lambda *values: False; return 0"
    mutants = f'MUTANTS = [("1.1", "return 2 / 3", {spoils!r}), ("1.1", "return 2 / 3", "return 4 / 6")]'
    (line,) = reports(with_others(tmp_path, "mutants.py", mutants))
    assert "catches the mutant 'return 2 / 3' -> 'return 4 / 6'" in line


@pytest.mark.parametrize("name", ["mutants.py", "styles.py"])
def test_a_task_that_does_not_exist_is_told(tmp_path: Path, name: str) -> None:
    text = {"mutants.py": 'MUTANTS = [("1.9", "a", "b")]', "styles.py": '@style("1.9")\ndef f():\n    pass'}[name]
    with pytest.raises(UserError, match=rf"{name}: there is no task 1\.9"):
        reports(with_others(tmp_path, name, text))


def reports(one: ExerciseSet) -> list[str]:
    return [line for line in examine(one) if "has no" not in line]


def test_a_weakened_grader_is_reported(tmp_path: Path) -> None:
    strict, weak = "check(sorted(seen) == sorted(expected)", "check(len(seen) == len(expected)"
    one = change(tmp_path, "test_perplexity.py", strict, weak)
    (line,) = reports(one)
    assert (
        "neither grader nor exam of task 1.5 catches the mutant" in line and "if predictions == 0 else before" in line
    )


def test_a_mutant_that_no_longer_fits_is_reported(tmp_path: Path) -> None:
    one = change(tmp_path, "test_perplexity.py", '"return math.inf", "raise"', '"return math.infinity", "raise"')
    (line,) = reports(one)
    assert "'return math.infinity' is there 0 times" in line


def test_a_wrong_answer_is_reported(tmp_path: Path) -> None:
    one = change(tmp_path, "perplexity.py", "            predictions += 1", "            predictions += 2")
    assert any("the answer fails test_the_end_costs_and_counts" in line for line in reports(one))


def test_a_grader_that_never_looks_is_reported(tmp_path: Path) -> None:
    lazy = '@task("1.5")\ndef test_nothing(work):\n    pass\n\n\nclass Table:'
    one = change(tmp_path, "test_perplexity.py", "class Table:", lazy)
    assert any("the blank passes test_nothing" in line for line in reports(one))


def test_a_set_with_few_mutants_is_reported(tmp_path: Path) -> None:
    one = change(tmp_path, "test_by_hand.py", '("1.1", "return 2 / 3", "return 2 / 4"),', "")
    assert any("7 mutants; there must be at least 8" in line for line in reports(one))
