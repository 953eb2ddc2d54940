"""Runs a chapter's program that was started as a file: `python chapters/06_attentive_lm/train.py`, from any folder.

The program's first lines hand over to this file. It makes sure that this Python is fit for the course, sets DyNet up as
the program's flags say, and runs the program again under its name in the course, chapters.attentive_lm.train. So all
imports of a program can be at its top.

This file and `errors` use the standard library only and no syntax newer than Python 3.7, because they must still run in
an old Python, or in one without DyNet, to tell the user what to install.
"""

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST_PYTHON = (3, 10)
NEEDED = {"dynet": "DyNet", "numpy": "NumPy", "matplotlib": "matplotlib", "tqdm": "tqdm", "filelock": "filelock"}
LEAST_MEMORY = 300 * 2**20
"""Bytes that the libraries take before anything is read: with fewer, DyNet ends the process when it is imported."""
ROOT = Path(__file__).resolve().parents[1]  # `common` cannot be imported yet
ACTIVATE = '"source .venv/bin/activate" (Windows: .venv\\Scripts\\activate)'


def launch(program: str) -> None:
    """Run the program in this file, then end the process. Ctrl-C ends it in one line, also while it is imported."""
    folder = str(Path(program).resolve().parent)
    sys.path[:] = [str(ROOT)] + [place for place in sys.path if place != folder]
    from common import errors

    errors.end_at_once()
    errors.open_closed_streams()
    require()
    from common import runtime

    path = Path(program).resolve()
    name = f"chapters.{path.parent.name[3:]}.{path.stem}"

    def run() -> None:
        errors.end_at_once()  # the program's imports; its main lets Ctrl-C be raised
        runtime.set_up(sys.argv[1:])
        if any(flag.partition("=")[0] == "--from" for flag in sys.argv[1:]):
            from solutions.substitute import offer

            offer()
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    errors.exits_cleanly(run)()
    sys.exit()


def require() -> None:
    """Return if the course can run here; otherwise print one line that says how to get in, and exit with status 2."""
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    problem = find_problem(sys.version_info[:3], missing)
    if problem:
        sys.stderr.write(f"error: {problem}; {way_in(ROOT / '.venv', Path(sys.prefix))}\n")
        sys.exit(2)
    from common.memory import process_limit

    if process_limit() < LEAST_MEMORY:
        limit, least = (f"{size / 2**20:.0f} MB" for size in (process_limit(), LEAST_MEMORY))
        sys.stderr.write(f"error: the limit of memory is {limit}, and the course needs {least}; raise it (ulimit -v)\n")
        sys.exit(2)


def find_problem(version: tuple, missing: list) -> str:
    """Say what is wrong with a Python of this version that lacks these packages; nothing ("") where all is well."""
    if version < OLDEST_PYTHON:
        ours, oldest = (".".join(map(str, numbers)) for numbers in (version, OLDEST_PYTHON))
        return f"this is Python {ours}, the course needs {oldest} or newer"
    if missing:
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed for this Python"
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


if "program" in globals():
    launch(globals()["program"])
