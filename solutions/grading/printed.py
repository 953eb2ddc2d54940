"""What a student's code prints, read while it runs: however much it is, it neither stops the code nor fills memory."""

from __future__ import annotations

import threading
from typing import BinaryIO

KEPT = 4000
"""Bytes that are kept."""


class Printed:
    """What a process prints: its beginning is kept, the rest is read and forgotten."""

    def __init__(self) -> None:
        self.kept, self.last, self.news = bytearray(), b"", threading.Condition()

    def read(self, stream: BinaryIO) -> None:
        """Read a stream to its end."""
        read = stream.read1 if hasattr(stream, "read1") else stream.read
        try:
            while block := read(65536):
                with self.news:
                    self.kept += block[: max(KEPT - len(self.kept), 0)]
                    self.last = (self.last + block[-100:])[-100:]
                    self.news.notify_all()
        except (OSError, ValueError):
            return

    def forget(self) -> None:
        with self.news:
            del self.kept[:]

    def wait_for(self, mark: str, seconds: float = 0.5) -> None:
        """Until a mark was printed, and so all that came before it. Whoever closed the stream never prints it."""
        with self.news:
            self.news.wait_for(lambda: mark.encode() in self.last, seconds)

    def text(self, mark: str = "") -> str:
        """What was printed before the mark, but for DyNet's own lines."""
        with self.news:
            whole = bytes(self.kept).decode("utf-8", "replace")
        lines = (whole.partition(mark)[0] if mark else whole).splitlines()
        return "\n".join(line for line in lines if not line.startswith("[dynet]"))


def escaped(text: str) -> str:
    """A student's text as it may be shown and written anywhere: what cannot be printed, or is no text, is escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
