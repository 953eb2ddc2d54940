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


def digits(metric: str) -> int:
    """Digits behind the point of a difference: more where one is of nats or a share."""
    return 4 if metric.startswith("log ") or metric in ("loss", "accuracy") else 2


def difference_head() -> list[str]:
    """The head of a table of differences in Markdown."""
    return header(["", "", "difference", "95%", "p", "seeds of this sign"])


def difference_row(row: dict) -> str:
    """A line of this table, of a row as `differences` makes them."""
    precision, interval, probability = digits(row["metric"]), "", ""
    if row["p"] is not None:
        interval = f"{row['low']:+.{precision}f} to {row['high']:+.{precision}f}"
        probability = f"{row['p']:.3f}" if row["p"] >= 0.001 else "< 0.001"
    name, size = f"`{row['second']}` − `{row['first']}`", f"{row['found']:+.{precision}f}"
    return row_of([name, row["metric"], size, interval, probability, f"{row['alike']} of {row['of']}"])
