"""Texts that might be read wrongly: with blanks of Unicode, reserved words, many unknown words, and few lines."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from common.text.vocab import SEPARATORS

from .corpora import FEW

BLANKS = [chr(n).encode() for n in (*range(0x3001), 0xFEFF) if (chr(n).isspace() or n in (0, 0x200B, 0xFEFF))]
BLANKS = [blank for blank in BLANKS if blank.decode() not in SEPARATORS]
"""Characters that Python or an editor takes for blanks, and the field's tools do not."""
# fmt: off
RESERVED = (
    b"<unk>", b"<UNK>", b"<s>", b"</s>", b"<S>", b"<pad>", b"<2veldran>", b"|||", b"\xe2\x96\x81", b"\xe2\x96\x81the",
    b"@@", b"th@@", b"\\", b"\\data\\", b"\\1-grams:", b"\\end\\", b"ngram", b"(", b")", b"()", b"0-0", b"-1.5", b"-99",
    b"NaN", b"...", b"#", b"n1", b"<unk0>", b"\xc2\xa0",
)
# fmt: on
"""Words that some program of the course, or of the field, writes for something of its own."""
MOST_LINES = 2300
"""Lines of `NAMES` new words that are put behind a text."""
NAMES = 9


def unicode_blanks(data: bytes, rng: random.Random) -> bytes:
    """Blanks of Unicode stand within words, between them, and at the ends of lines."""
    for _ in range(rng.choice((1, 3, 30))):
        places = [match.start() for match in re.finditer(rb"\w(?=\w)| |\n|$", data)]
        place, blank = rng.choice(places), rng.choice(BLANKS)
        if data[place : place + 1] == b" " and rng.random() < 0.5:
            data = data[:place] + blank + data[place + 1 :]
        else:
            within = place + (data[place : place + 1].isalnum())
            data = data[:within] + blank + data[within:]
    return data


def reserved_words(data: bytes, rng: random.Random) -> bytes:
    """Words are replaced by reserved ones, or joined with them."""
    parts = re.split(rb"([ \t\n]+)", data)
    words = [place for place, part in enumerate(parts) if part.strip()]
    for place in rng.choices(words, k=rng.choice((1, 3, 30))) if words else ():
        parts[place] = rng.choice(RESERVED) + (b"" if rng.random() < 0.7 else parts[place])
    return b"".join(parts)


def unknown_words(data: bytes, rng: random.Random) -> bytes:
    """Every word of some lines is new, and so are those of many lines more, sometimes."""
    share = rng.choice((0.1, 0.5, 1.0))
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        if rng.random() < share:
            lines[number] = re.sub(
                rb"\w+", lambda word, number=number: b"%b%dx%d" % (word[0], number, word.start()), line
            )
    more = rng.choice((0, 0, 0, MOST_LINES)) if len(lines) > FEW else 0  # the few are drawn, a picture each
    return b"\n".join(lines) + b"".join(
        b" ".join(b"new%dx%d" % (line, place) for place in range(NAMES)) + b"\n" for line in range(more)
    )


TEXT = (unicode_blanks, reserved_words, unknown_words)
ENDINGS = (".txt", ".source", ".target", ".trees", ".align", ".arpa")
"""Of the names of files that are texts."""


def shorten(paths: Sequence[Path], rng: random.Random) -> str:
    """Keep only a line or two of every text, as many of each, and say how many."""
    number = rng.choice((1, 1, 2, 3))
    for path in paths:
        if path.suffix in ENDINGS:
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:number]))
    return f"has {number} lines"
