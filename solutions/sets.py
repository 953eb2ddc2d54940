"""The sets of exercises: which there are, their tasks, hints, graders and mutants. Nothing is imported or run here."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from common.errors import UserError, did_you_mean
from common.files import finite
from solutions.stubs import gives_mutants, make_stub, reachable, read_tree, tasks_of

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
SOLUTIONS, EXERCISES = ROOT / "solutions", ROOT / "exercises"
SET_NAME = re.compile(r"ch(\d\d)_\w+")
EXAMS = "exams.py"
OTHERS = "mutants.py", "styles.py"
"""Of a set: more mutants, and right answers in other styles."""
TOLERANCE = 1e-4
"""How much two right answers may differ, relatively; a tenth of it absolutely."""
LEVELS = ("a nudge", "the equation", "the shape of each step")

Mutant = tuple[str, str, str]
"""The task whose graders must catch it, a text of the answer, and what is wrong in its place."""


@dataclass(frozen=True)
class Task:
    """One thing to write. replaces: for `--from exercises`, the course's functions by the names of the student's."""

    number: str
    title: str
    minutes: int
    points: float
    hints: tuple[str, ...]
    replaces: tuple[tuple[str, str], ...]
    file: str
    functions: tuple[str, ...]


@dataclass(frozen=True)
class Grader:
    """One check of a task: a function `test_...` of `test_FILE.py`. uses: what it takes from the student's module."""

    file: str
    name: str
    task: str
    uses: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Exam:
    """The exam of a task: a function of `exams.py`, and how much two right answers may differ."""

    name: str
    task: str
    tolerance: float


@dataclass(frozen=True)
class Style:
    """A right answer in another style: a function that takes the place of the one with its name."""

    task: str
    line: int
    text: str


@dataclass(frozen=True)
class ExerciseSet:
    """The exercises of a chapter: a folder of `solutions/`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def chapter(self) -> int:
        return int(SET_NAME.fullmatch(self.name)[1])

    @property
    def title(self) -> str:
        return str(self.facts.get("title", self.name))

    @cached_property
    def facts(self) -> dict:
        """What hints.toml says. Raises `UserError` where it cannot be read."""
        path = self.folder / "hints.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(f"{path}: no such file; every set of exercises has its hints there") from None
        except (OSError, ValueError, RecursionError) as error:  # what TOML and Unicode refuse is a ValueError
            raise UserError(f"{path}: {getattr(error, 'strerror', error)}") from None

    @cached_property
    def answers(self) -> dict[str, str]:
        """The text of each answer, by the name of its file without .py."""
        paths = sorted(self.folder.glob("*.py"))
        answers = [path for path in paths if path.name not in (EXAMS, *OTHERS) and not path.stem.startswith("test_")]
        return {path.stem: path.read_text(encoding="utf-8") for path in answers}

    @cached_property
    def stubs(self) -> dict[str, str]:
        """The blank of each answer."""
        titles = {number: str(entry.get("title", "")) for number, entry in self._entries.items()}
        return {name: make_stub(text, titles, str(self.path_of(name))) for name, text in self.answers.items()}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks in order of their numbers. Raises `UserError` where hints.toml lacks something."""
        places = [
            (number, file, names) for file, stub in self.stubs.items() for number, names in tasks_of(stub).items()
        ]
        found: dict[str, Task] = {}
        for number, file, names in sorted(places, key=lambda place: task_order(place[0])):
            if number in found:
                raise UserError(
                    f"{self.path_of(file)}: task {number} is also in {found[number].file}.py; one file a task"
                )
            found[number] = self._task(number, file, tuple(names))
        return found

    def _task(self, number: str, file: str, names: tuple[str, ...]) -> Task:
        entry, place = self._entries.get(number, {}), f'{self.folder / "hints.toml"}, ["{number}"]'
        try:
            return Task(
                number=number,
                title=str(entry["title"]),
                minutes=int(entry["minutes"]),
                points=finite(entry["points"]),
                hints=tuple(str(hint).strip() for hint in entry["hints"]),
                replaces=tuple(entry.get("replaces", {}).items()),
                file=file,
                functions=names,
            )
        except KeyError as error:
            raise UserError(f"{place}: {error.args[0]} is missing") from None
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise UserError(f"{place}: {error}") from None

    @property
    def _entries(self) -> dict[str, dict]:
        return {number: entry for number, entry in self.facts.items() if isinstance(entry, dict)}

    def path_of(self, file: str) -> Path:
        return self.folder / f"{file}.py"

    @cached_property
    def graders(self) -> list[Grader]:
        """Every check of every task, in the order of the files. Raises `UserError` for one without a task."""
        return [grader for path in sorted(self.folder.glob("test_*.py")) for grader in graders_of(path)]

    @cached_property
    def exams(self) -> dict[str, Exam]:
        """The exam of each task; none in an edition for students."""
        path = self.folder / EXAMS
        return {exam.task: exam for exam in exams_of(path)} if path.is_file() else {}

    @cached_property
    def mutants(self) -> dict[str, list[Mutant]]:
        """The mutants of each answer, by the name of its file; none in an edition for students."""
        found = {path.stem[5:]: mutants_of(path) for path in sorted(self.folder.glob("test_*.py"))}
        for file, mutants in found.items():
            for mutant in mutants:
                self._task_of(f"test_{file}.py", mutant[0])
        for mutant in mutants_of(self.folder / OTHERS[0]):
            found.setdefault(self._task_of(OTHERS[0], mutant[0]).file, []).append(mutant)
        return found

    @cached_property
    def styles(self) -> list[Style]:
        """Right answers in other styles; none in an edition for students."""
        found = styles_of(self.folder / OTHERS[1])
        for style in found:
            self._task_of(OTHERS[1], style.task)
        return found

    def _task_of(self, name: str, number: str) -> Task:
        if number not in self.tasks:
            raise UserError(f"{self.folder / name}: there is no task {number}")
        return self.tasks[number]


