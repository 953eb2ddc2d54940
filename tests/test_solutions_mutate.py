"""`python -m tools.mutate_answers`: changes that an operator makes, and what the graders let through."""

from __future__ import annotations

import sys
import types

import pytest

from common.errors import UserError
from solutions.stubs import mutate
from tests.submissions import chapter_one
from tools import mutate_answers
from tools.mutate_answers import Mutant, load_operators, run, task_of_line

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
