"""The sets of exercises: which there are, their tasks, hints, graders and mutants. Nothing is imported or run here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from common.endings import did_you_mean
from common.errors import UserError
from common.files import finite
from solutions.stubs import make_stub, reachable, read_tree, tasks_of

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
SOLUTIONS, EXERCISES = ROOT / "solutions", ROOT / "exercises"
SET_NAME = re.compile(r"ch(\d\d)_\w+")
STYLE = re.compile(r'^@style\("(\d+\.\d+)"\)\n', re.MULTILINE)
EXAMS = "exams.py"
MUTANTS, STYLES = "mutants.toml", "styles.py"
"""Of a set: wrong answers, and right answers in other styles."""
GRADERS = "test_*.py", EXAMS, "expected.json", "misconceptions.json"
"""Of a set: what its graders are made of."""
PUBLIC = "public exam of "
"""So begins the name of the grader that an exam is."""
TOLERANCE = 1e-4
"""How much two right answers may differ, relatively; a tenth of it absolutely."""
LEVELS = ("a nudge", "the equation", "the shape of each step")


@dataclass(frozen=True)
class Task:
    """One thing to write. exercises: the set that it belongs to.

    replaces: for `--from exercises`, the course's functions by the names of the student's. section: the heading in the
    chapter's lesson under which it is taught.
    """

    exercises: ExerciseSet = field(repr=False)
    number: str
    title: str
    minutes: int
    points: float
    hints: tuple[str, ...]
    section: str
    replaces: tuple[tuple[str, str], ...]
    file: str
    functions: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, str, str]:
        """What a student may name it by: its chapter, its set, or itself."""
        return str(self.exercises.chapter), self.exercises.name, self.number

    @property
    def exam(self) -> Exam | None:
        """The exam of this task, if there is one."""
        return self.exercises.exams.get(self.number)


@dataclass(frozen=True)
class Grader:
    """One check of a task: a function `test_...` of `test_FILE.py`, or its exam with a public seed.

    uses: what it takes from the student's module.
    """

    file: str
    name: str
    task: str
    uses: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The file in which it is."""
        return EXAMS if self.name.startswith(PUBLIC) else f"test_{self.file}.py"


@dataclass(frozen=True)
class Exam:
    """The exam of a task: a function of `exams.py`, and how much two right answers may differ."""

    name: str
    task: str
    tolerance: float


@dataclass(frozen=True)
class Mutant:
    """A wrong answer, which graders or exam of its task must catch: a text of the answer, and what is in its place.

    misconception: the idea behind it, in a sentence for the student, or "".
    """

    task: str
    name: str
    right: str
    wrong: str
    misconception: str = ""


