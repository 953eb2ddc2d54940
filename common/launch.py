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


def launch(program: str) -> None:
    """Run the program in this file, then end the process. Ctrl-C ends it in one line, also while it is imported."""
    folder = str(Path(program).resolve().parent)
    sys.path[:] = [str(ROOT)] + [place for place in sys.path if place != folder]
    from common import errors

    errors.exit_on_sigint()
    errors.prepare_streams()
    require()
    from common import runtime

    path = Path(program).resolve()
    name = f"chapters.{path.parent.name[3:]}.{path.stem}"

    def run() -> None:
        errors.exit_on_sigint()  # the program's imports; its main lets Ctrl-C be raised
        runtime.set_up(sys.argv[1:])
        if any(flag.partition("=")[0] == "--from" for flag in sys.argv[1:]):
            from solutions.substitute import offer

            offer()
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    errors.exits_cleanly(run)()
    sys.exit()


def require() -> None:
    """Return if the course can run here; otherwise `unfit` says in one line what to do, and the program ends."""
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    if sys.version_info < OLDEST_PYTHON or missing:
        from common.unfit import refuse

        refuse(OLDEST_PYTHON, missing, ROOT)
    from common.errors import process_limit

    if process_limit() < LEAST_MEMORY:
        from common.unfit import refuse_limit

        refuse_limit(process_limit(), LEAST_MEMORY)


if "program" in globals():
    launch(globals()["program"])
