"""Tables of words and numbers for the cells of lessons: `table("word | score | weight", words, scores, weights)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

MINUS = "−"


class Table(str):
    """A table as Markdown; a notebook shows it as a table."""

    def _repr_markdown_(self) -> str:
        return str(self)


def table(head: str, *columns: Sequence | np.ndarray, digits: int | Sequence[int] = 3) -> Table:
    """The columns below their names. A column is a sequence of words and numbers, or an array (rows, columns).

    head: the names, with ` | ` between them. digits: how many a fraction has after the point, at most, in all columns
    or in each of those given; whole numbers of an integer type have none, and words stand as they are. Raises
    `ValueError` where names and columns do not fit.
    """
    names = re.split(r"(?<!\\) ?\| ?", head)
    most = [digits] * len(columns) if isinstance(digits, int) else digits
    parts = [cells for column, most in zip(columns, most, strict=True) for cells in written_columns(column, most)]
    if len(parts) != len(names) or len({len(part) for part in parts}) != 1:
        raise ValueError(f"{len(names)} names, and columns of the lengths {[len(part) for part in parts]}")
    head = [line([name.strip() for name in names]), "|---" * len(names) + "|"]
    return Table("\n".join([*head, *(line(row) for row in zip(*parts, strict=True))]))


def written_columns(column: Sequence | np.ndarray, most: int) -> Iterator[list[str]]:
    """The column, or each of an array's (rows, columns), as written: fractions with at most so many digits."""
    several = isinstance(column, np.ndarray) and column.ndim == 2
    for values in column.T if several else [column]:
        digits = digits_needed([value for value in values if not isinstance(value, str)], most)
        yield [written(value, digits) for value in values]


def digits_needed(values: Sequence[float], most: int) -> int:
    """How many digits after the point show these numbers exactly, from 1 to `most`."""
    exact = (digits for digits in range(1, most) if all(abs(round(one, digits) - one) < 1e-9 for one in values))
    return next(exact, most)


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def written(value: object, digits: int) -> str:
    """A cell of a table: a number with its digits, a symbol such as `<s>` as code, words as they are."""
    if isinstance(value, str):
        return f"`{value}`" if value.startswith("<") else value
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return rounded(value, 0)
    return rounded(float(value), digits)


def rounded(value: float, digits: int) -> str:
    """A number as pages write it: `digits` after the point, commas between thousands, a minus sign if it is negative;
    what rounds to zero has no sign."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)
