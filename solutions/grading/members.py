"""The Python files and notebooks of a submission: of a folder, of a zip file, or a single file.

A zip file is read where it lies and never unpacked to a disk, so nothing in it can come to lie elsewhere. How much is
read is bounded before it is read.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

LARGEST = 1_000_000
"""Bytes of a file of exercises that are read."""
LARGEST_NOTEBOOK = 20_000_000
"""Bytes of a notebook that are read: it may contain pictures."""
LARGEST_DIRECTORY = 8_000_000
"""Bytes of the list of files that a zip file may have: some 80,000 of them."""
MOST_BYTES, MOST_FOLDERS, MOST_FILES = 64_000_000, 2000, 2000
"""Of one submission: bytes that are read of all files, folders that are searched, and files that are read."""
DEEPEST = 5
"""How many folders deep in a submission a file may lie."""
IGNORED = {"solutions", "__MACOSX", "__pycache__"}
"""Folders whose files are nobody's work: the blanks of an edition of the course, and what macOS and Python leave."""
KINDS = (".py", ".ipynb")


class CannotRead(Exception):
    """Nothing can be read of a submission. The message is one line."""


@dataclass(frozen=True)
class Member:
    """A file. parts: its path inside of the submission; path: the same, to show. text: its code, None where it cannot
    be read."""

    parts: tuple[str, ...]
    path: str
    text: str | None

    @property
    def stem(self) -> str:
        return PurePosixPath(self.parts[-1]).stem

    @property
    def is_notebook(self) -> bool:
        return is_kind(self.parts[-1], ".ipynb")


class Reader:
    """Reads the files of one submission. remarks: what was left out, a line each."""

    def __init__(self, submission: Path):
        self.submission, self.remarks = submission, []
        self.bytes = self.files = 0

    def read(self) -> list[Member]:
        """The files, in no order. Raises `CannotRead` where the submission is none."""
        path = self.submission
        if path.is_dir():
            return [*self.of_folder()]
        if not path.exists():
            raise CannotRead("no such file or folder")
        if not path.is_file():
            raise CannotRead("neither a file nor a folder")
        if is_kind(path.name, ".zip"):
            return [*self.of_zip(path)]
        if is_kind(path.name, *KINDS):
            return [self.member((path.name,), path.name, path.stat().st_size, lambda most: read_bytes(path, most))]
        raise CannotRead("neither a folder nor a zip, .py or .ipynb file; unpack or rename it")

    def of_folder(self) -> Iterator[Member]:
        """The files below the folder, the least deep first. Links that lead out of it are not followed."""
        waiting, visited = deque([self.submission]), 0
        while waiting:
            place = waiting.popleft()
            visited += 1
            if visited > MOST_FOLDERS:
                self.remarks.append(f"more than {MOST_FOLDERS} folders: the others were not searched")
                return
            try:
                entries = sorted(os.scandir(place), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                path = Path(entry.path)
                parts = path.relative_to(self.submission).parts
                if is_ignored(parts):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if len(parts) <= DEEPEST:
                        waiting.append(path)
                elif is_kind(entry.name, *KINDS):
                    yield self.of_file(path, parts)
                elif is_kind(entry.name, ".zip") and place == self.submission:
                    try:
                        yield from self.of_zip(path, entry.name)
                    except CannotRead as error:
                        self.remarks.append(f"{entry.name}: {error}")

    def of_file(self, path: Path, parts: tuple[str, ...]) -> Member:
        label = "/".join(parts)
        try:
            inside = path.resolve().is_relative_to(self.submission.resolve())  # a link might lead to the answers
            about = path.stat()
            if inside and stat.S_ISREG(about.st_mode):
                return self.member(parts, label, about.st_size, lambda most: read_bytes(path, most))
        except (OSError, RuntimeError):  # RuntimeError: a link to itself, before Python 3.13
            pass
        return Member(parts, label, None)

    def of_zip(self, path: Path, above: str = "") -> Iterator[Member]:
        """The files in a zip file. above: its name inside of the submission, where it is a part of one.

        Raises `CannotRead` for an archive that is damaged, encrypted or too large to be looked through.
        """
        try:
            check_directory(path)
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    yield from self.of_entry(archive, info, above)
        except CannotRead:
            raise
        except Exception as error:  # damage leads to errors of all kinds
            raise CannotRead(f"not a zip file that can be read ({type(error).__name__}: {str(error)[:100]})") from None

    def of_entry(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, above: str) -> Iterator[Member]:
        """The file of an entry, where it is a file of Python's. Windows may separate folders by backslashes."""
        name = info.orig_filename.partition("\0")[0].replace("\\", "/")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        kind = (info.external_attr >> 16) & 0o170000  # of a file in Unix; 0 where another system made the archive
        if name.endswith("/") or not parts or is_ignored(parts) or len(parts) > DEEPEST + 1:
            return
        label = "/".join([*filter(None, [above]), *parts])
        if is_kind(parts[-1], ".zip"):
            self.remarks.append(f"{label}: an archive in an archive is not opened; unpack it")
        if not is_kind(parts[-1], *KINDS):
            return
        if name.startswith("/") or PureWindowsPath(name).drive or ".." in parts:
            self.remarks.append(f"{label}: leads out of the archive, and was not read")
        elif kind not in (0, stat.S_IFREG):
            self.remarks.append(f"{label}: not an ordinary file, and was not read")
        elif info.flag_bits & 1:
            raise CannotRead("encrypted; ask for an archive without a password")
        else:
            yield self.member(parts, label, info.file_size, lambda most: read_entry(archive, info, most))

    def member(self, parts: tuple[str, ...], label: str, size: int, read) -> Member:
        """A file with its text. read: gives its bytes, at most as many as are asked for."""
        notebook = is_kind(parts[-1], ".ipynb")
        largest = LARGEST_NOTEBOOK if notebook else LARGEST
        self.files += 1
        if self.files > MOST_FILES or self.bytes + min(size, largest) > MOST_BYTES:
            if not any(line.startswith("too many files") for line in self.remarks):
                self.remarks.append(f"too many files: those from {label} on were not read")
            return Member(parts, label, None)
        try:
            data = read(largest + 1) if size <= largest else None
            self.bytes += len(data or b"")
            if data is None or len(data) > largest:
                return Member(parts, label, None)
            text = data.decode("utf-8-sig")
            text = code_of(text) if notebook else text.replace("\r\n", "\n").replace("\r", "\n")
        except OSError as error:
            self.remarks.append(f"{label}: cannot be read ({str(error)[:100]})")
            return Member(parts, label, None)
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):  # no UTF-8, no notebook
            return Member(parts, label, None)
        return Member(parts, label, text if len(text) <= LARGEST else None)


