"""What separates words, and what ends a line: one rule for every text that the course reads.

Words are separated by blank, tab, line feed and carriage return, as in KenLM (Heafield 2011), which reads texts and
ARPA files so. Every other character belongs to a word: a no-break space, U+2028, a vertical tab, a form feed.
`str.split()` separates at all of these, and would make two words of one that another program has in its vocabulary.

Lines end at a line feed, before which a carriage return may stand; `str.splitlines()` ends them at eight others, too.
"""

from __future__ import annotations

SEPARATORS = " \t\n\r"


def split_words(text: str) -> list[str]:
    """The words of a text, perhaps none."""
    words = text.replace("\t", " ").replace("\n", " ").replace("\r", " ").split(" ")
    return [word for word in words if word]


def split_lines(text: str) -> list[str]:
    """The lines of a text without what ends them. What follows the last line feed is a line if it has a word."""
    *lines, rest = text.split("\n")
    return [line.removesuffix("\r") for line in [*lines, *([rest] if split_words(rest) else [])]]
