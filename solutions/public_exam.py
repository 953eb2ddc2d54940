"""Graders that draw their inputs: the exam of a task with a public seed, compared with what the answer gives.

What the answer gives is in `expected.json`, which `python -m solutions sync` writes, since an edition for students has
no answers. A question without an input (a number worked out by hand) is in no record: its value would be the answer.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from common.files import reading
from solutions.checks import Wrong, shown
from solutions.diagnosis import DIAGNOSIS, INPUT, diagnosis, is_error, read_mistakes
from solutions.grading.compare import UNREADABLE, difference, first_difference, same
from solutions.grading.exam import ASKED, Draw, Pairs, plain
from solutions.grading.execution import OF_GRADERS, Source, Submission, load_grader, reseed
from solutions.sets import EXAMS, PUBLIC

EXPECTED = "expected.json"
DIGITS = 10
"""Significant digits of a recorded number."""
FEW = 6
"""Elements up to which an array is shown whole."""


def load_graders(path: Path) -> types.ModuleType:
    """A file of graders or exams as a module. Graders have the exams beside them among them, with a public seed."""
    module = load_grader(path)
    if path.name != EXAMS and path.with_name(EXAMS).is_file():
        for number in exams_of(path.parent):
            setattr(module, f"{PUBLIC}{number}", public_exam(path.parent, number))
            setattr(module, f"{DIAGNOSIS}{number}", diagnosis_of(path.parent, number))
    return module


def exams_of(folder: Path) -> dict[str, Callable]:
    """The exam of each task."""
    functions = [value for value in vars(load_grader(folder / EXAMS)).values() if isinstance(value, types.FunctionType)]
    return {function.task: function for function in functions if hasattr(function, "task")}


def public_exam(folder: Path, number: str) -> Callable[[object], None]:
    """The grader of a task that its exam is. folder: of exams.py and expected.json, which is read at once."""
    ask, expected = exams_of(folder)[number], read_expected(folder).get(number, [])

    def compare(work: object) -> None:
        """An error is reported where there is no wrong value: it is often that of a corner case."""
        ASKED.clear()
        first_error = ""
        try:
            for (label, value), (recorded, right) in zip(ask(work, Draw(f"public {number}")), expected, strict=False):
                value, pairs = plain(value), [(recorded, right)]
                wrong = first_difference([(label, value)], pairs, ask.tolerance) if right is not None else ""
                if wrong and is_error(value) and value["type"] == "NotImplementedError":
                    raise NotImplementedError(value["told"].partition(": ")[2])
                if wrong and not is_error(value):
                    raise Wrong(line_of(label, value, right, ask.tolerance, wrong))
                if wrong and not first_error:
                    first_error = line_of(label, value, right, ask.tolerance, wrong)
                ASKED.clear()
        except Wrong:
            raise
        except Exception:
            if not first_error:
                raise
        if first_error:
            raise Wrong(first_error)
        if not expected:
            raise Wrong(f"{EXPECTED} lacks this exercise; python -m solutions sync writes it")

    compare.task = number
    return compare


def line_of(label: str, value: object, right: object, tolerance: float, otherwise: str = "") -> str:
    """A question with the right value and the student's, and the input; without the right one where it is in no record.

    otherwise: what to say of a value that cannot be read.
    """
    try:
        wrong = label + (contrast(value, right, tolerance) if right is not None else f": yours gives {own(value)}")
    except UNREADABLE:  # what is wrong is known, but not where
        wrong = otherwise or label
    return wrong + input_of(ASKED)


def diagnosis_of(folder: Path, number: str) -> Callable[[object, Draw], Pairs]:
    """What finds the misconception behind a wrong answer to a task, as an exam (diagnosis.py)."""
    ask, expected = exams_of(folder)[number], read_expected(folder).get(number, [])
    show = partial(line_of, tolerance=ask.tolerance)
    return diagnosis(ask, expected, read_mistakes(folder).get(number, []), show)


@cache
def read_expected(folder: Path) -> dict[str, list]:
    """The questions of each task, and what the answer gives; None for what no record has."""
    path, damaged = folder / EXPECTED, "not readable; python -m solutions sync writes it again"
    with reading(path, damaged, damaged):
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def input_of(last_calls: object) -> str:
    """The call behind a question, where there is one, and it is of the student's function, and not of the exam's."""
    calls = [(function, arguments) for function, arguments in last_calls if hasattr(function, "__name__")]
    if len(calls) != 1:
        return ""
    function, arguments = calls[0]
    name, of_exam = function.__name__, str(function.__module__).startswith(OF_GRADERS)
    if of_exam or name == "<lambda>" or not arguments:
        return ""
    return f"{INPUT}{name}({', '.join(shown(argument) for argument in arguments)})"


def record(files: dict[str, Source], tasks: dict[str, str], folder: Path) -> str:
    """The text of expected.json. files: the answers. tasks: the file of each task by its number."""
    submission, records = Submission(files), {}
    with np.errstate(all="ignore"):
        for number, file in tasks.items():
            reseed()
            with submission.importable():
                work, ask = submission.load(file), exams_of(folder)[number]
                records[number] = []
                for label, value in ask(work, Draw(f"public {number}")):
                    records[number].append([label, None if is_whole_answer(work) else rounded(plain(value))])
                    ASKED.clear()
    lines = {number: ",\n".join(f"  {json.dumps(pair)}" for pair in pairs) for number, pairs in records.items()}
    return "{\n" + ",\n".join(f'"{number}": [\n{text}\n]' for number, text in lines.items()) + "\n}\n"


def is_whole_answer(work: object) -> bool:
    """Whether what was asked last is a function of the student's without arguments, whose value is the answer."""
    return any(not arguments and function in vars(work).values() for function, arguments in [*ASKED][-1:])


def rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list) else value


def contrast(actual: object, expected: object, tolerance: float) -> str:
    """Where two values differ, and both, in a line. Raises one of `UNREADABLE` for what no function should give."""
    kinds = [value["kind"] if isinstance(value, dict) else type(value).__name__ for value in (actual, expected)]
    if kinds == ["list", "list"] and len(actual) == len(expected):
        pairs = enumerate(zip(actual, expected, strict=True))
        place, pair = next((place, pair) for place, pair in pairs if difference(*pair, tolerance))
        return f", place {place}{contrast(*pair, tolerance)}"
    if kinds == ["dictionary", "dictionary"]:
        return contrast_keys(actual["pairs"], expected["pairs"], tolerance)
    if kinds[0] in ("error", "change", "other"):
        return f": {actual['told']}"
    actual, expected = value_of(actual), value_of(expected)
    if isinstance(actual, np.ndarray) and isinstance(expected, np.ndarray):
        if actual.shape != expected.shape:
            return f": expected the shape {expected.shape}, yours has {actual.shape}"
        if expected.size > FEW:
            pairs = zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)
            first = next(number for number, pair in enumerate(pairs) if not same(*pair, tolerance))
            place = tuple(int(index) for index in np.unravel_index(first, expected.shape))
            pair = actual[place].item(), expected[place].item()
            return f" of the shape {expected.shape}, at {list(place)}{contrast(*pair, tolerance)}"
    ours, theirs = shown(expected), shown(actual)
    if ours == theirs:  # the difference is too small for readable numbers
        ours, theirs = repr(expected), repr(actual)
    return f": expected {ours}, yours gives {theirs}"


def contrast_keys(actual: list, expected: list, tolerance: float) -> str:
    """The first key of a dictionary that is missing, does not belong there, or has another value."""
    ours, theirs = ({as_key(key): value for key, value in pairs} for pairs in (expected, actual))
    for key, value in ours.items():
        if key not in theirs:
            return f": the key {shown(key)} is missing"
        if difference(theirs[key], value, tolerance):
            return f", at {shown(key)}{contrast(theirs[key], value, tolerance)}"
    return f": the key {shown(next(key for key in theirs if key not in ours))} does not belong there"


def own(value: object) -> str:
    """A student's value to show, or the error that was raised."""
    return str(value["told"]) if isinstance(value, dict) and "told" in value else shown(value_of(value))


def as_key(key: object) -> object:
    return tuple(map(as_key, key)) if isinstance(key, list) else key


def value_of(value: object) -> object:
    """A recorded value as a student reads it; the batch of an expression is its last axis."""
    match value:
        case {"kind": "array"}:
            return np.array(value["values"]).reshape(value["shape"])
        case {"kind": "expression"}:
            shape = [*value["shape"], *[value["batch"]] * (value["batch"] > 1)]
            return np.array(value["values"]).reshape(shape, order="F")
        case {"kind": "dictionary"}:
            return {as_key(key): element for key, element in value["pairs"]}
        case {"kind": "near"}:
            return value["value"]
        case {"kind": "error"}:
            return f"the error {value['type']}"
    return value