def is_kind(name: str, *suffixes: str) -> bool:
    return name.lower().endswith(suffixes)


def is_ignored(parts: tuple[str, ...]) -> bool:
    """Whether a file lies in a folder of `IGNORED`, or is hidden, such as .DS_Store and ._x.py of macOS."""
    return bool(IGNORED & {*parts}) or any(part.startswith(".") and part != ".." for part in parts)


def read_bytes(path: Path, most: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(most)


def read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """At most so many bytes of an entry. Raises `OSError` where it is damaged, or packed in a way unknown to Python."""
    try:
        with archive.open(info) as file:
            return file.read(most)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise OSError(str(error)) from None


def code_of(notebook: str) -> str:
    """The code of a notebook, as one file. Commands of Jupyter (%, !) become comments, so that no line is lost."""
    cells = [cell["source"] for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in [*"".join(cell).splitlines(), ""]]
    return "".join(f"{'# ' if line.lstrip()[:1] in ('%', '!') else ''}{line}\n" for line in lines)


def check_directory(path: Path) -> None:
    """Raises `CannotRead` where the list of an archive's files is larger than may be read into memory."""
    end = struct.Struct("<4s4H2LH")
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - end.size - 0xFFFF))
        tail = file.read()
    places = {tail.rfind(b"PK\5\6"), len(tail) - end.size}  # zipfile looks at the last place first
    records = [end.unpack_from(tail, place) for place in places if 0 <= place <= len(tail) - end.size]
    if b"PK\6\7" in tail or any(record[0] == b"PK\5\6" and record[5] > LARGEST_DIRECTORY for record in records):
        raise CannotRead("an archive of too many files; leave out all but the exercises")
