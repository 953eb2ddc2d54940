"""Grading the graders and exams: right answers must pass them, whatever their style, the blank and mutants must not."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from common.errors import UserError
from solutions.grading.execution import PASSED, Source
from solutions.grading.marking import Exams, Graders, answer_files
from solutions.grading.process import LIMIT
from solutions.sets import OTHERS, ExerciseSet, Task
from solutions.stubs import mutate

FEWEST = 8
"""Mutants that a set has at least."""


def examine_all(
    sets: Sequence[ExerciseSet],
    jobs: int = 0,
    limit: float = LIMIT,
    counts: Counter[str] | None = None,
    both: bool = False,
) -> list[str]:
    """What is wrong with the graders and exams of these sets, one per line. As many at once as there are cores."""
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        found = pool.map(lambda one: list(examine(one, limit, counts, both)), sets)
        return [line for lines in found for line in lines]


def examine(
    one: ExerciseSet, limit: float = LIMIT, counts: Counter[str] | None = None, both: bool = False
) -> Iterator[str]:
    """What is wrong with the graders and exams of a set, one per line.

    counts: how many mutants each has caught. both: run the exam also where a grader has caught one, to count both.
    """
    mutants = sum(len(mutants) for mutants in one.mutants.values())
    if mutants < FEWEST:
        yield f"{one.folder}: {mutants} mutants; there must be at least {FEWEST}"
    yield from lacking(one)
    for grader in one.graders:
        if grader.file not in one.answers or grader.task not in one.tasks:
            yield f"{one.folder / f'test_{grader.file}.py'}: {grader.name} is of no answer or task of this set"
            return
    with Examiner(one, limit) as examiner:
        broken = list(examiner.answers())
        yield from broken
        if not broken:  # graders that fail the answer say nothing about mutants
            yield from examiner.blanks()
            yield from examiner.styles()
            yield from examiner.mutants(both)
        if counts is not None:
            counts.update(examiner.counts)


def lacking(one: ExerciseSet) -> Iterator[str]:
    """Tasks without a grader, a mutant or an exam."""
    graded = {grader.task for grader in one.graders}
    mutated = {task for mutants in one.mutants.values() for task, _, _ in mutants}
    for number in one.tasks:
        for kind, found in (("grader", graded), ("mutant", mutated), ("exam", one.exams)):
            if number not in found:
                yield f"{one.folder}: task {number} has no {kind}"
    for number in one.exams.keys() - one.tasks.keys():
        yield f"{one.folder}: there is an exam of {number}, which is no task"


class Examiner:
    """Processes that run the graders and exams of a set on right and wrong answers, each in a copy of its own."""

    def __init__(self, one: ExerciseSet, limit: float = LIMIT):
        self.one, self.limit = one, limit
        self.right = answer_files(one)
        self.graders = Graders([one], guarded=False)
        self.exams = Exams([one], guarded=False) if one.exams else None
        self.counts: Counter[str] = Counter()

    def answers(self) -> Iterator[str]:
        for task in self.one.tasks.values():
            place = self.one.path_of(task.file)
            for name, outcome in self.graders.run(self.one, task, self.right, self.limit).outcomes.items():
                if outcome.status != PASSED:
                    yield f"{place}: the answer fails {name}: {outcome.message}"
            wrong = self.exams.prepare(self.one, task, self.limit) if self.exams else ""
            if wrong:
                yield f"{place}: the answer fails the exam of {task.number}: {wrong}"

    def blanks(self) -> Iterator[str]:
        blank = {name: Source(str(self.one.path_of(name)), text) for name, text in self.one.stubs.items()}
        for task in self.one.tasks.values():
            place = self.one.path_of(task.file)
            for name, outcome in self.graders.run(self.one, task, blank, self.limit).outcomes.items():
                if outcome.status == PASSED:
                    yield f"{place}: the blank passes {name}"
            if task.number in self.one.exams and self.exams.judge(self.one, task, blank).status == PASSED:
                yield f"{place}: the blank passes the exam of {task.number}"

    def styles(self) -> Iterator[str]:
        """Right answers in other styles that graders or the exam refuse."""
        for style in self.one.styles:
            task = self.one.tasks[style.task]
            text = f"{self.one.answers[task.file]}\n\n{style.text}\n"  # the later function of a name takes its place
            files = {**self.right, task.file: Source(str(self.one.path_of(task.file)), text)}
            outcomes = self.graders.run(self.one, task, files, self.limit).outcomes
            if self.exams:
                outcomes = {**outcomes, "the exam": self.exams.judge(self.one, task, files, self.limit)}
            for name, outcome in outcomes.items():
                if outcome.status != PASSED:
                    place = self.one.folder / OTHERS[1]
                    yield f"{place}, line {style.line}: a right answer to {style.task} fails {name}: {outcome.message}"
            self.counts.update(styles=1)

    def mutants(self, both: bool) -> Iterator[str]:
        """Mutants that nothing catches."""
        for file, mutants in self.one.mutants.items():
            for number, right, wrong in mutants:
                path = str(self.one.path_of(file))
                try:
                    text = mutate(self.one.answers[file], right, wrong, path)
                except UserError as error:
                    yield str(error)
                    continue
                if not self.is_caught(self.one.tasks[number], {**self.right, file: Source(path, text)}, both):
                    yield f"{path}: neither grader nor exam of task {number} catches the mutant {right!r} -> {wrong!r}"

    def is_caught(self, task: Task, files: dict[str, Source], both: bool) -> bool:
        """Whether a grader or the exam of a task fails on these files. both: run the exam also where a grader fails."""
        ran = self.graders.run(self.one, task, files, self.limit, first=True)
        by_grader = any(outcome.status != PASSED for outcome in ran.outcomes.values())
        by_exam = False
        if self.exams and (both or not by_grader):
            by_exam = self.exams.judge(self.one, task, files, self.limit).status != PASSED
        self.counts.update(mutants=1, graders=by_grader, exams=by_exam, neither=not (by_grader or by_exam))
        return by_grader or by_exam

    def close(self) -> None:
        self.graders.close()
        if self.exams:
            self.exams.close()

    def __enter__(self) -> Examiner:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
