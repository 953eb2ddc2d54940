"""The official source distribution of DyNet: found where pip finds it, checked, read. None of its code is run."""

from __future__ import annotations

import hashlib
import logging
import tarfile
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write

PROJECT, VERSION = "dyNET", "2.1.2"
ARCHIVE = f"{PROJECT}-{VERSION}.tar.gz"
SHA256 = "c1c1de7cdd3a60b6c6491868b0e096b38b88d4ce14ef8bd065cb76bcd9f5a8b9"
INSTEAD = "or give a copy of it with --source FILE"


def fetch(folder: Path, source: str = "") -> Path:
    """The verified archive in `folder`: there already, copied from the file `source`, or downloaded.

    Raises `UserError` where it cannot be had or is not the right one.
    """
    archive = folder / ARCHIVE
    if not source and archive.is_file() and checksum(archive.read_bytes()) == SHA256:
        return archive
    if source:
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise UserError(f"--source {source}: {error.strerror}") from None
    else:
        data = download()
    digest = checksum(data)
    if digest != SHA256:
        place = source or f"the {ARCHIVE} of the package index"
        raise UserError(f"{place} is not the right file: its sha256 is {digest}, not {SHA256}")
    with atomic_write(archive, "wb") as file:
        file.write(data)
    return archive


def checksum(data: bytes) -> str:
    """The sha256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def download() -> bytes:
    """The archive's bytes from the package index that pip is configured for, unchecked.

    `pip download` would run the archive's setup.py to learn its requirements, and that file no longer works on any
    Python of today. So this asks pip's own parts, which know the user's index, proxy and certificates.
    """
    try:
        from pip._internal.commands.index import IndexCommand
    except ImportError:
        raise UserError(f"this pip has no way to look for {ARCHIVE}: update pip, {INSTEAD}") from None
    logging.getLogger("pip").setLevel(logging.ERROR)  # of places that do not have the project
    command = IndexCommand("index", "where a file lies")
    try:
        options, _ = command.parse_args(["versions", PROJECT])
        with command.main_context(), command._build_session(options) as session:
            finder = command._build_package_finder(options, session)
            links = [candidate.link for candidate in finder.find_all_candidates(PROJECT)]
            link = next((link for link in links if link.filename.lower() == ARCHIVE.lower()), None)
            if link is None:
                raise UserError(f"pip finds no {ARCHIVE}: check the network and pip's settings, {INSTEAD}")
            # An archive is wanted as it is, not as text that was compressed on its way.
            answer = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"})
            answer.raise_for_status()
            return answer.content
    except (UserError, KeyboardInterrupt):
        raise
    except AttributeError as error:
        raise UserError(f"this pip does not work as the known versions do ({error}): update it, {INSTEAD}") from None
    except Exception as error:  # pip's, requests' and the system's, all of which mean the same to the user
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise UserError(f"could not fetch {ARCHIVE} ({reason}): check the network, {INSTEAD}") from None


def read_files(archive: Path) -> dict[str, bytes]:
    """The files of a verified archive, by their paths below its top folder."""
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in members}
