"""The packages of the extra `book`: they need a newer Python than the course."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

from common.errors import UserError

OLDEST_PYTHON = (3, 11)


def check_packages(target: str, names: Sequence[str]) -> None:
    """Raise `UserError` where packages are missing that `make` installs for this target, `book` or `slides`."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing and sys.version_info < OLDEST_PYTHON:
        raise UserError(
            f"make {target} needs Python {'.'.join(map(str, OLDEST_PYTHON))} or newer, and this is "
            f"{'.'.join(map(str, sys.version_info[:2]))}; make clean, then make {target} PYTHON=/path/to/newer/python3"
        )
    if missing:
        names = ", ".join(missing)
        raise UserError(f"{names}: not installed; make {target}, or pip install -e '.[book]' -c constraints.txt")
