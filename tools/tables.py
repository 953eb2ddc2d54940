"""Tables: in Markdown, and aligned for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def header(names: Sequence[str]) -> list[str]:
    """The first two lines of a table in Markdown."""
    return [row_of(names), "|---" * len(names) + "|"]


def row_of(cells: Sequence[str]) -> str:
    """A line of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, the first one flush left, the others flush right, two spaces between them."""
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join(
        f"{name:{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
        for name, *cells in rows
    )
