"""Damage to bytes: pieces replaced, bits flipped, lines and words and numbers changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from common.text.vocab import SEPARATORS

Bytes = Callable[[bytes, random.Random], bytes]
NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[-+]?\d+)?")
BLANKS = [chr(n) for n in (*range(0x3001), 0xFEFF) if chr(n).isspace() or n in (0, 0x200B, 0xFEFF)]
# fmt: off
STRANGE_NUMBERS = (
    b"0", b"-1", b"1", b"2", b"0.5", b"-0.0", b"1e-320", b"1e308", b"1e999", b"NaN", b"inf", b"-Infinity", b"", b"x",
    b"1_0", b"0x10", b"2147483648", b"-9223372036854775809", b"9" * 30, b"9" * 5000, b"null", b"\xd9\xa3",
)
STRANGE_BYTES = (
    b"\xff", b"\xc3", b"\r", b"\n", b"\n\n", b" ", b"\t", b"\xed\xa0\x80", b"{}", b"[]", b"null", b"((", b"-", b"99-99",
    b"x" * 3000, b"a " * 1200, b"( " * 3000, b"[" * 100_000, b'"', b"{", b"\xf0\x9f\x98\x80",
    *(blank.encode() for blank in BLANKS if blank not in SEPARATORS),
)
RESERVED = (
    b"<unk>", b"<UNK>", b"<s>", b"</s>", b"<S>", b"<pad>", b"<2veldran>", b"|||", b"\xe2\x96\x81", b"\xe2\x96\x81the",
    b"@@", b"th@@", b"\\", b"\\data\\", b"\\1-grams:", b"\\end\\", b"ngram", b"(", b")", b"()", b"0-0", b"-1.5", b"-99",
    b"NaN", b"...", b"#", b"n1", b"<unk0>",
)
# fmt: on
"""Words that some program of the course, or of the field, writes for something of its own."""
STRANGE = (*STRANGE_BYTES, *RESERVED)


def splice(data: bytes, rng: random.Random) -> bytes:
    """A piece of the data, which may be nothing or all of it, is lost, repeated, or replaced by something strange."""
    first, last = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    short = min(len(data), first + rng.choice((1, 2, 4, 8, 100)))
    ends = ((first, first), (first, first), (first, short), (first, last), (first, len(data)), (0, last))
    start, end = rng.choice((*ends, (0, len(data))))
    piece, noise = data[start:end], rng.randbytes(rng.choice((1, 30, 3000)))
    strange = (b"", piece * rng.choice((2, 2, 4)), bytes(len(piece)), b"\xff" * len(piece), noise)
    new = rng.choice((*strange, *rng.choices(STRANGE, k=3)))
    return data[:start] + new + data[end:]


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def change_lines(data: bytes, rng: random.Random) -> bytes:
    """A line is lost, doubled, emptied, joined to the next or exchanged with it, or becomes another one."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    line, two = lines[place], lines[place : place + 2]
    changes = ([], 1), ([line, line], 1), ([b""], 1), ([rng.choice(lines)], 1), ([b" ".join(two)], 2), (two[::-1], 2)
    new, number = rng.choice((*changes, ([], len(lines))))
    lines[place : place + number] = new
    return rng.choice((b"\n", b"\n", b"\n", b"\r\n")).join(lines)


def change_words(data: bytes, rng: random.Random) -> bytes:
    """Words, or what is between them, are lost, doubled, replaced by others, or joined with something strange."""
    words = re.split(rb"([ \t\n]+)", data)
    for place in rng.choices(range(len(words)), k=rng.choice((1, 1, 3, 30))):
        strange = rng.choice(STRANGE)
        words[place] = rng.choice((b"", words[place] * 2, rng.choice(words), strange, strange + words[place]))
    return b"".join(words)


def change_number(data: bytes, rng: random.Random) -> bytes:
    """A number in the text becomes another, or none."""
    matches = list(NUMBER.finditer(data[:200_000]))
    if not matches:
        return splice(data, rng)
    number = rng.choice(matches)
    return data[: number.start()] + rng.choice(STRANGE_NUMBERS) + data[number.end() :]


ANY: tuple[Bytes, ...] = (*[splice] * 6, *[flip_bits, change_lines, change_words, change_number] * 2)
