"""Fetching one file over HTTP: streamed, resumed where an earlier attempt stopped, checked, named only when whole."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from tqdm import tqdm

from common.errors import UserError
from data.unpack import sha256_of

TIMEOUT = 30.0  # seconds without a byte before an address is given up
CHUNK = 1 << 16


class AddressFailed(UserError):
    """One address did not give the file; another one may."""


def fetch(url: str, path: Path, sha256: str | None, timeout: float = TIMEOUT) -> None:
    """Download `url` to `path`; what is not whole yet lies in `path` + ".part", where the next call goes on.

    sha256: the expected checksum in hexadecimal digits, or None where none is known.
    Raises `AddressFailed` (no answer, cut short, wrong checksum) or `UserError` (the disk cannot take it).
    """
    part = path.with_name(path.name + ".part")
    resumed = part.exists() and part.stat().st_size > 0
    _download(url, part, timeout)
    if sha256 is not None and sha256_of(part) != sha256 and resumed:
        part.unlink()  # the two pieces may come from two versions of the file: once more, whole
        _download(url, part, timeout)
    found = sha256_of(part)
    if sha256 is not None and found != sha256:
        part.unlink()
        raise AddressFailed(f"{url}: wrong checksum, expected sha256 {sha256}, found {found}")
    os.replace(part, path)


def _download(url: str, part: Path, timeout: float) -> None:
    """Append to `part` what it lacks of `url`."""
    done = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "course-data/1.0"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout) as response:
            _append(response, part, done, url)
    except urllib.error.HTTPError as error:
        if error.code == 416 and done:  # nothing comes after what is here: whole, or another file by now
            if error.headers.get("Content-Range") != f"bytes */{done}":
                part.unlink()
                _download(url, part, timeout)
            return
        raise AddressFailed(f"{url}: the server answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise AddressFailed(f"{url}: no connection ({error.reason})") from error
    except (TimeoutError, ConnectionError, HTTPException) as error:
        raise AddressFailed(f"{url}: the connection broke ({error}); the same command goes on from here") from error
    except OSError as error:
        part.unlink(missing_ok=True)  # a full disk needs the room
        raise UserError(f"cannot write {part}: {error.strerror or error}; free some space or choose --to") from error


def _append(response: HTTPResponse, part: Path, done: int, url: str) -> None:
    """Write the body to `part`: from `done` on if the server kept to the range, else from the start."""
    continues = response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {done}-")
    start = done if continues else 0
    length = response.headers.get("Content-Length")
    total = start + int(length) if length is not None else None
    name = url.rsplit("/", 1)[-1]
    bar = tqdm(total=total, initial=start, unit="B", unit_scale=True, unit_divisor=1024, desc=name, leave=False)
    with bar, part.open("ab" if continues else "wb") as file:
        while chunk := response.read(CHUNK):
            file.write(chunk)
            bar.update(len(chunk))
    size = part.stat().st_size
    if total is not None and size != total:
        raise AddressFailed(f"{url}: cut short at {size} of {total} bytes; the same command goes on from here")
