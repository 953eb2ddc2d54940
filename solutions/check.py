"""`python -m solutions check`: whether the exercises are fit to be handed out."""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from common.errors import UserError
from common.text.vocab import counted
from solutions.examine import examine_all
from solutions.sets import EXERCISES, GRADERS, LEVELS, MUTANTS, ROOT, STYLES, ExerciseSet, sets_of
from solutions.stubs import functions, is_answer
from solutions.sync import is_blank

HEADING = re.compile(r"^#{2,} (.+)$", re.MULTILINE)


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "check", help="check that blanks fail, answers pass, mutants are caught, and nothing is missing"
    )
    parser.add_argument("chapters", nargs="*", type=int, metavar="CHAPTER", help="only these (default: all)")
    parser.add_argument("--both", action="store_true", help="run exams on mutants even where a grader catches them")
    parser.set_defaults(func=lambda arguments: check(arguments.chapters, arguments.both))


def check(chapters: Sequence[int] = (), both: bool = False) -> None:
    """Say what is wrong with these chapters' sets, or all, a line each. Raises `UserError` where something is."""
    sets = sets_of(chapters)
    if not any(is_answer(text) for exercises in sets for text in exercises.answers.values()):
        raise UserError("this edition has no answers to check; the instructor's own has them")
    counts: Counter[str] = Counter()
    problems = [line for exercises in sets for line in inspect(exercises)] + examine_all(sets, counts=counts, both=both)
    for line in problems:
        print(line)
    tasks, graders = (sum(len(getattr(exercises, name)) for exercises in sets) for name in ("tasks", "graders"))
    exams = sum(len(exercises.exams) for exercises in sets)
    exams_of = "exams" if both else "exams alone"
    caught = f"{counts['graders']} by graders, {counts['exams']} by {exams_of}, {counts['neither']} by neither"
    print(f"{len(sets)} sets, {tasks} tasks, {graders} graders, {exams} exams")
    print(f"{counts['mutants']} mutants: caught {caught}")
    print(f"{counts['styles']} right answers in other styles")
    if problems:
        raise UserError(f"{counted(len(problems), 'problem')} in the exercises, listed above")
    print("all in order")


def inspect(exercises: ExerciseSet, blanks: Path = EXERCISES) -> Iterator[str]:
    """What is wrong with the files of a set, without running any."""
    yield from stray_files(exercises, blanks / exercises.name)
    for name, stub in exercises.stubs.items():
        path = blanks / exercises.name / f"{name}.py"
        if not is_blank(path, stub):
            yield f"{path}: not the blank that the answer makes; python -m solutions sync"
    for number, task in exercises.tasks.items():
        place = f'{exercises.folder / "hints.toml"}, ["{number}"]'
        if number.partition(".")[0] != str(exercises.chapter):
            yield f"{place}: a task of chapter {exercises.chapter} begins with {exercises.chapter}."
        if len(task.hints) != len(LEVELS) or not all(task.hints):
            yield f"{place}: there must be {len(LEVELS)} hints: {', '.join(LEVELS)}"
        if task.points <= 0 or task.minutes <= 0 or not task.title:
            yield f"{place}: title, minutes and points must be given"
        if task.section not in lesson_headings(exercises):
            yield f"{place}: the lesson has no heading {task.section!r}; it has {', '.join(lesson_headings(exercises))}"
        if f"# TODO {number}:" not in exercises.stubs[task.file]:
            yield f"{blanks / exercises.name / f'{task.file}.py'}: there is no TODO {number}"
        for function, target in task.replaces:
            if function not in task.functions or not is_function(target, exercises.name):
                yield f"{place}: {function} = {target!r} does not name a function of the task and one of the course"
    flags = exercises.facts.get("training", [])
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        yield f'{exercises.folder / "hints.toml"}: training must be a list of flags, as ["--smoothing", "all"]'
    for number in sorted(exercises.facts.keys() - exercises.tasks.keys() - {"title", "training"}):
        yield f'{exercises.folder / "hints.toml"}, ["{number}"]: no answer has this task'


def lesson_headings(exercises: ExerciseSet) -> list[str]:
    """The headings of a chapter's lesson and its further parts."""
    folder = ROOT / "chapters" / exercises.name[2:]
    pages = [folder / "README.md", *sorted(folder.glob("PART*.md"))]
    return [heading for page in pages for heading in HEADING.findall(page.read_text(encoding="utf-8"))]


def stray_files(exercises: ExerciseSet, blanks: Path) -> Iterator[str]:
    """Files that do not belong to the set."""
    answers = {f"{name}.py" for name in exercises.answers}
    own = {f"test_{name}" for name in answers} | {"hints.toml", "answers.md", MUTANTS, STYLES, *GRADERS[1:]}
    for folder, allowed in ((exercises.folder, answers | own), (blanks, answers)):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.name not in allowed and path.name != "__pycache__" and ".kept-" not in path.name:
                yield f"{path}: a stray file"


def is_function(target: str, exercise_set: str) -> bool:
    """Whether "module:function" is a function of common/ or of the chapter of the set, "ch06_attentive_lm"."""
    module, _, name = target.partition(":")
    if not module.startswith(("common.", f"chapters.{exercise_set[5:]}.")):
        return False
    folders = module.replace(f"chapters.{exercise_set[5:]}", f"chapters.{exercise_set[2:]}").split(".")
    path = ROOT.joinpath(*folders).with_suffix(".py")
    return path.is_file() and name in functions(ast.parse(path.read_text(encoding="utf-8")))
