"""Running a grader or an exam on a set of files, in this process. For code that is not trusted there is process.py.

The files of a submission are texts, loaded under their own names and from nowhere else: `from counting import x` in one
of them means the submission's own counting.py. There is nothing to fall back to.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solutions.checks import Wrong
from solutions.grading.exam import Draw, new_graph, plain
from solutions.stubs import BLANK

PASSED, FAILED, NOT_ATTEMPTED = "passed", "failed", "not attempted"
BEGUN = "begun"
"""Of a task whose functions are right as far as they were written; others of them are still blank."""

NEEDS = "needs exercise"

OF_GRADERS = "graders_"
"""So begins the name of a module of graders or exams."""


@dataclass(frozen=True)
class Source:
    """A file of a submission: the path to show, and its text."""

    path: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """How a grader ended, and the message: one line, with file and line number where there is one to blame."""

    status: str
    message: str = ""


@dataclass(frozen=True)
class Substitution:
    """The course's functions, by their names, for a file in which a student wrote others: a text that defines them."""

    text: str
    names: Sequence[str]


class Submission(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The files of one set as modules that can import each other."""

    def __init__(
        self,
        files: Mapping[str, Source],
        names: frozenset[str] | None = None,
        substitutions: Mapping[str, Substitution] | None = None,
    ):
        """files: by module name. names: all that a set has; those that are not among the files cannot be imported.

        substitutions: of some files functions that take the place of the file's own once it has been loaded.
        """
        self.files, self.substitutions = dict(files), dict(substitutions or {})
        self.names = frozenset(files) | (names or frozenset())
        self.modules: dict[str, types.ModuleType] = {}

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.names:
            return None
        if fullname not in self.files:
            raise ModuleNotFoundError(f"there is no {fullname}.py among these files", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, self, origin=self.files[fullname].path)

    def exec_module(self, module: types.ModuleType) -> None:
        source = self.files[module.__name__]
        module.__file__ = source.path
        exec(compile(source.text, source.path, "exec", dont_inherit=True), module.__dict__)
        substitution = self.substitutions.get(module.__name__)
        if substitution:
            course = types.ModuleType(module.__name__)
            exec(compile(substitution.text, "the course's own functions", "exec", dont_inherit=True), course.__dict__)
            for name in substitution.names:
                setattr(module, name, getattr(course, name))
        self.modules[module.__name__] = module

    @contextmanager
    def importable(self) -> Iterator[None]:
        """Let `import counting` mean this submission's file while the body runs, and nothing afterwards."""
        hidden = {name: sys.modules.pop(name) for name in self.names if name in sys.modules}
        sys.modules.update(self.modules)
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            for name in self.names:
                sys.modules.pop(name, None)
            sys.modules.update(hidden)

    def load(self, name: str) -> types.ModuleType:
        """The module, run once. Call it while the submission is `importable`."""
        return importlib.import_module(name)


def load_grader(path: Path) -> types.ModuleType:
    """A file of graders or exams as a module, once. That of another copy of the course is another one."""
    name = f"{OF_GRADERS}{path.parent.name}_{path.stem}"
    if getattr(sys.modules.get(name), "__file__", None) != str(path):
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def run_grader(grader: Callable, submission: Submission, name: str) -> Outcome:
    """Run a grader on a file of a submission. Whatever the file does, short of ending the process, is an outcome."""
    reseed()
    try:
        with submission.importable(), np.errstate(all="ignore"):
            grader(submission.load(name))
    except BaseException as error:  # sys.exit and KeyboardInterrupt of a student's are not ours
        return explain(error, submission, getattr(grader, "task", ""))
    return Outcome(PASSED)


def run_exam(exam: Callable, submission: Submission, name: str, seed: str) -> Iterator[tuple[str, object]]:
    """The questions of an exam and a file's answers, in pairs. Raises what the file raises outside of a question."""
    reseed()
    with submission.importable(), np.errstate(all="ignore"):
        for label, value in exam(submission.load(name), Draw(seed)):
            yield label, plain(value)


def reseed() -> None:
    """The same random numbers and clean memory for every grader."""
    random.seed(1)
    np.random.seed(1)
    if "dynet" in sys.modules:
        sys.modules["dynet"].reset_random_seed(1)
        new_graph()


def explain(error: BaseException, submission: Submission, task: str) -> Outcome:
    """The outcome that an exception is, with its message in one line."""
    if isinstance(error, Wrong):
        return Outcome(FAILED, one_line(error))
    place = blame(error, submission)
    if type(error) is NotImplementedError:
        blank = BLANK.match(one_line(error))
        if blank and blank[1] == task:
            return Outcome(NOT_ATTEMPTED)
        if blank:
            return Outcome(FAILED, f"{place}{NEEDS} {blank[1]}, which is still to be written")
    if isinstance(error, SyntaxError) and error.filename in {source.path for source in submission.files.values()}:
        return Outcome(FAILED, f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}")
    description = f"{type(error).__name__}: {one_line(error)}".removesuffix(": ")
    if isinstance(error, SystemExit):
        description = "the file ends the program (sys.exit); it must only define functions"
    return Outcome(FAILED, f"{place}{description}")


def blame(error: BaseException, submission: Submission) -> str:
    """The last line of a student's file on the way to an error: "FILE, line 12: ", or "" where there is none."""
    paths = {source.path for source in submission.files.values()}
    location = ""
    try:
        for frame, line in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename in paths:
                location = f"{frame.f_code.co_filename}, line {line}, in {frame.f_code.co_name}: "
    except Exception:  # an exception class of the student's may raise an error itself
        return location
    return location


def one_line(error: BaseException) -> str:
    """An exception's message on one line, not too long."""
    try:
        text = " ".join(str(error).split())
    except BaseException:
        return "an exception that cannot be printed"
    return text if len(text) <= 400 else text[:396] + " ..."
