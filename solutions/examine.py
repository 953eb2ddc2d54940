"""Grading the graders: the answer must pass them, the blank and every mutant must not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from common.errors import UserError
from solutions.execution import PASSED, Outcome, Source
from solutions.process import LIMIT, Worker
from solutions.running import answer_files, run_one
from solutions.sets import ExerciseSet, Grader
from solutions.stubs import mutate

FEWEST = 8
"""Mutants that a set has at least."""


def examine_all(sets: Sequence[ExerciseSet], jobs: int = 0, limit: float = LIMIT) -> list[str]:
    """What is wrong with the graders of these sets, a line each. A process a set, as many at once as cores."""
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        return [line for lines in pool.map(lambda one: list(examine(one, limit)), sets) for line in lines]


def examine(one: ExerciseSet, limit: float = LIMIT) -> Iterator[str]:
    """What is wrong with the graders of a set, a line each."""
    mutants = sum(len(mutants) for mutants in one.mutants.values())
    if mutants < FEWEST:
        yield f"{one.folder}: {mutants} mutants; there must be at least {FEWEST}"
    yield from lacking_graders(one)
    paths = sorted(one.folder.glob("test_*.py"))
    for grader in one.graders:
        if grader.file not in one.answers or grader.task not in one.tasks:
            yield f"{one.folder / f'test_{grader.file}.py'}: {grader.name} is of no answer or task of this set"
            return
    examiner = Examiner(one, paths, limit)
    try:
        broken = list(examiner.answers())
        yield from broken
        if not broken:  # graders that fail the answer say nothing about mutants
            yield from examiner.blanks()
            yield from examiner.mutants()
    finally:
        examiner.worker.close()


def lacking_graders(one: ExerciseSet) -> Iterator[str]:
    """Tasks without a grader, and tasks without a mutant."""
    graded = {grader.task for grader in one.graders}
    mutated = {task for mutants in one.mutants.values() for task, _, _ in mutants}
    for number in one.tasks:
        for kind, found in (("grader", graded), ("mutant", mutated)):
            if number not in found:
                yield f"{one.folder}: task {number} has no {kind}"


class Examiner:
    """A process that runs the graders of a set on right and wrong answers."""

    def __init__(self, one: ExerciseSet, paths: list, limit: float):
        self.one, self.paths, self.limit = one, paths, limit
        self.right = answer_files(one)
        self.worker = Worker(paths, guarded=False)

    def run(self, grader: Grader, files: dict[str, Source]) -> Outcome:
        if not self.worker.alive:
            self.restart()
        return run_one(self.worker, self.one, grader, files, self.limit)

    def restart(self) -> None:
        self.worker.close()
        self.worker = Worker(self.paths, guarded=False)

    def answers(self) -> Iterator[str]:
        for grader in self.one.graders:
            outcome = self.run(grader, self.right)
            if outcome.status != PASSED:
                yield f"{self.one.path_of(grader.file)}: the answer fails {grader.name}: {outcome.message}"

    def blanks(self) -> Iterator[str]:
        blank = {name: Source(str(self.one.path_of(name)), text) for name, text in self.one.stubs.items()}
        for grader in self.one.graders:
            if self.run(grader, blank).status == PASSED:
                yield f"{self.one.path_of(grader.file)}: the blank passes {grader.name}"

    def mutants(self) -> Iterator[str]:
        for file, mutants in self.one.mutants.items():
            for number, right, wrong in mutants:
                path = str(self.one.path_of(file))
                try:
                    text = mutate(self.one.answers[file], right, wrong, path)
                except UserError as error:
                    yield str(error)
                    continue
                if not self.is_caught(number, {**self.right, file: Source(path, text)}):
                    yield f"{path}: no grader of task {number} catches the mutant {right!r} -> {wrong!r}"

    def is_caught(self, number: str, files: dict[str, Source]) -> bool:
        """Whether a grader of the task fails on these files, and not because an earlier mutant left a mess behind."""
        graders = [grader for grader in self.one.graders if grader.task == number]
        for grader in graders:
            if self.run(grader, files).status == PASSED:
                continue
            if not self.worker.alive or self.run(grader, self.right).status == PASSED:
                return True
            self.restart()  # a NaN stays in DyNet's memory, for one: ask again where nothing was run before
            if self.run(grader, files).status != PASSED:
                return True
        return False
