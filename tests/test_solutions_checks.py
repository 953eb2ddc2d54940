"""solutions/checks.py: what graders are written with."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from solutions.checks import (
    Wrong,
    answer,
    check,
    close,
    digest_of,
    distribution,
    equal,
    shown,
)
from solutions.grading.exam import plain


class Holder(NamedTuple):
    """What holds parameters of DyNet, whose text is their name."""

    W: str


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: equal({"a": 1}, {"a": 2}, "m"), "m, at 'a'; yours gives 1"),
        (lambda: equal({"a": 1}, {"a": 1, "b": 2, "c": 0}, "m"), "m; keys that your dictionary lacks: ['b', 'c']"),
        (lambda: equal({"a": 1, "b": 2}, {"a": 1}, "m"), "m; keys of your dictionary that do not belong there: ['b']"),
        (lambda: close(np.array([0.5] * 10), np.array([0.5] * 9 + [0.076]), "m"), "m; at [9] yours gives 0.5"),
        (lambda: equal([1, 2], [1, 2, 3], "m"), "length 2"),
        (lambda: equal(None, 3, "m"), "is a `return` missing"),
        (lambda: equal(1.5, 1, "m"), "yours gives 1.5"),
        (lambda: equal(Fraction(3, 2), 1, "m"), "yours gives 1.5"),
        (lambda: equal(0, True, "m"), "yours gives 0"),
        (lambda: equal("1", 1, "m"), "yours gives '1'"),
        (lambda: equal(Fraction(4, 3), 1, "m"), "yours gives 1.33"),
        (lambda: equal(True, 2, "m"), "yours gives True"),
        (lambda: close(1.1, 1.0, "m"), "yours gives 1.1"),
        (lambda: close(float("nan"), 1.0, "m"), "yours gives nan"),
        (lambda: close([[1, 2]], np.array([[1, 3]]), "m"), "yours gives"),
        (lambda: close(np.array([1, 2]), np.array([[1], [2]]), "m"), r"shape must be (2, 1), yours is (2,)"),
        (lambda: close("x", np.array([1]), "m"), "where an array of numbers is wanted"),
        (lambda: close(object(), 1.0, "m"), "yours gives a object"),
        (lambda: check(0, "m"), "m"),
        (lambda: answer("A", digest_of("b"), "m"), "yours is 'A'"),
        (lambda: distribution([1.5, -0.5], "m"), "at least 0"),
        (lambda: distribution([1.0], "m", size=2), "must be 2 probabilities"),
        (lambda: distribution(None, "m", size=2), "m; yours gives None: is a `return` missing?"),
        (lambda: distribution(0.5, "m", size=2), "m; yours gives 0.5, where an array of probabilities is wanted"),
        (lambda: distribution({"a": 1}, "m"), "where an array of probabilities is wanted"),
        (lambda: distribution([0.1, 0.2, 0.3], "m"), "must be at least 0 and sum to 1; yours sum to 0.6"),
        (lambda: close(0.07600000000000001, 0.08, "m"), "m; yours gives 0.076"),
        (lambda: close(np.array([7, 1]), np.array([7, 2]), "m"), "m; yours gives [7 1]"),
        (lambda: equal(np.array([[7], [1]]), np.array([[7], [2]]), "m"), "m; yours gives [[7] [1]]"),
        (lambda: close(10**400, 1.0, "m"), "m; yours gives 1000"),
        (lambda: close(Fraction(10**400, 3), 1.0, "m"), "m; yours is too large"),
    ],
)
def test_what_is_wrong_is_told(call, expected: str) -> None:
    with pytest.raises(Wrong, match=re.escape(expected)):
        call()


def test_what_is_right_passes() -> None:
    """The right answers in other styles have numbers of more types."""
    for three in (np.int8(3), np.longdouble(3), np.array(3.0)):
        equal({("a", "b"): [three, "x"]}, {("a", "b"): [3, "".join("x")]}, "m")
    equal([1, 0], [True, False], "m")
    close(float("inf"), float("inf"), "m")
    answer(" B ", digest_of("b"), "m")


def test_an_exam_records_numbers_of_every_type() -> None:
    array = {"kind": "array", "shape": [1, 2], "values": [0.5, 2.0]}
    assert plain(np.longdouble(0.5)) == 0.5 and type(plain(np.longdouble(0.5))) is float
    assert json.loads(json.dumps(plain(np.array([[0.5, 2]], dtype=np.longdouble)))) == array
    assert plain(np.ma.masked_array([[0.5, 2.0]])) == array


def test_a_value_is_shown_on_one_line() -> None:
    assert shown(object()) == "<object>"
    assert shown([Holder("Parameter /_0"), 2]) == "[<Holder>, 2]"
    assert shown([np.zeros((2, 2))]) == "[[[0. 0.] [0. 0.]]]" and len(shown("x" * 999)) < 999
