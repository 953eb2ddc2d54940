"""The misconception behind a wrong answer: when it is named, and when it is not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from solutions.diagnosis import (
    CHANGED,
    INPUT,
    MISCONCEPTIONS,
    NUMBER,
    STALE,
    Mistake,
    Reply,
    explain,
    explain_habit,
    fingerprint,
    habit_of,
    read_mistakes,
)
from solutions.examine import Examiner, Servers
from solutions.grading.exam import Marked, near
from solutions.grading.execution import FAILED, PASSED, Outcome, Source
from solutions.grading.jobs import Request, RunResult
from solutions.grading.marking import answer_files, diagnosed
from solutions.grading.progress import progress
from solutions.grading.running import TaskResult
from solutions.misconceptions import wrong_values
from solutions.sets import ExerciseSet
from tests.submissions import ANSWERS, chapter_one, grade_text

INTERPOLATION = ANSWERS["interpolation"]
STEP = "probability = (1 - alpha) * level.get((*history, word), 0) / followed + alpha * probability"
EXCHANGED = "probability += alpha * (level.get((*history, word), 0) / followed - probability)"
"""α and 1 - α exchanged, otherwise written than the known wrong answer."""
SHORTER = "α weights the shorter model"


def grade_step(folder: Path, step: str, change: tuple[str, str] = ("", ""), **options) -> TaskResult:
    """Exercise 1.4 with another step of the recursion, and with one text replaced."""
    assert STEP in INTERPOLATION and change[0] in INTERPOLATION
    text = INTERPOLATION.replace(STEP, step)
    return grade_text(folder, text.replace(*change) if change[0] else text, "1.4", "interpolation", **options)


def test_a_known_mistake_is_named_with_idea_lesson_value_and_input(tmp_path: Path) -> None:
    result = grade_step(tmp_path, EXCHANGED)
    assert result.status == FAILED
    assert result.message.startswith(f"in interpolated: {SHORTER}: the larger α, ")
    assert '(lesson 1, "First way: mix' in result.message
    assert "yours gives 0." in result.message and "; the input is interpolated([{" in result.message


def test_an_error_in_a_corner_case_does_not_hide_the_mistake_in_the_formula(tmp_path: Path) -> None:
    """Without the condition the answer divides by zero after a history never seen."""
    result = grade_step(tmp_path, EXCHANGED, ("if followed:", "if True:"))
    assert result.message.startswith(f"in interpolated: {SHORTER}")


@pytest.mark.parametrize(
    "step", ["probability = 0.3", EXCHANGED.replace("alpha *", "alpha * alpha *"), STEP.replace("1 - alpha", "1")]
)
def test_an_unknown_mistake_has_the_message_of_its_check(tmp_path: Path, step: str) -> None:
    result = grade_step(tmp_path, step)
    assert result.message.startswith("in interpolated: P(b) of 1-grams") and "lesson" not in result.message


def test_an_overflow_does_not_hide_a_mistake_in_another_function(tmp_path: Path) -> None:
    text = ANSWERS["perplexity"].replace("        return math.inf", "        raise").replace("+= 1\n", "+= 2\n")
    result = grade_text(tmp_path, text, "1.5", "perplexity")
    assert result.message.startswith("in evaluate: "), "perplexity(-1e6, 9) is a corner case"
    repaired = text.replace("+= 2\n", "+= 1\n")
    result = grade_text(tmp_path / "repaired", repaired, "1.5", "perplexity")
    assert result.message.startswith("in perplexity: A perplexity too large for a float is infinite")


def test_a_mistake_in_an_answer_by_hand_is_named_though_no_record_has_the_answer(tmp_path: Path) -> None:
    text = ANSWERS["by_hand"].replace("6 + 1 + 5 + 1", "11")
    result = grade_text(tmp_path, text, "1.1", "by_hand")
    assert result.message.startswith("in predictions: The end of a sentence is an event like a word")
    assert result.message.endswith("; predictions: yours gives 11")


@pytest.mark.needs("time")
def test_an_answer_that_never_ends_keeps_the_message_of_its_check(tmp_path: Path) -> None:
    loop = "while len(context) > 1:\n            pass\n        "
    result = grade_step(tmp_path, EXCHANGED, ("level, alpha =", f"{loop}level, alpha ="), limit=1.5)
    assert result.message.startswith("in interpolated: P(b) of 1-grams") and SHORTER not in result.message


def reply(value: float, functions: str = "f", is_error: bool = False, is_wrong: bool = True) -> Reply:
    return Reply((functions,), fingerprint(value), is_error, is_wrong, f"yours gives {value}")


def replies(*values: float | Reply) -> dict[int, Reply]:
    """Wrong answers to the first questions of an exam."""
    return {place: value if isinstance(value, Reply) else reply(value) for place, value in enumerate(values)}


def mistake(sentence: str, wrong: dict[int, float]) -> Mistake:
    """A mistake with these wrong values by the places of their questions."""
    return Mistake(sentence, "f", {place: fingerprint(value) for place, value in wrong.items()})


HALF, SIGN = mistake("half", {0: 0.5, 1: 1.5, 2: 2.5}), mistake("sign", {0: -1.0, 1: -3.0, 2: -5.0})
EXACT = mistake("exact", {0: 0.5, 1: 1.5})
FIVE = mistake("five", {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0, 4: 5.0})
FIRST, LAST, END = mistake("first", {0: 0.5}), mistake("last", {1: 7.0, 2: 8.0}), mistake("end", {0: 11.0})
ALL_HALF, ELSEWHERE = replies(0.5, 1.5, 2.5), {place: reply(9.0, "g") for place in range(3, 9)}
UNRECORDED = replies(reply(11.0, is_wrong=False), reply(42.0, "g", is_wrong=False))
ERRORS = replies(reply(6.0, is_error=True), reply(7.0, is_error=True))


@pytest.mark.parametrize(
    ("given", "mistakes", "sentence"),
    [
        ({}, [HALF, SIGN], ""),
        (ALL_HALF, [HALF, SIGN], "half"),
        (replies(0.5, 1.5, -5.0), [HALF, SIGN], ""),  # values of both
        (replies(0.5, 1.5), [HALF, SIGN], "half"),  # a corner case was avoided
        (replies(0.5), [HALF, SIGN], ""),  # two of three values are right
        (replies(0.5, 1.5), [HALF, EXACT], "exact"),
        (replies(1.0, 2.0, 3.0, 4.0, math.inf), [FIVE], "five"),  # a second mistake in a corner case
        (replies(1.0, 2.0, math.inf, 4.0, math.inf), [FIVE], ""),
        (ALL_HALF, [HALF, replace(HALF, sentence="another idea")], ""),
        (ALL_HALF, [HALF, replace(HALF, function="g")], "half"),
        (ALL_HALF, [FIRST, HALF], "half"),  # explains more values
        (ALL_HALF, [FIRST], ""),
        (replies(9.0, 7.0, 8.0), [LAST], ""),  # the first wrong value must be explained
        (replies(reply(9.0, is_error=True), 7.0, 8.0), [LAST], "last"),
        (ALL_HALF | ELSEWHERE, [HALF, SIGN], "half"),  # a second mistake in another function
        (UNRECORDED, [END], "end"),
        (UNRECORDED, [FIRST], ""),
        (ERRORS, [mistake("error", {0: 6.0, 1: 7.0}), HALF], "error"),
    ],
)
def test_which_mistake_explains_the_replies(given: dict[int, Reply], mistakes: list[Mistake], sentence: str) -> None:
    explanation = explain(given, mistakes)
    assert (explanation[0].sentence if explanation else "") == sentence


def test_questions_that_were_not_reached_contradict_nothing() -> None:
    explanation = explain(replies(0.5), [HALF, SIGN], 1)
    assert explanation and explanation[0] == HALF


EXPRESSION = Marked(kind="expression", shape=[3, 1], batch=1, values=[1.0, 2.0, 3.0])


def test_habits_are_known_in_every_exercise_without_a_record() -> None:
    assert habit_of(Marked(kind="change", told="must stay"), 1.0) == CHANGED
    assert habit_of(Marked(kind="error", told="RuntimeError: Stale Expression (created before ...)"), 1.0) == STALE
    assert habit_of([1, 2.0], [1, EXPRESSION]) == NUMBER
    for value, right in ((2.0, 1.0), (EXPRESSION, EXPRESSION), (Marked(kind="error", told="KeyError: 1"), EXPRESSION)):
        assert habit_of(value, right) == ""


def test_a_habit_is_named_where_the_first_wrong_value_shows_it_and_no_mistake_explains_it() -> None:
    changed, other = replace(reply(0.0, "f"), habit=CHANGED), reply(0.5, "g")
    helper, work = replace(changed, functions=("result",)), SimpleNamespace(f=abs)
    mistake, shown = explain_habit(replies(changed, other, helper), work)
    assert (mistake.sentence, mistake.function, len(shown)) == (CHANGED, "f", 2)
    assert explain_habit(replies(other, changed), work) is None and explain_habit({}, work) is None
    assert explain_habit(replies(helper), work)[0].function == "your answer", "a helper of the exam was called"


def test_the_next_function_is_the_one_that_the_message_names(tmp_path: Path) -> None:
    """The exam compares what a model was asked, and cannot say which function has asked."""
    text = ANSWERS["perplexity"].replace("word = UNKNOWN\n", "vocabulary.add(word)\n                word = UNKNOWN\n")
    result = grade_text(tmp_path, text, "1.5", "perplexity")
    assert result.message.startswith("in evaluate: ") and result.progress and result.progress.next == "evaluate"


def test_of_several_functions_the_one_that_most_checks_suspect_comes_first() -> None:
    exercises = chapter_one()
    task, source = exercises.tasks["1.6"], Source("kneser_ney.py", ANSWERS["kneser_ney"])
    failing = {"test_two_orders_by_hand", "public exam of 1.6"}
    names = [grader.name for grader in exercises.graders if grader.task == "1.6"]
    outcomes = {name: Outcome(FAILED if name in failing else PASSED, "wrong") for name in names}
    assert progress(task, source, outcomes).wrong == ("kneser_ney",)
    outcomes["test_continuations_by_hand"] = Outcome(FAILED, "wrong")
    assert progress(task, source, outcomes).wrong == ("continuation_counts", "kneser_ney")
    outcomes["public exam of 1.6"] = Outcome(FAILED, f"wrong{INPUT}kneser_ney([1])")
    assert progress(task, source, outcomes).next == "kneser_ney", "two checks suspect it, one the other"


def test_an_answer_that_changes_what_it_was_given_is_told_so(tmp_path: Path) -> None:
    text = INTERPOLATION.replace("level.get((*history, word), 0)", "level.setdefault((*history, word), 0)")
    result = grade_text(tmp_path, text, "1.4", "interpolation")
    assert result.message.startswith(f"in interpolated: {CHANGED.removesuffix('.')} (lesson 1, ")


def test_a_file_that_begins_a_graph_and_ends_the_process_is_told_of_the_graph() -> None:
    exercises = chapter_one()
    task, files = exercises.tasks["1.4"], answer_files(exercises)
    crash = RunResult(True, {"diagnosis": Outcome(FAILED, "the file ended the process (status -11)")})
    begins = {**files, "interpolation": Source("interpolation.py", "dy.renew_cg()")}
    assert diagnosed(Request(Path(), [], task, begins), crash)[0] == f"in interpolated: {STALE}"
    assert diagnosed(Request(Path(), [], task, files), crash) == ("", "")


def test_fingerprints_of_chance_and_of_what_is_too_large_for_a_float() -> None:
    """Those of other values are compared with the recorded ones by the tests of the graders."""
    half = fingerprint(near(0.5, 0.05))
    assert half.agrees(fingerprint(near(0.54, 0.05))) and not half.agrees(fingerprint(near(0.56, 0.05)))
    assert fingerprint(10**400).agrees(fingerprint(10**400))
    assert not fingerprint(math.inf).agrees(fingerprint(-math.inf))


def test_errors_are_recorded_where_a_mistake_has_no_values() -> None:
    error = Marked(kind="error", type="ValueError", told="ValueError: x")
    right = [("q0", 1.0), ("q1", 2.0), ("q2", 3.0)]
    assert [place for place, *_ in wrong_values([("q0", 1.0), ("q1", error), ("q2", 4.0)], right, 1e-6)] == [2]
    assert [place for place, *_ in wrong_values([("q0", 1.0), ("q1", error), ("q2", 3.0)], right, 1e-6)] == [1]


def test_a_set_without_records_names_nothing_and_a_damaged_record_is_one_line(tmp_path: Path) -> None:
    assert read_mistakes(tmp_path / "none") == {}
    (tmp_path / MISCONCEPTIONS).write_text('{"1.1": [{"sentence": 1}]}', encoding="utf-8")
    with pytest.raises(UserError, match=r"misconceptions\.json: not readable; python -m solutions sync"):
        read_mistakes(tmp_path)


def test_a_mutant_that_shows_another_sentence_and_a_right_answer_that_shows_one_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exercises = ExerciseSet(chapter_one().folder)
    first, *others = [mutant for mutant in exercises.mutants if mutant.task == "1.4"]
    _ = exercises.styles
    exercises.__dict__["tasks"] = {"1.4": exercises.tasks["1.4"]}
    exercises.__dict__["mutants"] = [replace(first, misconception=sentence) for sentence in ("something else", "")]
    exercises.__dict__["mutants"] += others
    with Servers([exercises]) as servers:
        examiner = Examiner(exercises, servers)
        for line in (lines := [*examiner.mutants(False)]):
            assert f"the mutant {first.name!r} of task 1.4 shows {first.misconception!r}" in line
        assert len(lines) == 2, "every mutant needs a sentence of its own, or a habit"
        monkeypatch.setattr(examiner, "misconceptions", lambda task, works: ["an idea"] * len(works))
        assert "task 1.4: a right answer shows 'an idea'" in list(examiner.styles())
