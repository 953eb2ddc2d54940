"""Fetching one file over HTTP: streamed, resumed where an earlier attempt stopped, checked, named only when whole."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO

from tqdm import tqdm

from common.errors import UserError
from data.unpack import sha256_of

TIMEOUT = 30.0  # seconds without a byte before an address is given up
CHUNK = 1 << 16


class AddressFailed(UserError):
    """One address did not give the file; another one may."""


class CannotWrite(UserError):
    """The disk does not take the file; no other address can help."""


def fetch(url: str, path: Path, sha256: str | None, timeout: float = TIMEOUT) -> None:
    """Download `url` to `path`; what is not whole yet lies in `path` + ".part", where the next call goes on.

    sha256: the expected checksum in hexadecimal digits, or None where none is known.
    Raises `AddressFailed` (no answer, cut short, wrong checksum) or `CannotWrite`.
    """
    part = path.with_name(path.name + ".part")
    resumed = part.exists()
    _download(url, part, timeout)
    if sha256 is not None and resumed and sha256_of(part) != sha256:
        part.unlink()  # its two pieces may come from two versions of the file: once more, whole
        _download(url, part, timeout)
    actual = sha256_of(part)
    if sha256 is not None and actual != sha256:
        part.unlink()
        raise AddressFailed(f"{url}: wrong checksum, expected sha256 {sha256}, found {actual}")
    os.replace(part, path)


def _download(url: str, part: Path, timeout: float) -> None:
    """Append to `part` what it lacks of `url`; a part that the disk cannot take is removed."""
    done = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "course-data/1.0"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout) as response:
            _append(response, part, done, url)
    except CannotWrite:
        part.unlink(missing_ok=True)
        raise
    except urllib.error.HTTPError as error:
        if error.code != 416 or not done:
            raise AddressFailed(f"{url}: the server answers {error.code} {error.reason}") from error
        if error.headers.get("Content-Range") != f"bytes */{done}":  # not whole either: another file by now
            part.unlink()
            _download(url, part, timeout)
    except urllib.error.URLError as error:
        raise AddressFailed(f"{url}: no connection ({error.reason})") from error
    except (OSError, HTTPException) as error:
        raise AddressFailed(f"{url}: the connection broke ({error}); run the same command again to continue") from error


def _append(response: HTTPResponse, part: Path, done: int, url: str) -> None:
    """Write the body to `part`: from `done` on if the server kept to the range, else from the start."""
    continues = response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {done}-")
    size = done if continues else 0
    length = response.headers.get("Content-Length", "")
    total = size + int(length) if length.isdecimal() else None
    name = url.rsplit("/", 1)[-1]
    scale = {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
    bar = tqdm(total=total, initial=size, desc=name, leave=False, disable=None, **scale)
    with bar, _open(part, "ab" if continues else "wb") as file:
        while chunk := response.read(CHUNK):
            _write(file, chunk, part)
            size += len(chunk)
            bar.update(len(chunk))
    if total is not None and size != total:
        raise AddressFailed(f"{url}: cut short at {size} of {total} bytes; run the same command again to continue")


def _open(part: Path, mode: str) -> IO[bytes]:
    with _disk(part):
        return part.open(mode, buffering=0)


def _write(file: IO[bytes], chunk: bytes, part: Path) -> None:
    with _disk(part):
        written = file.write(chunk)
        while written < len(chunk):  # a disk that is nearly full takes a piece first, then fails
            written += file.write(chunk[written:])


@contextmanager
def _disk(part: Path) -> Iterator[None]:
    """Tell an error of the disk from one of the network."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotWrite(
            f"cannot write {part}: {reason}; free some space or choose another place with --to"
        ) from error
