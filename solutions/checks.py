"""What graders are written with. Each says in one line what is wrong with an answer, and never what is right.

A grader is a function of one argument, the student's module:

    @task("1.2")
    def test_the_end_is_counted(work):
        equal(work.count_ngrams([["a"]], 1), {("a",): 1, ("</s>",): 1}, "a sentence ends with </s>, which counts too")
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

LONGEST = 120
"""Characters of a student's value that a message shows."""
FEW = 9
"""Elements up to which a wrong array is shown whole."""
LOOK = 5
"""Steps of training from one look at the mark to the next."""


class Wrong(AssertionError):
    """An answer is wrong. The message is for the student."""


def task(number: str) -> Callable[[Callable], Callable]:
    """Say which task a grader belongs to. The task passes when all its graders do."""

    def mark(grader: Callable) -> Callable:
        grader.task = number
        return grader

    return mark


def check(condition: object, message: str) -> None:
    """Raise `Wrong` unless the condition holds."""
    if not bool(condition):
        raise Wrong(message)


def equal(actual: object, expected: object, message: str) -> None:
    """The same words, whole numbers (13.0 is 13), lists, dictionaries. message: what was asked, or to think of."""
    compare(plain(actual, message), plain(expected, message), message, 0.0)


def close(actual: object, expected: object, message: str, tolerance: float = 1e-6) -> None:
    """The same numbers but for rounding: numbers, arrays, DyNet expressions, and lists and dictionaries of them.

    tolerance: absolute and relative. An array must also have the right shape.
    """
    compare(plain(actual, message), plain(expected, message), message, tolerance)


def answer(actual: object, digest: str, message: str) -> None:
    """The right choice among several. digest: `digest_of` the right one, so that a grader does not tell it."""
    value = plain(actual, message)
    if not isinstance(value, str) or digest_of(value) != digest:
        raise Wrong(f"{message}; yours is {shown(value)}")


def digest_of(choice: str) -> str:
    """The first digits of the SHA-256 of a choice in lower case: python -c "from solutions.checks import ..."."""
    return hashlib.sha256(f"course:{choice.strip().lower()}".encode()).hexdigest()[:16]


def distribution(actual: object, message: str, size: int | None = None) -> None:
    """Probabilities: not negative, finite, and one in sum, along the first axis."""
    value = plain(actual, message)
    if value is None:
        raise Wrong(f"{message}; yours gives None: is a `return` missing?")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if not array.ndim:
        raise Wrong(f"{message}; yours gives {shown(value)}, where an array of probabilities is wanted")
    if size is not None and len(array) != size:
        raise Wrong(f"{message}: there must be {size} probabilities, yours has {len(array)}")
    if not np.isfinite(array).all() or (array < 0).any() or np.abs(array.sum(axis=0) - 1).max() > 1e-5:
        total = shown(array.sum(axis=0))
        raise Wrong(f"{message}: the probabilities must be at least 0 and sum to 1; yours sum to {total}")


def numbers(actual: object, shape: tuple[int, ...], label: str) -> np.ndarray:
    """The numbers of an expression of DyNet as an array of this shape, whose last axis is the batch.

    what: the beginning of a message, where it is none, or has other sizes; ones at the end of a matrix's do not count.
    """
    *sizes, batch = shape
    if type(actual).__module__ != "_dynet":
        raise Wrong(f"{label}: the result must be an expression, not its value")
    own, own_batch = actual.dim()
    if [*own, *[1] * (len(sizes) - len(own))] != sizes or own_batch != batch:
        raise Wrong(f"{label}: the result must be {tuple(sizes)} x {batch}, yours is {own} x {own_batch}")
    return np.reshape(actual.npvalue(), shape, order="F")


def train_until(
    reached: Callable[[float], bool],
    step: Callable[[], float],
    collection: Any,
    budget: int,
    goal: str,
    fixed: Sequence[Any] = (),
) -> int:
    """Train until a mark is reached. Returns how many steps that took.

    reached: of the loss, asked after every `LOOK` steps. step: makes one step and returns the loss before it.
    collection: a DyNet ParameterCollection, of which every parameter must have moved in the end. budget: several times
    the usual number of steps, which depends on the last digits of a processor's arithmetic. what: is to be learnt.
    fixed: parameters of the collection that have nothing to learn.
    """
    parameters = [*collection.parameters_list(), *collection.lookup_parameters_list()]
    fixed_names = {parameter.name() for parameter in fixed}
    before = [np.array(parameter.as_array()) for parameter in parameters]
    loss = step()
    check(not reached(loss), f"there should be something to learn; your loss begins at {loss:.2f}")
    for number in range(2, budget + 1):
        loss = step()
        if number % LOOK == 0 and reached(loss):
            break
    else:
        raise Wrong(f"{budget} steps should be enough to learn {goal}; your loss ends at {loss:.2f}")
    for parameter, start in zip(parameters, before, strict=True):
        moved = not np.array_equal(parameter.as_array(), start)
        place = f"the parameter {parameter.name()} of shape {parameter.shape()}"
        check(moved or parameter.name() in fixed_names, f"{place} has not moved: it gets no gradient")
    return number


