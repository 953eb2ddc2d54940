"""A page with its outputs and marked numbers computed anew, and what differs from what is written."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from book.blocks import INDEX, NUMBER, agrees
from book.lessons.cells import Piece, digits, new_namespace, pieces, run, value_of
from book.tables import MINUS, rounded
from common.errors import UserError

OUTPUT = "\n<!-- output -->\n{}<!-- end output -->\n"


class Renewed(NamedTuple):
    """text: the page as it should be. differences: a line for each place that differs. cells, numbers: how many."""

    text: str
    differences: list[str]
    cells: int
    numbers: int


def renew(page: str, text: str, namespace: dict | None = None) -> Renewed:
    """Run the cells of a page and compute all that is written by them. namespace: the names to begin with.

    Raises `UserError` with page and line where a cell or an expression fails, or has no place.
    """
    namespace = new_namespace(page) if namespace is None else namespace
    parts: list[str] = []
    differences: list[str] = []
    cells = numbers = 0
    previous, output = None, ""
    with digits():
        for piece in [*pieces(text), Piece("text", "", "", 0)]:
            ran = previous is not None and previous.kind in ("cell", "hidden")
            if piece.kind == "output" and not ran:
                raise UserError(f"{page}:{piece.line}: an output with no cell before it")
            if ran:
                written = piece.code if piece.kind == "output" else ""
                if written != output:
                    differences.append(f"{page}:{previous.line}: {difference(written, output)}")
                parts.append(OUTPUT.format(output) if output else "")
            if piece.kind == "mark":
                values = np.ravel(value_of(piece, page, namespace)).tolist()
                parts[-1:], wrong = with_numbers(parts[-1], values, f"{page}:{piece.line}")
                differences += wrong
                numbers += len(values)
            elif piece.kind in ("cell", "hidden"):
                output = run(piece, page, namespace)
                cells += 1
            if piece.kind != "output":
                parts.append(piece.text)
            previous = piece
    return Renewed("".join(parts), differences, cells, numbers)


def difference(written: str, output: str) -> str:
    """The first line in which the output of a cell, which is the line named before, is not what the page has."""
    lines = [one.splitlines() + [""] * len(other.splitlines()) for one, other in ((written, output), (output, written))]
    old, new = next((old, new) for old, new in zip(*lines, strict=False) if old != new)
    return f"the output has {old or 'no line'!r} on the page, {new or 'no line'!r} computed"


def with_numbers(text: str, values: list[float], place: str) -> tuple[list[str], list[str]]:
    """The text before a mark with its last numbers as they should be, in a list, and a line for each that was wrong.

    Raises `UserError` where its last paragraph has fewer numbers than there are values.
    """
    paragraph = text.rfind("\n\n") + 1
    masked = INDEX.sub(lambda match: "\0" * len(match[0]), text)
    matches = list(NUMBER.finditer(masked, paragraph))[-len(values) :]
    if len(matches) < len(values):
        raise UserError(f"{place}: the mark computes {len(values)} numbers, but the page has {len(matches)} before it")
    wrong = []
    for match, value in reversed(list(zip(matches, values, strict=True))):
        if not agrees(match[0], value):
            new = rounded(value, len(match[0].partition(".")[2]))
            new = new if MINUS in match[0] or "-" not in match[0] else new.replace(MINUS, "-")
            wrong.insert(0, f"{place}: {match[0]} on the page, {value:.10g} computed")
            text = text[: match.start()] + new + text[match.end() :]
    return [text], wrong
