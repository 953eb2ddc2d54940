"""Break the answers in every small way; what do graders let through? `python -m tools.mutate_answers [CHAPTER ...]`.

The mutants in the graders' files are wrong answers that somebody thought of. These here nobody thought of: Cosmic Ray's
operators (another operator, another comparison, a number one larger or smaller, a loop that never runs ...) at every
place between the marks of an answer, one at a time. A mutant is killed when a grader of its own task fails, or its
exam. What survives is written out: either it is no wrong answer (`x * 1` for `x / 1`), or a grader is too weak.

Needs Cosmic Ray, which is not part of the course: `python -m pip install cosmic-ray==8.7.0`.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from common.errors import OneLineParser, UserError, exits_cleanly
from common.executor import MOST_JOBS
from solutions.examine import Examiner, Servers
from solutions.grading.execution import Source
from solutions.sets import ExerciseSet, sets_of
from solutions.stubs import BEGIN, END, lines_of

LIMIT = 6.0
"""Seconds that a grader may take on a mutant: many of them never end."""


class Mutant(NamedTuple):
    """One change. task is "" between marks without a number: what only the answer needs."""

    file: str
    task: str
    line: int
    operator: str
    before: str
    after: str
    text: str


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m tools.mutate_answers", description=__doc__.partition("\n")[0])
    parser.add_argument("chapters", nargs="*", type=int, metavar="CHAPTER", help="only these chapters")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="sets at once")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only N random mutants of each set")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: 1)")
    arguments = parser.parse_args()
    if not 1 <= arguments.jobs <= MOST_JOBS or arguments.sample < 0:
        raise UserError(f"--jobs must be from 1 to {MOST_JOBS}, --sample at least 0")
    sets = sets_of(arguments.chapters)
    operators = load_operators()
    total, killed = 0, 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        sample = arguments.sample, arguments.seed
        results = pool.map(lambda exercise_set: run(exercise_set, operators, *sample), sets)
        for exercise_set, verdicts, survivors in results:
            share = 1 - len(survivors) / max(sum(verdicts.values()), 1)
            print(f"{exercise_set.name:24} {sum(verdicts.values()):5} mutants, {share:6.1%} killed", flush=True)
            for mutant in survivors:
                print(f"    {mutant.task} {mutant.file}.py:{mutant.line} {mutant.operator}")
                print(f"        {mutant.before}\n        {mutant.after}")
            total, killed = total + sum(verdicts.values()), killed + verdicts["killed"]
    if not total:
        raise UserError("there is nothing to change: this edition of the course has no answers")
    print(f"{'all':24} {total:5} mutants, {killed / total:6.1%} killed")


def load_operators() -> dict[str, object]:
    """Cosmic Ray's operators by name, but for those that need to know what to replace."""
    try:
        from cosmic_ray import plugins
    except ImportError:
        raise UserError("Cosmic Ray is missing: python -m pip install cosmic-ray==8.7.0") from None
    operators = {name.removeprefix("core/"): plugins.get_operator(name) for name in plugins.operator_names()}
    return {name: operator() for name, operator in operators.items() if not operator.arguments()}


def run(
    exercise_set: ExerciseSet, operators: dict[str, object], sample: int = 0, seed: int = 1
) -> tuple[ExerciseSet, Counter[str], list[Mutant]]:
    """All mutants of a set, or a sample of so many, through the graders and exams of their tasks."""
    verdicts: Counter[str] = Counter()
    survivors = []
    mutants = list(mutants_of(exercise_set, operators))
    if 0 < sample < len(mutants):
        mutants = random.Random(seed).sample(mutants, sample)
    with Servers([exercise_set]) as servers:
        examiner = Examiner(exercise_set, servers, LIMIT)
        for mutant in mutants:
            files = {**examiner.right, mutant.file: Source(str(exercise_set.path_of(mutant.file)), mutant.text)}
            own = [task for task in exercise_set.tasks.values() if task.file == mutant.file]
            if any(examiner.is_caught(task, files) for task in own if mutant.task in (task.number, "")):
                verdicts["killed"] += 1
            else:
                verdicts["survived"] += 1
                survivors.append(mutant)
    return exercise_set, verdicts, survivors


def mutants_of(exercise_set: ExerciseSet, operators: dict[str, object]) -> Iterator[Mutant]:
    """Every different text that an operator makes of an answer by a change between the marks, if Python can read it."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    for file, text in exercise_set.answers.items():
        tasks, seen = task_of_line(text), set()
        for name, operator in operators.items():
            places = [place for node in ast_nodes(get_ast(text)) for place in operator.mutation_positions(node)]
            for number, ((line, _), _) in enumerate(places):
                changed = mutate_code(text, operator, number) if line in tasks else None
                if changed is None or changed in seen or changed == text or not is_python(changed):
                    continue
                seen.add(changed)
                before, after = (lines_of(source)[line - 1].strip() for source in (text, changed))
                yield Mutant(file, tasks[line], line, name, before, after, changed)


def task_of_line(text: str) -> dict[int, str]:
    """The task of every line between marks, by its number from 1."""
    task_by_line: dict[int, str] = {}
    task: str | None = None
    for number, line in enumerate(lines_of(text), start=1):
        begin = BEGIN.match(line)
        if begin or END.match(line):
            task = (begin[2] or "") if begin else None
        elif task is not None:
            task_by_line[number] = task
    return task_by_line


def is_python(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    main()
