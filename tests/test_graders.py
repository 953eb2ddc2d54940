"""The graders of the exercises: the answer passes, the blank does not, and every mutant is caught."""

from __future__ import annotations

import json
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

from common.errors import UserError
from solutions.check import inspect
from solutions.examine import examine, examine_all
from solutions.sets import EXERCISES, SET_NAME, SOLUTIONS, ExerciseSet, find_sets
from solutions.stubs import mutate
from tests.submissions import chapter_one
from tools import mutate_answers
from tools.mutate_answers import Mutant, load_operators, run, task_of_line


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
    """Where a blank is not the one that the answer makes: python -m solutions sync."""
    assert list(inspect(exercises)) == []


def test_no_set_lacks_its_answers() -> None:
    folders = {path.name for path in EXERCISES.iterdir() if SET_NAME.fullmatch(path.name) and any(path.glob("*.py"))}
    assert folders == {exercises.name for exercises in find_sets()}


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


def with_mutants(*wrong: str) -> str:
    """Mutants of exercise 1.1, each with another answer to P(goat | the)."""
    lines = [f'"{answer}" = {{ right = "return 2 / 3", wrong = {json.dumps(answer)} }}' for answer in wrong]
    return "\n".join(['["1.1"]', *lines, ""])


STYLES = """
@style("1.1")
def probability_of_goat():
    return 4 / 6


@style("1.1")
def predictions():
    import math

    return math.sqrt(196)
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is said of a set with mutants that are none, and a style that is wrong."""
    mutants = with_mutants("return 4 / 6", "return 3 / 4") + 'none = { right = "return math.inf", wrong = "raise" }\n'
    exercises = part(tmp_path_factory.mktemp("set"), "by_hand", {}, mutants)
    (exercises.folder / "styles.py").write_text(STYLES, encoding="utf-8")
    return list(examine(exercises))


@pytest.mark.parametrize(
    "message",
    [
        "styles.py, line 8: a right answer to 1.1 fails test_predictions: ",
        "mutants.toml: neither grader nor exam of task 1.1 catches the mutant 'return 4 / 6'",
        "mutants.toml, 'none': the mutant's text 'return math.inf' occurs 0 times",
        "3 mutants; there must be at least 8",
        "task 1.1 has no exam",
    ],
)
def test_what_is_wrong_with_a_set_is_reported(reports: list[str], message: str) -> None:
    assert len([line for line in reports if message in line]) == 1
    assert len(reports) == 5, "not the right styles, nor the mutant that is caught"


@pytest.mark.slow
def test_what_a_mutant_leaves_behind_catches_no_other(tmp_path: Path) -> None:
    """The first would let everything fail that is graded after it in its process."""
    spoils = "import solutions.checks as c; c.same = lambda *values: False; return 0"
    exercises = part(tmp_path, "by_hand", {}, with_mutants(spoils, "return 4 / 6"))
    (line,) = [line for line in examine(exercises) if "catches the mutant" in line]
    assert "catches the mutant 'return 4 / 6'" in line


@pytest.mark.parametrize(
    ("name", "text"),
    [("mutants.toml", '["1.9"]\nname = { right = "a", wrong = "b" }'), ("styles.py", '@style("1.9")\ndef f(): pass')],
)
def test_a_task_that_does_not_exist_is_told(tmp_path: Path, name: str, text: str) -> None:
    exercises = part(tmp_path, "by_hand", {})
    (exercises.folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=rf"{name}: there is no task 1\.9"):
        _ = exercises.mutants, exercises.styles


WEAK = {"check(set(seen) == set(expected)": "check(len(seen) == len(expected)"}
LAZY = {"def unigram(": '@task("1.5")\ndef test_nothing(work):\n    pass\n\n\ndef unigram('}
STATE = """["1.5"."words of the sentence before"]
right = "        before: tuple[str, ...] = ()"
wrong = "        before = () if predictions == 0 else before"
"""


def test_weak_graders_are_reported(tmp_path: Path) -> None:
    lines = [*examine(part(tmp_path, "perplexity", WEAK | LAZY, STATE))]
    assert any("catches the mutant 'words of the sentence before'" in line for line in lines)
    assert any("the blank passes test_nothing" in line for line in lines)


def test_a_public_exam_catches_what_a_weakened_grader_does_not(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    lines = [*examine(part(tmp_path, "perplexity", WEAK, STATE, exam=True), counts)]
    assert not any("neither grader" in line for line in lines) and counts["graders"] == 1


def test_a_wrong_answer_is_reported(tmp_path: Path) -> None:
    """By hand, and by what the answer gave when it was recorded."""
    lines = [*examine(part(tmp_path, "perplexity", {"predictions += 1": "predictions += 2"}, exam=True))]
    for grader in ("test_the_end_costs_and_counts", "public exam of 1.5"):
        assert any(f"the answer fails {grader}" in line for line in lines)


MARKED = """def f(x):
    # BEGIN SOLUTION 1.2
    return x + 1
    # END SOLUTION


# BEGIN SOLUTION
y = 2
# END SOLUTION
z = 3
"""


def test_only_what_stands_between_marks_is_changed() -> None:
    assert task_of_line(MARKED) == {3: "1.2", 8: ""}


def test_survivors_are_told_from_what_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    exercises = chapter_one()
    wrong, same = ("6 + 1 + 5 + 1", "6 + 1 + 5 - 1"), ("6 + 1 + 5 + 1", "6 + 1 + 5 | 1")
    mutants = [
        Mutant("by_hand", "1.1", 16, "an operator", *change, mutate(exercises.answers["by_hand"], *change, ""))
        for change in (wrong, same)
    ]
    monkeypatch.setattr(mutate_answers, "mutants_of", lambda exercises, operators: iter(mutants))
    _, verdicts, survivors = run(exercises, {})
    assert verdicts == {"killed": 1, "survived": 1} and survivors == mutants[1:], "12 | 1 is 13, too"


def test_without_cosmic_ray_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cosmic_ray", types.ModuleType("cosmic_ray"))
    with pytest.raises(UserError, match="pip install cosmic-ray"):
        load_operators()


def test_the_operators_change_what_they_should() -> None:
    pytest.importorskip("cosmic_ray")
    changes = {(mutant.line, mutant.after) for mutant in mutate_answers.mutants_of(chapter_one(), load_operators())}
    assert (50, "return vocabulary_size+words") in changes and (50, "return vocabulary_size**words") not in changes
