"""Is this Python fit for the course? The first question of every program, asked before anything else is imported.

This file uses the standard library only and no syntax younger than Python 3.6, because it is what tells the user of
an old Python, or of a Python without DyNet, how to get in.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST_PYTHON = (3, 10)
NEEDED = {"dynet": "DyNet", "numpy": "NumPy", "matplotlib": "matplotlib", "tqdm": "tqdm", "filelock": "filelock"}
ROOT = Path(__file__).resolve().parents[1]
ACTIVATE = '"source .venv/bin/activate" (Windows: .venv\\Scripts\\activate)'


def require() -> None:
    """Return if the course can run here; otherwise print one line that says how to get in, and exit with status 2."""
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    problem = find_problem(sys.version_info[:3], missing)
    if problem:
        sys.stderr.write("error: {}; {}\n".format(problem, way_in(ROOT / ".venv", Path(sys.prefix))))
        sys.exit(2)


def find_problem(version: tuple, missing: list) -> str:
    """Say what is wrong with a Python of this version that lacks these packages; nothing ("") where all is well."""
    if version < OLDEST_PYTHON:
        ours, oldest = (".".join(map(str, numbers)) for numbers in (version, OLDEST_PYTHON))
        return "this is Python {}, the course needs {} or newer".format(ours, oldest)
    if missing:
        return "{} {} not installed for this Python".format(", ".join(missing), "is" if len(missing) == 1 else "are")
    return ""


def way_in(venv: Path, prefix: Path) -> str:
    """Say how to enter the virtual environment `venv` from the Python at `prefix`, making it first where need be."""
    made = (venv / "pyvenv.cfg").exists()
    inside = made and prefix.resolve() == venv.resolve()
    if inside:
        return 'run "make setup"'
    if made:
        return "run " + ACTIVATE
    return 'run "make setup" and then ' + ACTIVATE
