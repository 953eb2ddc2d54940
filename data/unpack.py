"""Reading the wanted texts out of an archive or a folder, without ever extracting an archive to disk.

Nothing is written here, so no member can land outside a folder; an archive that tries is refused all the same.
"""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from common.errors import UserError

MAX_BYTES = 1 << 28
"""What all texts of a corpus may hold after unpacking, together, unless its entry says otherwise."""
MAX_HEADERS = 1 << 26
"""What the headers of a tar may hold beside, with the names of its members."""
PIECE = 1 << 16
ZIP_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those that `zipfile` unpacks piece by piece. Of the others 4,096 bytes become gigabytes at once."""

Opener = Callable[[], IO[bytes]]


class BadArchive(UserError):
    """An archive that is broken, unsafe, or lacks a text that the corpus needs."""


def read_texts(
    paths: list[Path], names_by_split: dict[str, list[str]], limit: int = MAX_BYTES, partial: bool = False
) -> dict[str, bytes]:
    """Return the bytes of each wanted text: split file -> content.

    paths: archives (zip, tar), plain or gzipped files, or folders of such files.
    names_by_split: split file -> names under which the text may be stored, alone or with that of its folder; the other
    folders are ignored.
    limit: how many bytes all texts may hold together.
    partial: whether texts may be missing, though not all of them.
    Raises `BadArchive` for a broken or unsafe archive, a missing text, or too much of it.
    """
    texts: dict[str, bytes] = {}
    room = limit
    for path in paths:
        try:
            with _openers(path, limit) as openers:
                for split, names in names_by_split.items():
                    for name in names:
                        if name in openers and split not in texts:
                            texts[split] = _read(openers[name], room)
                            room -= len(texts[split])
                            if room < 0:
                                raise BadArchive(
                                    f"{path}: its texts unpack to more than {limit} bytes; is it the right one?"
                                )
        except UserError:
            raise
        except Exception as error:  # damage leads to errors of all kinds
            if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
                raise UserError(f"cannot read {path}: {error.strerror or error}") from error
            raise BadArchive(f"{path} is damaged or cut short ({error}); fetch it again") from error
    for split, names in names_by_split.items():
        if split not in texts and not (partial and texts):
            places = ", ".join(str(path) for path in paths)
            raise BadArchive(
                f"{places} contains no {' or '.join(names)}, which {split} is made of; is it the right one?"
            )
    return texts


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _openers(path: Path, limit: int) -> Iterator[dict[str, Opener]]:
    """Open `path` by its content, not its name: yield the names of its members, as `_by_name` keys them."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        yield _by_name((str(file.relative_to(path)), lambda file=file: file.open("rb")) for file in files)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield _by_name(_zip_members(archive, path))
    else:
        try:
            archive = _MeteredTar.open(path, limit=limit)
        except tarfile.TarError:
            yield _by_name([(path.name, lambda: path.open("rb"))])
            return
        with archive:
            yield _by_name(_tar_members(archive, path))


def _by_name(members: Iterator[tuple[str, Opener]] | list[tuple[str, Opener]]) -> dict[str, Opener]:
    """Key members by the last part of their names, and by the last two, the first of a name winning; `x.gz` also counts
    as `x`."""
    openers: dict[str, Opener] = {}
    for name, opener in members:
        parts = PurePosixPath(name.replace("\\", "/")).parts
        for base in ("/".join(parts[-count:]) for count in (1, 2)):
            openers.setdefault(base, opener)
            if base.endswith(".gz"):
                openers.setdefault(base[:-3], lambda opener=opener: gzip.GzipFile(fileobj=opener()))
    return openers


def _zip_members(archive: zipfile.ZipFile, path: Path) -> Iterator[tuple[str, Opener]]:
    for info in archive.infolist():
        if not info.filename:  # before Python 3.12 zipfile itself stumbles over it
            raise zipfile.BadZipFile("a member has no name")
        _refuse_escape(info.orig_filename, path)
        kind = (info.external_attr >> 16) & 0o170000  # Unix file type; 0 where the archiver gave none
        if not info.is_dir() and kind in (0, 0o100000):
            if info.compress_type not in ZIP_COMPRESSIONS:
                raise BadArchive(f"{path}: {info.filename!r} is packed in an uncommon way; unpack it and zip it again")
            yield info.filename, lambda info=info: archive.open(info)


def _tar_members(archive: tarfile.TarFile, path: Path) -> Iterator[tuple[str, Opener]]:
    for info in archive:
        _refuse_escape(info.name, path)
        if info.isreg():
            yield info.name, lambda info=info: archive.extractfile(info)


def _refuse_escape(name: str, path: Path) -> None:
    posix, windows = PurePosixPath(name.replace("\\", "/")), PureWindowsPath(name)
    if posix.is_absolute() or windows.drive or ".." in posix.parts:
        raise BadArchive(f"{path} contains {name!r}, which points outside the archive; it cannot be trusted")


class _MeteredTar(tarfile.TarFile):
    """A tar of which no more is read than its texts and their headers may hold: a header may ask for any amount."""

    def __init__(self, name: str, mode: str, fileobj: IO[bytes] | None = None, *, limit: int, **options: Any):
        """fileobj: what unpacks a compressed tar; one that is not compressed has no more than its file."""
        super().__init__(name, mode, _Meter(fileobj, name, limit) if fileobj else None, **options)


class _Meter:
    """A file of which `MAX_HEADERS` and `limit` bytes may be read; what is passed over does not count."""

    def __init__(self, file: IO[bytes], name: str, limit: int):
        self.file, self.name, self.limit, self.room = file, name, limit, MAX_HEADERS + limit

    def read(self, size: int) -> bytes:
        self.room -= size
        if self.room < 0:
            raise BadArchive(
                f"{self.name}: its names and texts unpack to more than {self.limit} bytes; is it the right one?"
            )
        return self.file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def _read(opener: Opener, room: int) -> bytes:
    """The bytes of a text, or where they are more than `room` so many that it can be seen."""
    pieces, size = [], 0
    with opener() as file:
        while size <= room and (piece := file.read(PIECE)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces)