def tree_of(path: Path) -> ast.Module:
    """What a file says, as Python reads it. Raises `UserError` where it cannot."""
    try:
        return read_tree(path.read_text(encoding="utf-8"), str(path))
    except SyntaxError as error:
        raise UserError(f"{path}, line {error.lineno}: {error.msg}") from None
    except ValueError:
        raise UserError(f"{path}: not a Python file in UTF-8") from None


def graders_of(path: Path) -> list[Grader]:
    """The checks in a file, in their order."""
    found = []
    defined = {node.name: node for node in tree_of(path).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in defined.values():
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
            continue
        match node.decorator_list:
            case [ast.Call(func=ast.Name("task"), args=[ast.Constant(str(task))])]:
                found.append(Grader(path.stem[5:], node.name, task, taken_from_work(defined, node.name)))
            case _:
                raise UserError(f'{path}, line {node.lineno}: {node.name} needs its task: @task("1.2")')
    return found


def taken_from_work(defined: dict[str, ast.AST], name: str) -> frozenset[str]:
    """The attributes of the student's module, `work`, that a grader uses, itself or in functions that it calls."""
    nodes = [node for used in reachable(defined, [name]) for node in ast.walk(defined[used])]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return frozenset(node.attr for node in attributes if node.value.id == "work")


def exams_of(path: Path) -> list[Exam]:
    """The exams in a file. Raises `UserError` where one does not say its task and tolerance plainly."""
    found = []
    for node in tree_of(path).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            match decorator:
                case ast.Call(ast.Name("exam"), [ast.Constant(str(task))], []):
                    found.append(Exam(node.name, task, TOLERANCE))
                case ast.Call(ast.Name("exam"), [ast.Constant(str(task)), ast.Constant(float(tolerance))], []):
                    found.append(Exam(node.name, task, tolerance))
                case ast.Name("exam") | ast.Call(ast.Name("exam")):
                    place = f"{path}, line {node.lineno}: {node.name}"
                    raise UserError(f'{place} needs its task, and perhaps a tolerance: @exam("1.2", 1e-6)')
    return found


def mutants_of(path: Path) -> list[Mutant]:
    """The `MUTANTS` of a file, plain tuples of three texts; none where there is no such file."""
    for node in tree_of(path).body if path.is_file() else ():
        if gives_mutants(node):
            try:
                return [(task, right, wrong) for task, right, wrong in ast.literal_eval(node.value)]
            except (TypeError, ValueError):
                raise UserError(
                    f"{path}, line {node.lineno}: MUTANTS is a list of (task, right, wrong) texts"
                ) from None
    return []


def styles_of(path: Path) -> list[Style]:
    """The functions of a file that have @style("1.2"), without that line; none where there is no such file."""
    source = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = []
    for node in tree_of(path).body if source else ():
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name("style"), args=[ast.Constant(str(task))])]):
                found.append(Style(task, node.lineno, ast.get_source_segment(source, node)))
    return found


def task_order(number: str) -> tuple[int, ...]:
    """Task 3.10 comes after 3.9."""
    return tuple(int(part) for part in number.split("."))


def find_sets(solutions: Path = SOLUTIONS) -> list[ExerciseSet]:
    """All sets, in the order of the chapters: the folders that have a hints.toml."""
    folders = [path for path in sorted(solutions.iterdir()) if SET_NAME.fullmatch(path.name)]
    return [ExerciseSet(path) for path in folders if (path / "hints.toml").is_file()]


def sets_of(chapters: Sequence[int]) -> list[ExerciseSet]:
    """The sets of these chapters, or all for none. Raises `UserError` for a chapter that has no exercises."""
    sets = find_sets()
    if unknown := sorted(set(chapters) - {one.chapter for one in sets}):
        raise UserError(f"no exercises of chapter {unknown[0]}")
    return [one for one in sets if not chapters or one.chapter in chapters]


def known_names(sets: list[ExerciseSet], wanted: str) -> str:
    """The tasks of the chapter that an unknown name begins with, or else all chapters; and which may be meant."""
    chapter = wanted.partition(".")[0]
    tasks = [number for one in sets if str(one.chapter) == chapter for number in one.tasks]
    if tasks:
        return ", ".join(tasks)
    chapters = ", ".join(str(one.chapter) for one in sets)
    names = [name for one in sets for name in (str(one.chapter), one.name, *one.tasks)]
    return f"those of the chapters {chapters}, and their tasks as in 1.2{did_you_mean(wanted, names)}"


def choose(sets: list[ExerciseSet], wanted: str) -> list[tuple[ExerciseSet, Task]]:
    """The tasks that "6" or "6.2" names, or all for "". Raises `UserError` where there is none."""
    found = [
        (one, task)
        for one in sets
        for task in one.tasks.values()
        if not wanted or wanted in (str(one.chapter), one.name, task.number)
    ]
    if not found:
        raise UserError(f"no exercise {wanted}; there are {known_names(sets, wanted)}")
    return found
