"""Damage to bytes: cut, flipped, inserted, repeated, lines and words and numbers changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Bytes = Callable[[bytes, random.Random], bytes]
NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[-+]?\d+)?")
# fmt: off
STRANGE_NUMBERS = (
    b"0", b"-1", b"1", b"2", b"0.5", b"-0.0", b"1e-320", b"1e308", b"1e999", b"NaN", b"inf", b"-Infinity", b"", b"x",
    b"1_0", b"0x10", b"2147483648", b"-9223372036854775809", b"9" * 30, b"9" * 5000, b"null", b"\xd9\xa3",
)
STRANGE_BYTES = (
    b"\xff", b"\xc3", b"\0", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b" ", b"\t", b"\xe2\x80\xa8",
    b"\xed\xa0\x80", b"</s>", b"<s>", b"<unk>", b"(", b")", b"((", b"-", b"0-0", b"99-99", b"\x1c", b"\xc2\x85",
    b"\xc2\xa0", b"x" * 3000,
    b"a " * 1200, b"( " * 3000, b"[" * 100_000, b"\\", b'"', b"{", b"\xf0\x9f\x98\x80", b"\xe2\x96\x81",
)
# fmt: on


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def lose_beginning(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    new = rng.choice(STRANGE_BYTES) if rng.random() < 0.8 else rng.randbytes(rng.randint(1, 40))
    return data[:place] + new + data[place:]


def overwrite(data: bytes, rng: random.Random) -> bytes:
    place, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 4, 8, 100))
    new = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    return data[:place] + new + data[place + length :]


def cut_out(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def repeat(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] * rng.choice((1, 1, 3)) + data[end:]


def empty(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"", b"\n", b" ", b"\0" * 20, b"{}", b"[]", b"null", b"0"))


def noise(data: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((1, 30, 3000)))


def change_lines(data: bytes, rng: random.Random) -> bytes:
    """A line is lost, doubled, emptied, joined to the next, or changes its place."""
    lines = data.split(b"\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(6)
    if change == 0:
        del lines[first]
    elif change == 1:
        lines.insert(second, lines[first])
    elif change == 2:
        lines[first] = b""
    elif change == 3:
        lines[first : first + 2] = [b" ".join(lines[first : first + 2])]
    elif change == 4:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines = lines[:first]
    return rng.choice((b"\n", b"\n", b"\n", b"\r\n")).join(lines)


def change_words(data: bytes, rng: random.Random) -> bytes:
    """A word is lost, doubled, or replaced by something strange."""
    words = re.split(rb"([ \t\n]+)", data)
    place = rng.randrange(len(words))
    words[place] = rng.choice((b"", words[place] * 2, rng.choice(STRANGE_BYTES), rng.choice(words)))
    return b"".join(words)


def change_number(data: bytes, rng: random.Random) -> bytes:
    """A number in the text becomes another, or none."""
    matches = list(NUMBER.finditer(data[:200_000]))
    if not matches:
        return insert(data, rng)
    number = rng.choice(matches)
    return data[: number.start()] + rng.choice(STRANGE_NUMBERS) + data[number.end() :]


ANY: tuple[Bytes, ...] = (
    *(truncate, lose_beginning, flip_bits, flip_bits, insert, insert, overwrite, cut_out, repeat, empty, noise),
    *(change_lines, change_lines, change_words, change_words, change_number, change_number),
)
