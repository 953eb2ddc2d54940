"""One program at a time writes to a run folder."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from common.errors import UserError

LOCK = ".lock"
_held: list[FileLock] = []
"""The lock of the run that this process writes, if it writes one."""


def lock_run(folder: Path) -> None:
    """Keep other programs from writing to this run until this process ends, be it killed, or writes another run.

    The system holds the lock and gives it back; the empty file that it is held on stays. Raises `UserError`, at once,
    where another program has it, and where the folder cannot be made.
    """
    while _held:
        _held.pop().release()
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{folder}: another program is writing this run; wait for it, or choose another --run-dir"
        ) from None
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot write {folder / LOCK}: {reason}; choose another place") from None
    _held.append(lock)
