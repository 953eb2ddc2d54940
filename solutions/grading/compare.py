"""Is what an exam found on a student's work what it found on the answer? The student's numbers come from outside: they
may be anything that JSON can hold.
"""

from __future__ import annotations

import math

Record = list[tuple[str, object]]
"""What an exam has reported: questions and answers."""


def first_difference(found: Record, expected: Record, tolerance: float) -> str:
    """The first question where the two differ, and how, in a line that does not give the answer away; "" if nowhere."""
    for place, (label, right) in enumerate(expected):
        if place >= len(found) or found[place][0] != label:
            return f"{label}: no answer"
        try:
            wrong = difference(found[place][1], right, tolerance)
        except (RecursionError, OverflowError, ValueError, TypeError, KeyError, AttributeError):
            wrong = "an answer that cannot be read"
        if wrong:
            return f"{label}: {wrong}"
    return "" if len(found) == len(expected) else "more answers than questions"


def difference(found: object, right: object, tolerance: float) -> str:
    """How a value differs from the right one, or ""."""
    if isinstance(right, dict) and right.get("kind") == "near":
        close = is_number(found.get("value")) and abs(found["value"] - right["value"]) <= right["tolerance"]
        return "" if close else "not near what is right"
    if isinstance(found, dict) and "told" in found and not (isinstance(right, dict) and right.get("kind") == "error"):
        return str(found["told"])[:200]
    if is_number(right):
        return "" if is_number(found) and same(found, right, tolerance) else "another number"
    if right is None or isinstance(right, str):
        return "" if type(found) is type(right) and found == right else "another result"
    if isinstance(right, list):
        if isinstance(found, dict) and found.get("kind") == "array":
            found = nested(found)
        if not isinstance(found, list) or len(found) != len(right):
            return "another length"
        return first(difference(one, other, tolerance) for one, other in zip(found, right, strict=True))
    return of_kind(found, right, tolerance)


def of_kind(found: object, right: dict, tolerance: float) -> str:
    """`difference` of what exam.py marks with a kind."""
    kind = right["kind"]
    if kind == "error":
        return "" if isinstance(found, dict) and found.get("type") == right["type"] else "an error must be raised"
    if kind == "dictionary":
        pairs = {repr(key): value for key, value in found["pairs"]}
        if len(found["pairs"]) != len(right["pairs"]) or pairs.keys() != {repr(key) for key, _ in right["pairs"]}:
            return "other keys"
        return first(difference(pairs[repr(key)], value, tolerance) for key, value in right["pairs"])
    if isinstance(found, list) and kind == "array":
        found = flat(found)
    if not isinstance(found, dict) or found.get("kind") != kind:
        return "another kind of result"
    if shape(found) != shape(right) or len(found["values"]) != len(right["values"]):
        return "another shape"
    if not all(is_number(one) for one in found["values"]):
        return "no numbers"
    agree = all(same(one, other, tolerance) for one, other in zip(found["values"], right["values"], strict=True))
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


def same(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers agree: whole ones exactly, others but for rounding. NaN agrees with nothing."""
    if isinstance(other, int):
        return one == other
    return one == other or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance / 10)


def flat(value: list) -> dict:
    """A list of lists of numbers as an array. Raises `ValueError` where it is ragged."""
    dimensions, row = [], [value]
    while row and all(isinstance(one, list) for one in row):
        if len({len(one) for one in row}) > 1:
            raise ValueError("a ragged list")
        dimensions.append(len(row[0]))
        row = [one for part in row for one in part]
    return {"kind": "array", "shape": dimensions, "values": row}


def nested(value: dict) -> list:
    """An array as lists of lists."""
    row = list(value["values"])
    for size in reversed(value["shape"][1:]):
        row = [row[start : start + size] for start in range(0, len(row), size)] if size else []
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
    return isinstance(value, list) and any(has_nan(one) for one in value)
