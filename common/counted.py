"""A number with its noun, for what programs print."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """In the singular or the plural: "1 word", "1,200 words"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
