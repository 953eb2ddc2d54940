"""Runs a chapter's program that was started as a file: `python chapters/06_attentive_lm/train.py`, from any folder.

The program's first lines hand over to this one. It makes sure that this Python is fit for the course, sets DyNet up as
the program's flags say, and runs the program again under its name in the course, chapters.06_attentive_lm.train. So all
imports of a program can stand at its top. Ctrl-C ends it in one line, also while it is imported. Like `environment`, it
has to be understood by old Pythons.
"""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def launch(program: str) -> None:
    """Run the program in this file, then end the process."""
    folder = str(Path(program).resolve().parent)
    sys.path[:] = [str(ROOT)] + [place for place in sys.path if place != folder]
    from common import interrupts

    interrupts.end_at_once()
    from common import environment

    environment.require()
    from common import errors, runtime

    name = ".".join(Path(program).resolve().relative_to(ROOT).with_suffix("").parts)

    def run() -> None:
        interrupts.end_at_once()  # the program's imports; its main lets Ctrl-C be raised
        runtime.set_up(sys.argv[1:])
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    errors.exits_cleanly(run)()
    sys.exit()


if "program" in globals():
    launch(globals()["program"])
