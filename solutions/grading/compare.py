"""Is what an exam found on a student's work what it found on the answer? The student's numbers come from outside: they
may be anything that JSON can hold.
"""

from __future__ import annotations

import math

Record = list[tuple[str, object]]
"""What an exam has reported: questions and answers."""
UNREADABLE = (RecursionError, OverflowError, StopIteration, ValueError, TypeError, LookupError, AttributeError)
"""What may be raised where a value is read that no function should give."""
MOST_EMPTY = 10_000


def first_difference(actual: Record, expected: Record, tolerance: float) -> str:
    """The first question where the two differ, and how, in a line that does not give the answer away; "" if nowhere."""
    for place, (label, right) in enumerate(expected):
        if place >= len(actual) or actual[place][0] != label:
            return f"{label}: no answer"
        try:
            wrong = difference(actual[place][1], right, tolerance)
        except UNREADABLE:
            wrong = "an answer that cannot be read"
        if wrong:
            return f"{label}: {wrong}"
    return "" if len(actual) == len(expected) else "more answers than questions"


def difference(actual: object, expected: object, tolerance: float) -> str:
    """How a value differs from the right one, or ""."""
    if isinstance(expected, dict) and expected.get("kind") == "near":
        close = is_number(actual.get("value")) and abs(actual["value"] - expected["value"]) <= expected["tolerance"]
        return "" if close else "not near what is right"
    error_expected = isinstance(expected, dict) and expected.get("kind") == "error"
    if isinstance(actual, dict) and "told" in actual and not error_expected:
        return str(actual["told"])[:200]
    if is_number(expected):
        return "" if is_number(actual) and same(actual, expected, tolerance) else "another number"
    if expected is None or isinstance(expected, str):
        return "" if type(actual) is type(expected) and actual == expected else "another result"
    if isinstance(expected, list):
        if isinstance(actual, dict) and actual.get("kind") == "array":
            actual = nested(actual)
        if not isinstance(actual, list) or len(actual) != len(expected):
            return "another length"
        return first(difference(value, right, tolerance) for value, right in zip(actual, expected, strict=True))
    return of_kind(actual, expected, tolerance)


def of_kind(actual: object, expected: dict, tolerance: float) -> str:
    """`difference` of what exam.py marks with a kind."""
    kind = expected["kind"]
    if kind == "error":
        return "" if isinstance(actual, dict) and actual.get("type") == expected["type"] else "an error must be raised"
    if kind == "dictionary":
        pairs, keys = {repr(key): value for key, value in actual["pairs"]}, {repr(key) for key, _ in expected["pairs"]}
        if len(actual["pairs"]) != len(expected["pairs"]) or pairs.keys() != keys:
            return "other keys"
        return first(difference(pairs[repr(key)], value, tolerance) for key, value in expected["pairs"])
    if isinstance(actual, list) and kind == "array":
        actual = flat(actual)
    if not isinstance(actual, dict) or actual.get("kind") != kind:
        return "another kind of result"
    if shape(actual) != shape(expected) or len(actual["values"]) != len(expected["values"]):
        return "another shape"
    if not all(is_number(value) for value in actual["values"]):
        return "no numbers"
    pairs = zip(actual["values"], expected["values"], strict=True)
    agree = all(same(value, right, tolerance) for value, right in pairs)
    return "" if agree else "other numbers"


def first(differences) -> str:
    return next(filter(None, differences), "")


def shape(value: dict) -> list:
    """Of an expression without the ones behind, which DyNet takes or leaves."""
    dimensions = list(value["shape"])
    if value["kind"] != "expression":
        return dimensions
    while dimensions and dimensions[-1] == 1:
        dimensions.pop()
    return [*dimensions, "x", value["batch"]]


def is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def same(actual: float, expected: float, tolerance: float) -> bool:
    """Whether two numbers agree: whole ones exactly, others but for rounding. NaN agrees with nothing."""
    if isinstance(expected, int):
        return actual == expected
    return actual == expected or math.isclose(actual, expected, rel_tol=tolerance, abs_tol=tolerance / 10)


def flat(value: list) -> dict:
    """A list of lists of numbers as an array. Raises `ValueError` where it is ragged."""
    dimensions, row = [], [value]
    while row and all(isinstance(element, list) for element in row):
        if len({len(element) for element in row}) > 1:
            raise ValueError("a ragged list")
        dimensions.append(len(row[0]))
        row = [element for part in row for element in part]
    return {"kind": "array", "shape": dimensions, "values": row}


def nested(value: dict) -> list:
    """An array as lists of lists. Raises `ValueError` for a shape of more rows without numbers than `MOST_EMPTY`."""
    row, shape = list(value["values"]), value["shape"]
    if math.prod(max(size, 1) for size in shape) > max(len(row), MOST_EMPTY):
        raise ValueError("a shape that does not fit")
    for place in range(len(shape) - 1, 0, -1):
        size = shape[place]
        row = [row[number * size : (number + 1) * size] for number in range(math.prod(shape[:place]))]
    return row


def unsound(record: Record) -> str:
    """Why an answer's own record is no ruler: an exam without questions, or an answer that is not a number (NaN)."""
    if not record:
        return "the exam asks nothing"
    return next((label for label, value in record if has_nan(value)), "")


def has_nan(value: object) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, dict):
        return value.get("kind") in ("change", "other") or has_nan(list(value.values()))
    return isinstance(value, list) and any(has_nan(part) for part in value)
