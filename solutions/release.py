"""`python -m solutions release DIR`: the edition for students, which has no answers.

Blanks take the answers' places; mutants, styles, and the tests of answers are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from pathlib import Path

from common.copying import copy_tree
from common.errors import UserError
from solutions.sets import GRADERS, ROOT, SET_NAME, ExerciseSet, find_sets

FOLDERS = ("book", "chapters", "common", "data", "exercises", "solutions", "tests", "tools")
FILES = ("README.md", "Makefile", "pyproject.toml", "constraints.txt", "LICENSE", "CITATION.cff", "CONTRIBUTING.md",
         "RESULTS.md", "RESULTS.png", "RESULTS_pairs.png", "SPEED.md", ".gitignore", ".gitattributes")  # fmt: skip
LEFT_OUT = ("__pycache__", "*.pyc", "*.egg-info", ".*", "*.part", "*.kept-*", "runs", "corpora",
            "test_graders.py", "test_exercises*.py", "test_solutions*.py",
            "test_contributing.py", "test_from_exercises.py", "test_install.py", "*submissions.py",
            "exercise_examples.py", "instructor", "test_instructor*.py", "test_slides.py")  # fmt: skip
FOR_INSTRUCTORS = re.compile(r"^- \*\*Instructors\*\*.*?\n(?=- |\n)", re.MULTILINE | re.DOTALL)
"""The paragraph of the first page whose links the edition does not have."""
WORKFLOW = Path(__file__).with_name("classroom.yml")


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("release", help="write the edition for students, without the answers")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    parser.set_defaults(func=lambda arguments: release(arguments.folder))


def release(folder: Path) -> None:
    """Write the edition, whole or not at all. Raises `UserError` where the folder exists or lies in the course."""
    folder = folder.resolve()
    if folder.exists():
        raise UserError(f"{folder} exists already; name a new folder")
    if ROOT in folder.parents and folder.parts[len(ROOT.parts)] in FOLDERS:
        raise UserError(f"{folder} is inside the course itself; name a folder elsewhere")
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        for name in FOLDERS:
            copy_tree(ROOT / name, unfinished / name, ignore=left_out)
        for name in FILES:
            if (ROOT / name).exists():
                shutil.copyfile(ROOT / name, unfinished / name)
        text = FOR_INSTRUCTORS.sub("", (unfinished / "README.md").read_text("utf-8"))
        (unfinished / "README.md").write_text(text, encoding="utf-8", newline="\n")
        for exercises in find_sets():
            write_set(exercises, unfinished)
        workflow = unfinished / ".github" / "workflows" / "exercises.yml"
        workflow.parent.mkdir(parents=True)
        shutil.copy2(WORKFLOW, workflow)
        unfinished.rename(folder)
    except OSError as error:
        raise UserError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    print(f"the students' edition is in {folder}; make it a repository of its own, without this one's history")


def left_out(folder: str, names: list[str]) -> set[str]:
    """What `copy_tree` must not copy: caches, work, and the sets, which `write_set` makes."""
    inside = Path(folder).resolve()
    sets = {name for name in names if inside in (ROOT / "exercises", ROOT / "solutions") and SET_NAME.fullmatch(name)}
    return sets | shutil.ignore_patterns(*LEFT_OUT)(folder, names)


def write_set(exercises: ExerciseSet, course: Path) -> None:
    """The blanks of a set, twice: to fill in, and to start again from; its graders and hints."""
    blank, graders = course / "exercises" / exercises.name, course / "solutions" / exercises.name
    for folder in (blank, graders):
        folder.mkdir(parents=True)
        for name, stub in exercises.stubs.items():
            (folder / f"{name}.py").write_text(stub, encoding="utf-8", newline="\n")
    for pattern in (*GRADERS, "hints.toml"):
        for path in exercises.folder.glob(pattern):
            shutil.copy2(path, graders / path.name)
