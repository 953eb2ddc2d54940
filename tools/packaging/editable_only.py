"""What pip asks when it installs the course: setuptools, but for a copy into Python's own folder, which is refused.

The programs, lessons, exercises and corpora are used where they are, and runs are written beside them. A copy would be
a package `common` and a package `data` without all of these.
"""

from __future__ import annotations

from typing import NoReturn

from setuptools.build_meta import *  # noqa: F403

MESSAGE = "error: the course runs in its own folder and is not copied: pip install -e . (with the -e), or make setup"


def refuse(*arguments: object) -> NoReturn:
    """Answer a question that is asked for a copy only."""
    raise SystemExit(MESSAGE)


get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel = refuse