def plain(value: Any, message: str) -> Any:
    """A value without anything that a class of the student's might do: numbers, text, lists, dictionaries, arrays."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (Fraction, Decimal):
        try:
            return int(value) if math.isfinite(value) and value == int(value) else float(value)
        except OverflowError:
            raise Wrong(f"{message}; yours is too large for a number of the usual size") from None
    if kind.__module__ == "_dynet":
        value = value.npvalue()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain_array(value, message)
    if isinstance(value, dict):
        return {plain_key(key, message): plain(element, message) for key, element in dict.items(value)}
    if isinstance(value, (list, tuple)):
        parts = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
        return [plain(element, message) for element in parts]
    if isinstance(value, (set, frozenset)):
        return {plain_key(key, message) for key in list(value)}
    raise Wrong(f"{message}; yours gives a {kind.__name__}, where numbers, text, lists or arrays are wanted")


def plain_array(value: Any, message: str) -> Any:
    array = np.array(value, subok=False)
    if array.dtype.kind == "O":  # of fractions, for one
        return plain(array.tolist(), message)
    if array.dtype.kind == "f":  # a long double is no number of Python's
        array = array.astype(np.float64)
    if array.dtype.kind not in "biufU":
        raise Wrong(f"{message}; yours gives an array of {array.dtype}, where numbers are wanted")
    return array if array.ndim else array.item()


def plain_key(key: Any, message: str) -> Any:
    value = plain(key, message)
    return tuple(value) if isinstance(value, list) else value


def compare(actual: Any, expected: Any, message: str, tolerance: float) -> None:
    """Raise `Wrong` where two plain values differ."""
    if actual is None and expected is not None:
        raise Wrong(f"{message}; yours gives None: is a `return` missing?")
    if isinstance(expected, dict) and isinstance(actual, dict):
        compare_keys(actual, expected, message)
        for key in actual:
            compare(actual[key], expected[key], f"{message}, at {key!r}", tolerance)
        return
    if isinstance(expected, np.ndarray) or (
        isinstance(actual, np.ndarray) and isinstance(expected, (list, int, float))
    ):
        compare_arrays(actual, np.asarray(expected), message, tolerance)
        return
    if isinstance(expected, list) and isinstance(actual, list):
        if len(actual) != len(expected):
            raise Wrong(f"{message}; yours has the length {len(actual)}, which is not right: {shown(actual)}")
        for place, (value, right) in enumerate(zip(actual, expected, strict=True)):
            compare(value, right, f"{message}, place {place}", tolerance)
        return
    if not same(actual, expected, tolerance):
        raise Wrong(f"{message}; yours gives {shown(actual)}")


def compare_keys(actual: dict, expected: dict, message: str) -> None:
    """Raise `Wrong` where a dictionary lacks keys, or has others, with the keys that are wrong."""
    missing = [key for key in expected if key not in actual]
    others = [key for key in actual if key not in expected]
    if missing:
        raise Wrong(f"{message}; keys that your dictionary lacks: {shown(missing)}")
    if others:
        raise Wrong(f"{message}; keys of your dictionary that do not belong there: {shown(others)}")


def compare_arrays(actual: Any, expected: np.ndarray, message: str, tolerance: float) -> None:
    try:
        array = np.asarray(actual, dtype=np.float64)
    except (TypeError, ValueError):
        raise Wrong(f"{message}; yours gives {shown(actual)}, where an array of numbers is wanted") from None
    if array.shape != expected.shape:
        raise Wrong(f"{message}; the shape must be {expected.shape}, yours is {array.shape}")
    wrong = ~np.isclose(array, expected, rtol=tolerance, atol=tolerance)
    if wrong.any() and array.size > FEW:
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise Wrong(f"{message}; at {list(place)} yours gives {shown(np.asarray(actual)[place].item())}")
    if wrong.any():
        raise Wrong(f"{message}; yours gives {shown(actual)}")


def same(actual: Any, expected: Any, tolerance: float) -> bool:
    """Whether two values agree: numbers of whatever type, but for the tolerance, True being 1; texts to the letter."""
    if isinstance(expected, (int, float)):
        return isinstance(actual, (int, float)) and (actual == expected or is_close(actual, expected, tolerance))
    return type(actual) is type(expected) and actual == expected


def is_close(actual: float, expected: float, tolerance: float) -> bool:
    try:
        return math.isclose(actual, expected, rel_tol=tolerance, abs_tol=tolerance)
    except OverflowError:  # a whole number that is too large for a float
        return False


def shown(value: object) -> str:
    """A value on one line, not too long, numbers with six digits."""
    text = " ".join(readable(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


def readable(value: object) -> str:
    """`repr`, but numbers inside of lists, dictionaries and arrays have six digits at most."""
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=5, threshold=20)
    if type(value) in (list, tuple):
        inside = ", ".join(map(readable, value))
        return f"[{inside}]" if type(value) is list else f"({inside}{',' * (len(value) == 1)})"
    if type(value) is dict:
        return f"{{{', '.join(f'{readable(key)}: {readable(element)}' for key, element in value.items())}}}"
    text = repr(value)
    return f"<{type(value).__name__}>" if " at 0x" in text or "Parameter /" in text else text
