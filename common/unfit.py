"""What is wrong with a Python that cannot run the course, and what to do; `launch` loads this file only then.

Like `launch` it uses the standard library only and no syntax newer than Python 3.7.
"""

import sys
from pathlib import Path

ACTIVATE = '"source .venv/bin/activate" (Windows: .venv\\Scripts\\activate)'


def refuse(oldest: tuple, missing: list, root: Path) -> None:
    """End the program in one line, with exit status 2. oldest: Python that the course needs. missing: packages."""
    problem = find_problem(sys.version_info[:3], oldest, missing)
    sys.stderr.write(f"error: {problem}; {activation_hint(root / '.venv', Path(sys.prefix))}\n")
    sys.exit(2)


def find_problem(version: tuple, oldest: tuple, missing: list) -> str:
    """Say what is wrong with a Python of this version that lacks these packages."""
    if version < oldest:
        ours, least = (".".join(map(str, numbers)) for numbers in (version, oldest))
        return f"this is Python {ours}, the course needs {least} or newer"
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed for this Python"


def activation_hint(venv: Path, prefix: Path) -> str:
    """Say how to enter the virtual environment `venv` from the Python at `prefix`, making it first where need be."""
    exists = (venv / "pyvenv.cfg").exists()
    if exists and prefix.resolve() == venv.resolve():
        return 'run "make setup"'
    return "run " + ACTIVATE if exists else 'run "make setup" and then ' + ACTIVATE


def refuse_limit(limit: float, least: float) -> None:
    """End the program: the libraries take more bytes than this process may use (ulimit -v)."""
    size, needed = (f"{number / 2**20:.0f} MB" for number in (limit, least))
    sys.stderr.write(f"error: the limit of memory is {size}, and the course needs {needed}; raise it (ulimit -v)\n")
    sys.exit(2)
