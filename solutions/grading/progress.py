"""How far a student is inside an exercise of several functions: which are right, which one is next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from solutions.diagnosis import INPUT
from solutions.grading.execution import FAILED, PASSED, Outcome, Source
from solutions.sets import Grader, Task
from solutions.stubs import blank_task, functions, lines_of, lines_of_names, read_tree


@dataclass(frozen=True)
class Progress:
    """The functions of a task: right, wrong, blank, or none of these where they cannot be checked yet, since they call
    others that are blank. wrong: those first that most checks suspect. lines: where each begins in the student's file.
    """

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    blank: tuple[str, ...]
    lines: Mapping[str, int]

    def blaming(self, name: str) -> Progress:
        """The same where it is known which function is wrong."""
        others = [other for other in self.wrong if other != name]
        right = tuple(other for other in self.right if other != name)
        return replace(self, right=right, wrong=(name, *others))

    @property
    def next(self) -> str:
        """The first function that is wrong; if there is none, the first that is blank, or not checked yet; or ""."""
        rest = [name for name in self.lines if name not in self.right]
        return next(iter([*self.wrong, *self.blank, *rest]), "")

    def __str__(self) -> str:
        """As a student reads it; "" where there is but one function, or nothing left to do."""
        if len(self.lines) < 2 or not self.next:
            return ""
        number = f"{len(self.right)} of {len(self.lines)} functions right"
        return f"{number}; next: {self.next}, line {self.lines[self.next]}"


def blank_functions(task: Task, text: str) -> list[str]:
    """The functions of a task that a file still has as blanks: they end in the task's `NotImplementedError`."""
    defined = functions(read_tree(text))
    return [name for name in task.functions if name in defined and blank_task(defined[name]) == task.number]


def left_over(task: Task, source: Source) -> str:
    """Where the `raise` of a blank still stands in the midst of an answer, as the beginning of a message."""
    lines = enumerate(lines_of(source.text), start=1)
    number = next(
        (line_number for line_number, line in lines if f'NotImplementedError("Exercise {task.number}' in line), 0
    )
    return f"{source.path}, line {number}: " if number else f"{source.path}: "


def progress(task: Task, source: Source, outcomes: Mapping[str, Outcome]) -> Progress:
    """Which functions are right: those that were written, that a check has found right, and no check wrong."""
    places, blank = lines_of_names(read_tree(source.text)), blank_functions(task, source.text)
    checks = checks_of(task, outcomes)
    failing = [grader for grader, outcome in checks if outcome.status == FAILED]
    suspicions = Counter(name for grader in failing for name in suspects(task, grader, checks, blank))
    passed = {name for grader, outcome in checks if outcome.status == PASSED for name in grader.uses}
    lines = {name: places[name] for name in task.functions}
    right = tuple(name for name in lines if name in passed - suspicions.keys() - {*blank})
    wrong = sorted(filter(suspicions.get, lines), key=lambda name: -suspicions[name])
    return Progress(right, tuple(wrong), tuple(blank), lines)


def checks_of(task: Task, outcomes: Mapping[str, Outcome]) -> list[tuple[Grader, Outcome]]:
    """The graders that were run, with their outcomes."""
    return [(grader, outcomes[grader.name]) for grader in task.exercises.graders if grader.name in outcomes]


def suspects(task: Task, failing: Grader, checks: list[tuple[Grader, Outcome]], blank: list[str]) -> list[str]:
    """Where the mistake is that a check has found: the function whose input it names, or of the functions that it uses
    those that no other check, of one function alone, has found right. All of them, where every one was.
    """
    used = used_by(task, failing, blank)
    message = next((outcome.message for grader, outcome in checks if grader == failing), "")
    suspected = [name for name in used if f"{INPUT}{name}(" in message]
    if suspected:
        return suspected
    alone: dict[str, list[bool]] = {}
    for grader, outcome in checks:
        names = [name for name in task.functions if name in grader.uses]
        if len(names) == 1:
            alone.setdefault(names[0], []).append(outcome.status == PASSED)
    return [name for name in used if not all(alone.get(name, [False]))] or used


def used_by(task: Task, grader: Grader, blank: list[str]) -> list[str]:
    """The functions of a task that a check uses, but for blank ones."""
    return [name for name in task.functions if name in grader.uses and name not in blank]
