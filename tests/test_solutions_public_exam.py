"""Exams with a public seed, as graders: what a student reads, and what stays unsaid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.errors import UserError
from solutions import public_exam
from solutions.grading.execution import (
    FAILED,
    OF_GRADERS,
    PASSED,
    Outcome,
    Source,
    Submission,
    run_grader,
)
from solutions.public_exam import load_graders, record
from solutions.sets import find_sets
from tests.submissions import chapter_one

EXAMS = """
from solutions.grading.exam import call, exam, near

@exam("9.1", 1e-6)
def everything(work, draw):
    yield "the answer", call(work.answer)
    yield "a number", call(work.number, 3, [0.1 + 0.2])
    yield "counts", call(work.counts, ("a", "b"))
    yield "pairs", call(work.pairs, 2)
    yield "an array", call(work.array, 3)
    yield "an error", call(work.error, 0)
    yield "chance", near(work.chance(), 0.1)
"""
ANSWER = """
import numpy as np

def answer():
    return 42

def number(n, values):
    return sum(values) * n

def counts(words):
    return {(word,): 1 for word in words}

def pairs(n):
    return [[0, 1.0], [1, 2.0]]

def array(n):
    return np.arange(n * n, dtype=float).reshape(n, n)

def error(n):
    return 1 / n

def chance():
    return 0.5
"""


@pytest.fixture
def outcome(tmp_path: Path):
    """How the public exam ends on the answer, with one text replaced."""
    (tmp_path / "exams.py").write_text(EXAMS, encoding="utf-8")
    (tmp_path / "test_work.py").write_text("", encoding="utf-8")
    text = record({"work": Source("work.py", ANSWER)}, {"9.1": "work"}, tmp_path)
    (tmp_path / "expected.json").write_text(text, encoding="utf-8")

    def run(before: str = "", after: str = "") -> Outcome:
        assert before in ANSWER
        submission = Submission({"work": Source("work.py", ANSWER.replace(before, after))})
        return run_grader(getattr(load_graders(tmp_path / "test_work.py"), "public exam of 9.1"), submission, "work")

    return run


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("* n\n", "* n + 1\n", "a number: expected 0.9, yours gives 1.9; the input is number(3, [0.3])"),
        ("{(word,): 1", "{(word,): 2", "counts, at ('a',): expected 1, yours gives 2; the input is counts(('a', 'b'))"),
        ("in words}", "in words[1:]}", "counts: the key ('a',) is missing; the input is counts(('a', 'b'))"),
        ("in words}", 'in words + ("c",)}', "counts: the key ('c',) does not belong there"),
        ("[1, 2.0]", "[1, 2.5]", "pairs, place 1, place 1: expected 2.0, yours gives 2.5; the input is pairs(2)"),
        ("[1, 2.0]]", "[1, 2.0], 3]", "pairs: expected [[0, 1.0], [1, 2.0]], yours gives [[0, 1.0], [1, 2.0], 3]"),
        ("(n, n)", "(n * n)", "an array: expected the shape (3, 3), yours has (9,)"),
        ("return np.arange(n * n, dtype=float)", "return -np.arange(9.0)", "an array of the shape (3, 3), at [0, 1]"),
        ("return np.arange(n * n, dtype=float)", 'return np.array([["x"] * n] * n)', "an array: no numbers"),
        ("(n, n)", "(n, n) * 1.000001005", "at [0, 1]: expected 1.0, yours gives 1.000001005"),
        ("1 / n", "0.0", "an error: expected 'the error ZeroDivisionError', yours gives 0.0; the input is error(0)"),
        ("sum(values)", "missing", "a number: NameError: name 'missing' is not defined"),
        ("return 0.5", "return 0.8", "chance: expected 0.5, yours gives 0.8"),
        ("sum(values) * n", "sum(values) * n * (1 + 1e-5)", "expected 0.9, yours gives 0.900009"),
    ],
)
def test_what_is_wrong_is_told_with_input_and_both_values(outcome, before: str, after: str, message: str) -> None:
    wrong = outcome(before, after)
    assert wrong.status == FAILED and message in wrong.message


def test_the_input_that_is_told_is_that_of_a_students_function_and_not_of_a_helper_of_the_exam() -> None:
    def asked(n: int) -> int:
        return n

    assert public_exam.input_of([(asked, (3,))]) == "; the input is asked(3)"
    asked.__module__ = f"{OF_GRADERS}ch01_ngram_lm_exams"
    assert public_exam.input_of([(asked, (3,))]) == ""


def test_an_error_hides_no_wrong_value_and_is_not_hidden_by_what_is_blank(outcome) -> None:
    """The number comes before the counts, and the pairs after them."""
    raises, blank = "raise OverflowError('too large')", 'raise NotImplementedError("Exercise 9.1: x")'
    error = "a number: OverflowError: too large; the input is number(3, [0.3])"
    assert outcome("return sum(values) * n", raises).message == error
    both = outcome("return sum(values) * n\n\ndef counts(words):\n    return {(word,): 1 for",
                   f"{raises}\n\ndef counts(words):\n    return {{(word,): 2 for")  # fmt: skip
    assert both.message.startswith("counts, at ('a',): expected 1, yours gives 2")
    begun = outcome("return sum(values) * n\n\ndef counts(words):\n    return {(word,): 1 for word in words}",
                    f"{raises}\n\ndef counts(words):\n    {blank}")  # fmt: skip
    assert begun.message == error


def test_an_answer_without_an_input_is_neither_recorded_nor_compared(outcome, tmp_path: Path) -> None:
    assert outcome("return 42", "return 41") == Outcome(PASSED)
    assert json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))["9.1"][0] == ["the answer", None]


def test_without_a_record_the_exam_cannot_pass(outcome, tmp_path: Path) -> None:
    (tmp_path / "expected.json").unlink()
    assert "python -m solutions sync writes it" in outcome().message


def test_no_record_has_an_answer_by_hand() -> None:
    for exercises in find_sets():
        recorded = json.loads((exercises.folder / "expected.json").read_text(encoding="utf-8"))
        assert recorded.keys() == exercises.tasks.keys()
    warm_up = json.loads((chapter_one().folder.parent / "ch06_attentive_lm" / "expected.json").read_text("utf-8"))[
        "6.1"
    ]
    assert dict(warm_up)["the context"] is None and dict(warm_up)["single scores of 1 word"] == 1


def test_a_damaged_record_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "expected.json").write_text('{"1.1": [', encoding="utf-8")
    with pytest.raises(UserError, match=r"expected\.json: not readable; python -m solutions sync"):
        public_exam.read_expected(tmp_path)
