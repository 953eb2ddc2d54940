"""Mending the source of DyNet before it is compiled: replacements of exact texts, each found exactly once.

A file in patches/ begins with the reason, and goes on as a unified diff without line numbers: the lines of a hunk that
begin with a space or a minus are the text to find, those with a space or a plus what takes its place. A text that is
missing, or there twice, is an error: a patch that silently did nothing would leave its fault in a build that claims
to be without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError

PATCHES = sorted((Path(__file__).parent / "patches").glob("*.patch"))


@dataclass(frozen=True)
class Hunk:
    """A replacement: in the file `path`, `new` for `old`."""

    path: str
    old: str
    new: str


def read_patch(file: Path) -> tuple[str, list[Hunk]]:
    """The reason that a patch gives, and its hunks."""
    reason, *parts = file.read_text(encoding="utf-8").split("--- ")
    hunks = []
    for part in parts:
        header, *bodies = part.split("@@\n")
        path = header.splitlines()[0]
        for body in bodies:
            lines = body.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
            hunks.append(Hunk(path, old, new))
    return reason.strip(), hunks


def apply_patch(file: Path, source: dict[str, bytes]) -> None:
    """Mend the files in `source` (path -> content) by one patch.

    Raises `UserError` where a text is not there exactly once.
    """
    for hunk in read_patch(file)[1]:
        text = source.get(hunk.path, b"").decode("utf-8")
        count = text.count(hunk.old)
        if count != 1:
            first = hunk.old.splitlines()[0].strip()
            raise UserError(
                f"{hunk.path}: what {file.name} replaces ({first} ...) occurs {count} times instead of once; "
                "is this the unpatched source of DyNet 2.1.2?"
            )
        source[hunk.path] = text.replace(hunk.old, hunk.new).encode("utf-8")
