"""Check the types of `common/` and `chapters/` with mypy: `python -m tools.check_types`, a part of `make lint`.

mypy skips folders whose names begin with a digit. So it reads a copy, in which the folders of chapters have the names
that they are imported by; the report has the names of the files. The settings are in pyproject.toml.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from common.errors import OneLineParser, exits_cleanly

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "types"


def copy_sources(root: Path = ROOT, copy: Path = COPY) -> dict[str, str]:
    """Copy what is checked, and return the folder of each chapter by its folder in the copy."""
    chapters = {f"chapters/{path.name[3:]}": f"chapters/{path.name}" for path in root.glob("chapters/[0-9]*_*/")}
    for place in ("common", "chapters"):
        shutil.rmtree(copy / place, ignore_errors=True)
    for place, folder in {"common": "common", **chapters}.items():
        shutil.copytree(root / folder, copy / place, ignore=shutil.ignore_patterns("figures", "__pycache__", "*.md"))
    return chapters


def check(root: Path = ROOT, copy: Path = COPY) -> tuple[int, str]:
    """The exit status of mypy and its report."""
    chapters = copy_sources(root, copy)
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "--namespace-packages"]
    done = subprocess.run([*command, "-p", "common", "-p", "chapters"], cwd=copy, capture_output=True, text=True)
    report = re.sub(r"^chapters/\w+", lambda match: chapters[match[0]], done.stdout, flags=re.MULTILINE)
    return done.returncode, report + done.stderr


@exits_cleanly
def main() -> None:
    OneLineParser(prog="python -m tools.check_types", description=__doc__.split("\n\n")[0]).parse_args()
    status, report = check()
    print(report, end="")
    sys.exit(status)


if __name__ == "__main__":
    main()
