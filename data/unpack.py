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
from typing import IO

from common.errors import UserError

MAX_BYTES = 1 << 30  # what one text may hold after unpacking; the largest real one has a tenth of it

Opener = Callable[[], IO[bytes]]


class BadArchive(UserError):
    """An archive that is broken, unsafe, or lacks a text that the corpus needs."""


def read_texts(paths: list[Path], wanted: dict[str, list[str]], limit: int = MAX_BYTES) -> dict[str, bytes]:
    """Return the bytes of each wanted text: split file -> content.

    paths: archives (zip, tar), plain or gzipped files, or folders of such files.
    wanted: split file -> names under which the text may be stored; folders within an archive are ignored.
    limit: how many bytes one text may hold.
    Raises `BadArchive` for a broken or unsafe archive, a missing or an oversized text.
    """
    texts: dict[str, bytes] = {}
    for path in paths:
        try:
            with _openers(path) as openers:
                for split, names in wanted.items():
                    for name in names:
                        if name in openers and split not in texts:
                            texts[split] = _read(openers[name], name, path, limit)
        except UserError:
            raise
        except Exception as error:  # damage leads to errors of all kinds
            if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
                raise UserError(f"cannot read {path}: {error.strerror or error}") from error
            raise BadArchive(f"{path} is damaged or cut short ({error}); fetch it again") from error
    for split, names in wanted.items():
        if split not in texts:
            places = ", ".join(str(path) for path in paths)
            raise BadArchive(f"{places} holds no {' or '.join(names)}, which {split} is made of; is it the right one?")
    return texts


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _openers(path: Path) -> Iterator[dict[str, Opener]]:
    """Open `path` by its content, not its name: yield the last part of each member's name -> how to open it."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        yield _by_name((file.name, lambda file=file: file.open("rb")) for file in files)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield _by_name(_zip_members(archive, path))
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            yield _by_name(_tar_members(archive, path))
    else:
        yield _by_name([(path.name, lambda: path.open("rb"))])


def _by_name(members: Iterator[tuple[str, Opener]] | list[tuple[str, Opener]]) -> dict[str, Opener]:
    """Key members by the last part of their names, the first of a name winning; `x.gz` also counts as `x`."""
    openers: dict[str, Opener] = {}
    for name, opener in members:
        base = PurePosixPath(name.replace("\\", "/")).name
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
            yield info.filename, lambda info=info: archive.open(info)


def _tar_members(archive: tarfile.TarFile, path: Path) -> Iterator[tuple[str, Opener]]:
    for info in archive:
        _refuse_escape(info.name, path)
        if info.isreg():
            yield info.name, lambda info=info: archive.extractfile(info)


def _refuse_escape(name: str, path: Path) -> None:
    posix, windows = PurePosixPath(name.replace("\\", "/")), PureWindowsPath(name)
    if posix.is_absolute() or windows.drive or ".." in posix.parts:
        raise BadArchive(f"{path} holds {name!r}, which points outside the archive; it cannot be trusted")


def _read(opener: Opener, name: str, path: Path, limit: int) -> bytes:
    with opener() as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise BadArchive(f"{name} in {path} unpacks to more than {limit} bytes; it cannot be the right text")
    return content
