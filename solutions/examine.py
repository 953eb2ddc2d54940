"""Grading the graders and exams: right answers must pass them, whatever their style, the blank and mutants must not."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

from common.errors import UserError
from solutions.diagnosis import HABITS
from solutions.grading.execution import PASSED, Outcome, Source
from solutions.grading.jobs import RunResult
from solutions.grading.marking import Closing, Exams, Files, Graders, answer_files, diagnosed, mutated_files
from solutions.grading.process import LIMIT
from solutions.grading.reading import find_problem
from solutions.sets import MUTANTS, STYLES, ExerciseSet, Mutant, Task
from solutions.stubs import lines_of_names, read_tree

FEWEST = 8
"""Mutants that a set has at least."""


def examine_all(sets: Sequence[ExerciseSet], counts: Counter[str] | None = None, both: bool = False) -> list[str]:
    """What is wrong with the graders and exams of these sets, one per line. As many at once as there are cores."""
    with Servers(sets) as servers, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        each = [Counter() for _ in sets]
        problems = pool.map(lambda exercises, own: list(examine(exercises, own, both, servers)), sets, each)
        lines = [line for lines in problems for line in lines]
    for own in each if counts is not None else ():
        counts.update(own)
    return lines


def examine(
    exercises: ExerciseSet, counts: Counter[str] | None = None, both: bool = False, servers: Servers | None = None
) -> Iterator[str]:
    """What is wrong with the graders and exams of a set, one per line.

    counts: how many mutants each has caught. both: run the exam also where a grader has caught one, to count both.
    servers: that have the set's graders and exams; without them it has its own.
    """
    if len(exercises.mutants) < FEWEST:
        yield f"{exercises.folder}: {len(exercises.mutants)} mutants; there must be at least {FEWEST}"
    yield from lacking(exercises)
    for grader in exercises.graders:
        if grader.file not in exercises.answers or grader.task not in exercises.tasks:
            yield f"{exercises.folder / f'test_{grader.file}.py'}: {grader.name} is of no answer or task of this set"
            return
    with nullcontext(servers) if servers else Servers([exercises]) as of_set:
        examiner = Examiner(exercises, of_set)
        broken = list(examiner.answers())
        yield from broken
        if not broken:  # graders that fail the answer say nothing about mutants
            yield from examiner.blanks()
            yield from examiner.styles()
            yield from examiner.mutants(both)
        if counts is not None:
            counts.update(examiner.counts)


def lacking(exercises: ExerciseSet) -> Iterator[str]:
    """Tasks without a grader, a mutant or an exam."""
    graded = {grader.task for grader in exercises.graders}
    mutated = {mutant.task for mutant in exercises.mutants}
    for number in exercises.tasks:
        for kind, covered in (("grader", graded), ("mutant", mutated), ("exam", exercises.exams)):
            if number not in covered:
                yield f"{exercises.folder}: task {number} has no {kind}"
    for number in sorted(exercises.exams.keys() - exercises.tasks.keys()):
        yield f"{exercises.folder}: there is an exam of {number}, which is no task"


class Servers(Closing):
    """Processes that run the graders and the exams of sets. Several threads may share them."""

    def __init__(self, sets: Sequence[ExerciseSet]):
        self.graders = Graders([*sets], guarded=False)
        # the same numbers each time: a check that fails will fail again
        self.exams = Exams([*sets], seed="check", guarded=False)

    def close(self) -> None:
        self.graders.close()
        self.exams.close()


class Examiner:
    """Runs the graders and exams of a set on right and wrong answers."""

    def __init__(self, exercises: ExerciseSet, servers: Servers, limit: float = LIMIT):
        self.exercises, self.limit = exercises, limit
        self.right = answer_files(exercises)
        self.graders, self.exams = servers.graders, servers.exams
        self.counts: Counter[str] = Counter()

    def answers(self) -> Iterator[str]:
        for task in self.exercises.tasks.values():
            place = self.exercises.path_of(task.file)
            for name, outcome in self.graders.run(task, self.right, self.limit).outcomes.items():
                if outcome.status != PASSED:
                    yield f"{place}: the answer fails {name}: {outcome.message}"
            wrong = self.exams.prepare(task, self.limit)
            if wrong:
                yield f"{place}: the answer fails the exam of {task.number}: {wrong}"

    def blanks(self) -> Iterator[str]:
        blank = {name: Source(str(self.exercises.path_of(name)), text) for name, text in self.exercises.stubs.items()}
        for task in self.exercises.tasks.values():
            place = self.exercises.path_of(task.file)
            for name, outcome in self.graders.run(task, blank, self.limit).outcomes.items():
                if outcome.status == PASSED:
                    yield f"{place}: the blank passes {name}"
            if task.exam and self.exams.judge(task, blank).status == PASSED:
                yield f"{place}: the blank passes the exam of {task.number}"

    def styles(self) -> Iterator[str]:
        """Right answers in other styles that graders or the exam refuse."""
        path = self.exercises.folder / STYLES
        for task in self.exercises.tasks.values():
            own = [style for style in self.exercises.styles if style.task == task.number]
            answer, place = self.exercises.answers[task.file], str(self.exercises.path_of(task.file))
            works = [{**self.right, task.file: Source(place, restyled(answer, style.text))} for style in own]
            graded = zip(own, self.graded(task, works), self.examined(task, works), strict=True)
            for style, work in zip(own, works, strict=True):
                if problem := find_problem(task, work, self.exercises.folder):
                    yield f"{path}, line {style.line}: a right answer is refused: {problem}"
            for style, outcomes, exam in graded:
                for name, outcome in [*outcomes.items(), ("the exam", exam)]:
                    if outcome.status != PASSED:
                        message = f"a right answer to {style.task} fails {name}: {outcome.message}"
                        yield f"{path}, line {style.line}: {message}"
            for style, sentence in zip([None, *own], self.misconceptions(task, [self.right, *works]), strict=True):
                if sentence:
                    where = f"{path}, line {style.line}" if style else f"task {task.number}"
                    yield f"{where}: a right answer shows {sentence!r}"
            self.counts.update(styles=len(own))

    def mutants(self, both: bool) -> Iterator[str]:
        """Mutants that nothing catches. both: give them to the exam also where a grader catches them."""
        works: dict[str, list[tuple[Mutant, dict[str, Source]]]] = {number: [] for number in self.exercises.tasks}
        path = self.exercises.folder / MUTANTS
        for mutant in self.exercises.mutants:
            try:
                works[mutant.task].append((mutant, mutated_files(self.exercises, mutant)))
            except UserError as error:
                yield str(error)
        for number, own in works.items():
            task = self.exercises.tasks[number]
            for (mutant, work), caught in zip(own, self.caught(task, own, both), strict=True):
                if not caught and not self.is_caught(task, work):
                    yield f"{path}: neither grader nor exam of task {number} catches the mutant {mutant.name!r}"
            sentences = self.misconceptions(task, [work for _, work in own])
            for (mutant, _), sentence in zip(own, sentences, strict=True):
                if sentence != mutant.misconception and (mutant.misconception or sentence not in HABITS):
                    yield f"{path}: the mutant {mutant.name!r} of task {number} shows {sentence!r}"

    def caught(self, task: Task, mutants: Sequence[tuple[Mutant, dict[str, Source]]], both: bool) -> list[bool]:
        """Which mutants of a task its graders or its exam catch."""
        works = [work for _, work in mutants]
        by_grader = [failed(outcomes) for outcomes in self.graded(task, works, first=True)]
        remaining = [place for place, caught in enumerate(by_grader) if both or not caught]
        exams = self.examined(task, [works[place] for place in remaining])
        by_exam = {place: exam.status != PASSED for place, exam in zip(remaining, exams, strict=True)}
        verdicts = [caught or by_exam[place] for place, caught in enumerate(by_grader)]
        self.counts.update(graders=sum(by_grader), exams=sum(by_exam.values()), neither=verdicts.count(False))
        self.counts.update(mutants=len(mutants))
        return verdicts

    def is_caught(self, task: Task, work: dict[str, Source]) -> bool:
        """Whether a grader or the exam of a task fails on these files, in processes that run nothing else."""
        if failed(self.graders.run(task, work, self.limit, first=True).outcomes):
            return True
        return self.exams.judge(task, work, self.limit).status != PASSED

    def graded(self, task: Task, works: Sequence[dict[str, Source]], first: bool = False) -> list[dict[str, Outcome]]:
        """How the graders of a task end on each of these works. first: stop at the first that fails."""
        return [ran.outcomes for ran in self.run(self.graders, task, works, first)]

    def examined(self, task: Task, works: Sequence[dict[str, Source]]) -> list[Outcome]:
        """How the exam of a task ends on each of these works."""
        if not task.exam:
            return [Outcome(PASSED)] * len(works)
        return [self.exams.verdict(task, ran) for ran in self.run(self.exams, task, works)]

    def misconceptions(self, task: Task, works: Sequence[dict[str, Source]]) -> list[str]:
        """The sentence that each of these works shows, or "" for none."""
        requests = [self.graders.diagnosis(task, Files(work)) for work in works]
        shared = self.graders.server.run_some([replace(request, stays=True) for request in requests], self.limit)
        found = (diagnosed(request, ran) for request, ran in zip(requests, shared, strict=True))
        return [sentence.partition(": ")[2] for sentence, _ in found]

    def run(
        self, which: Graders, task: Task, works: Sequence[dict[str, Source]], first: bool = False
    ) -> list[RunResult]:
        """What graders or exams of a task find in each of these works. They share a process, as making one takes longer
        than running them; after them the answer must pass there, else each work has a process of its own.
        """
        requests = [which.request(task, Files(work), first) for work in [*works, self.right]]
        shared = [*which.server.run_some([replace(request, stays=True) for request in requests], self.limit)]
        in_one = len({ran.process for ran in shared}) == 1
        if in_one and not self.fails(which, task, shared.pop()):
            return shared
        return [which.server.run(request, self.limit) for request in requests[:-1]]

    def fails(self, which: Graders, task: Task, ran: RunResult) -> bool:
        return failed(ran.outcomes) or which is self.exams and which.verdict(task, ran).status != PASSED


def restyled(answer: str, style: str) -> str:
    """An answer in which the statements of a style take the places of the functions of the same names."""
    replaced = lines_of_names(read_tree(style))
    kept = [node for node in read_tree(answer).body if getattr(node, "name", "") not in replaced]
    return f"{ast.unparse(ast.Module(kept, []))}\n\n\n{style}\n"


def failed(outcomes: Mapping[str, Outcome]) -> bool:
    return any(outcome.status != PASSED for outcome in outcomes.values())
