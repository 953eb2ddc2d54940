"""No example in a docstring or a hint is wrong: all are worked out by the answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from math import exp, log, tanh
from types import ModuleType

import dynet as dy
import numpy as np
import pytest

from solutions.grading.execution import Submission
from solutions.grading.marking import answer_files
from solutions.sets import Task, choose, find_sets
from solutions.stubs import functions, read_tree
from tests.exercise_examples import EXAMPLES

TASKS = choose(find_sets(), "")
NAMES = {"np": np, "log": log, "tanh": tanh, "exp": exp, "model": lambda before, word: log(1 / 4)}


def texts_of(task: Task) -> dict[str, str]:
    """The docstrings of a task's functions, in one line each, and its hints."""
    defined = functions(read_tree(task.exercises.answers[task.file]))
    docstrings = {name: " ".join((ast.get_docstring(defined[name]) or "").split()) for name in task.functions}
    return docstrings | {f"hint {number}": hint for number, hint in enumerate(task.hints, start=1)}


def examples_in(text: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Calls of functions in a text, and what stands behind `==` or `is`: as much of it as is Python."""
    for start in re.finditer(rf"\b(?:{'|'.join(names)})\(", text):
        match = re.match(r"(.*?) (?:==|is) ", text[start.start() :])
        if not match or not is_python(match[1]):
            continue
        rest = first_part(text[start.start() + match.end() :])
        parts = [rest[:end] for end in range(len(rest), 0, -1) if re.search(r"[\w)\]}\"']$", rest[:end])]
        yield from [(match[1], part) for part in parts if is_python(part)][:1]


def first_part(text: str) -> str:
    """A text up to the first comma, colon, semicolon, word `and`, or full stop that is outside of all brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and (letter in ",:;" or re.match(r"\.(\s|$)| and ", text[place:])):
            return text[:place]
    return text


def is_python(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    return True


def module_of(task: Task) -> ModuleType:
    dy.renew_cg()
    submission = Submission(answer_files(task.exercises))
    with submission.importable():
        return submission.load(task.file)


CALLS = [
    (task.number, place, call, value)
    for task in TASKS
    for place, text in texts_of(task).items()
    for call, value in examples_in(text, task.functions)
]


def agree(actual: object, expected: object) -> bool:
    if isinstance(expected, (tuple, list)) and not isinstance(actual, np.ndarray):
        return len(actual) == len(expected) and all(map(agree, actual, expected))
    if isinstance(expected, (int, float)) or isinstance(actual, np.ndarray):
        return np.shape(actual) == np.shape(expected) and np.allclose(actual, expected, rtol=1e-5, atol=1e-6)
    return actual == expected


@pytest.mark.slow
@pytest.mark.parametrize(("number", "place", "call", "value"), CALLS)
def test_examples_in_python(number: str, place: str, call: str, value: str) -> None:
    (task,) = choose(find_sets(), number)
    names = {**NAMES, **vars(module_of(task))}
    actual = eval(call, names)
    assert agree(actual, eval(value, names)), f"{number}, {place}: {call} is {actual}, not {value}"


def test_examples_are_found() -> None:
    assert len(CALLS) >= 35
    assert ("2.2", "previous_words", "previous_words([7, 4, 9], 2)", "[9, 4]") in CALLS
    assert ("5.1", "share_of_padding", "share_of_padding([3, 1])", "0.25") in CALLS


@pytest.mark.slow
@pytest.mark.parametrize(("number", "function"), EXAMPLES)
def test_examples_in_words(number: str, function: str) -> None:
    quote, compute = EXAMPLES[number, function]
    (task,) = choose(find_sets(), number)
    assert quote in texts_of(task)[function], "the docstring says something else now; what is written here must agree"
    actual, expected = compute(module_of(task))
    assert agree(actual, expected), f"{number}, {function}: {actual}, not {expected}"


def test_no_example_in_words_is_left_out() -> None:
    missing = []
    for task in TASKS:
        defined = functions(read_tree(task.exercises.answers[task.file]))
        for name in task.functions:
            parts = (ast.get_docstring(defined[name]) or "").split("\n\n")
            worded = any(part.startswith(("With ", "One position with", "Of dev losses")) for part in parts)
            if worded and (task.number, name) not in EXAMPLES and name not in {place for _, place, _, _ in CALLS}:
                missing.append((task.number, name))
    assert missing == []