@dataclass(frozen=True)
class Style:
    """A right answer in another style: statements whose functions take the places of those with their names."""

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
        return read_toml(self.folder / "hints.toml")

    @cached_property
    def answers(self) -> dict[str, str]:
        """The text of each answer, by the name of its file without .py."""
        paths = sorted(self.folder.glob("*.py"))
        answers = [path for path in paths if path.name not in (EXAMS, STYLES) and not path.stem.startswith("test_")]
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
        tasks: dict[str, Task] = {}
        for number, file, names in sorted(places, key=lambda place: task_order(place[0])):
            if number in tasks:
                where = f"{self.path_of(file)}: task {number} is also in {tasks[number].file}.py"
                raise UserError(f"{where}; keep each task in one file")
            tasks[number] = self._task(number, file, tuple(names))
        return tasks

    def _task(self, number: str, file: str, names: tuple[str, ...]) -> Task:
        entry, place = self._entries.get(number, {}), f'{self.folder / "hints.toml"}, ["{number}"]'
        try:
            return Task(
                exercises=self,
                number=number,
                title=str(entry["title"]),
                minutes=int(entry["minutes"]),
                points=finite(entry["points"]),
                hints=tuple(str(hint).strip() for hint in entry["hints"]),
                section=str(entry["section"]),
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
        """Every check of every task: hand examples, then exams with a public seed. Raises `UserError`."""
        graders = [grader for path in sorted(self.folder.glob("test_*.py")) for grader in graders_of(path)]
        for number, task in self.tasks.items():
            if number in self.exams:
                uses = taken_from_work(functions_of(self.folder / EXAMS), self.exams[number].name)
                graders.append(Grader(task.file, f"{PUBLIC}{number}", number, uses))
        return graders

    @cached_property
    def exams(self) -> dict[str, Exam]:
        """The exam of each task."""
        path = self.folder / EXAMS
        return {exam.task: exam for exam in exams_of(path)} if path.is_file() else {}

    @cached_property
    def mutants(self) -> list[Mutant]:
        """Plausible wrong answers; none in an edition for students."""
        path = self.folder / MUTANTS
        return self._of_tasks(path, mutants_of(path) if path.exists() else [])

    @cached_property
    def styles(self) -> list[Style]:
        """Right answers in other styles; none in an edition for students."""
        path = self.folder / STYLES
        return self._of_tasks(path, styles_of(path))

    def _of_tasks(self, path: Path, answers: list) -> list:
        """The answers of a file. Raises `UserError` where one is of no task of this set."""
        for answer in answers:
            if answer.task not in self.tasks:
                raise UserError(f"{path}: there is no task {answer.task}")
        return answers


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
    graders, defined = [], functions_of(path)
    for node in tree_of(path).body:
        match node:
            case ast.FunctionDef(
                name=name, decorator_list=[ast.Call(func=ast.Name("task"), args=[ast.Constant(str(task))])]
            ):
                graders.append(Grader(path.stem[5:], name, task, taken_from_work(defined, name)))
            case ast.FunctionDef(name=name) if name.startswith("test_"):
                raise UserError(f'{path}, line {node.lineno}: {name} needs its task: @task("1.2")')
    return graders


def functions_of(path: Path) -> dict[str, ast.AST]:
    return {node.name: node for node in tree_of(path).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def taken_from_work(defined: dict[str, ast.AST], name: str) -> frozenset[str]:
    """The attributes of the student's module, `work`, that a grader uses, itself or in functions that it calls."""
    nodes = [node for used in reachable(defined, [name]) for node in ast.walk(defined[used])]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return frozenset(node.attr for node in attributes if node.value.id == "work")


def exams_of(path: Path) -> list[Exam]:
    """The exams in a file. Raises `UserError` where one does not say its task and tolerance plainly."""
    exams = []
    for node in tree_of(path).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            match decorator:
                case ast.Call(ast.Name("exam"), [ast.Constant(str(task))], []):
                    exams.append(Exam(node.name, task, TOLERANCE))
                case ast.Call(ast.Name("exam"), [ast.Constant(str(task)), ast.Constant(float(tolerance))], []):
                    exams.append(Exam(node.name, task, tolerance))
                case ast.Name("exam") | ast.Call(ast.Name("exam")):
                    place = f"{path}, line {node.lineno}: {node.name}"
                    raise UserError(f'{place} needs its task, and perhaps a tolerance: @exam("1.2", 1e-6)')
    return exams


def read_toml(path: Path) -> dict:
    """What a file in TOML says. Raises `UserError` where it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; every set of exercises has its hints there") from None
    except (OSError, ValueError, RecursionError) as error:  # what TOML and Unicode refuse is a ValueError
        raise UserError(f"{path}: {getattr(error, 'strerror', error)}") from None


def mutants_of(path: Path) -> list[Mutant]:
    """The mutants of a file: for each task a table, in which the name of each stands for its texts."""
    try:
        return [Mutant(task, name, **texts) for task, own in read_toml(path).items() for name, texts in own.items()]
    except (AttributeError, TypeError):
        raise UserError(f"{path}: a mutant of a task needs a name, and the texts right, wrong, misconception") from None


def styles_of(path: Path) -> list[Style]:
    """What stands in a file below each line @style("1.2"), up to the next one; nothing where there is no such file."""
    source = path.read_text(encoding="utf-8") if path.is_file() else ""
    marks = list(STYLE.finditer(source))
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    return [
        Style(mark[1], source.count("\n", 0, mark.end()) + 1, source[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=False)
    ]


def task_order(number: str) -> tuple[int, ...]:
    """Task 3.10 comes after 3.9."""
    return tuple(int(part) for part in number.split("."))


def find_sets(solutions: Path = SOLUTIONS) -> list[ExerciseSet]:
    """All sets, in the order of the chapters: the folders that have a hints.toml."""
    folders = [path for path in sorted(solutions.iterdir()) if SET_NAME.fullmatch(path.name)]
    return [ExerciseSet(path) for path in folders if (path / "hints.toml").is_file()]


def sets_with(tasks: Iterable[Task]) -> list[ExerciseSet]:
    """The sets that these tasks belong to, each once."""
    return list({task.exercises.name: task.exercises for task in tasks}.values())


def sets_of(chapters: Sequence[int]) -> list[ExerciseSet]:
    """The sets of these chapters, or all for none. Raises `UserError` for a chapter that has no exercises."""
    sets = find_sets()
    if unknown := sorted(set(chapters) - {exercises.chapter for exercises in sets}):
        raise UserError(f"no exercises of chapter {unknown[0]}")
    return [exercises for exercises in sets if not chapters or exercises.chapter in chapters]


def known_names(sets: list[ExerciseSet], name: str) -> str:
    """The tasks of the chapter that an unknown name begins with, or else all chapters; and which may be meant."""
    chapter = name.partition(".")[0]
    tasks = [number for exercises in sets if str(exercises.chapter) == chapter for number in exercises.tasks]
    if tasks:
        return ", ".join(tasks)
    chapters = ", ".join(str(exercises.chapter) for exercises in sets)
    names = dict.fromkeys(label for exercises in sets for task in exercises.tasks.values() for label in task.labels)
    return f"those of the chapters {chapters}, and their tasks as in 1.2{did_you_mean(name, [*names])}"


def choose(sets: list[ExerciseSet], name: str) -> list[Task]:
    """The tasks that "6" or "6.2" names, or all for "". Raises `UserError` where there is none."""
    tasks = [task for exercises in sets for task in exercises.tasks.values() if not name or name in task.labels]
    if not tasks:
        raise UserError(f"no exercise {name}; there are {known_names(sets, name)}")
    return tasks
