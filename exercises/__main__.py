"""`python -m exercises`: what to do next, whether it is right, and help."""

from __future__ import annotations

import sys
from pathlib import Path

from common import errors, launch

errors.exit_on_sigint()
launch.require()

from common.errors import OneLineParser, exits_cleanly
from exercises import commands, terminal
from exercises.questions import answers
from exercises.watching import watch
from solutions.sets import EXERCISES

COMMANDS = {
    "next": (commands.show_next, "the first unfinished exercise, and its first failing check"),
    "check": (commands.check, "check exercises: all that are attempted, a chapter's (6) or one (6.2)"),
    "hint": (commands.hint, "a hint for an exercise: a nudge, then (hint 6.2 2) the equation, then (3) the shapes"),
    "watch": (watch, "check again whenever a file is saved; keys bring hints and more, and q ends it"),
    "progress": (commands.progress, "a bar for each chapter"),
    "reveal": (commands.reveal, "the course's answer, after yours passes"),
    "answers": (answers, "the questions to explore of a chapter (6), and the model answer to one (6 2) after yours"),
    "reset": (commands.reset, "make an exercise blank again; what was there is kept next to it"),
}
NEEDS_TASK = ("hint", "reveal", "reset")


def start(folder: Path) -> int:
    """Without a command: watch in a terminal; elsewhere how far the student is, what comes next, and the commands."""
    if terminal.is_attached():
        return watch(folder)
    status = commands.overview(folder)
    print()
    for name, (_, text) in COMMANDS.items():
        print(f"python -m exercises {name:8}  {text}")
    return status


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m exercises", description=__doc__)
    parser.add_argument("--in", dest="folder", metavar="DIR", type=Path, default=EXERCISES, help="where the work is")
    parser.set_defaults(function=start)
    subparsers = parser.add_subparsers(metavar="COMMAND")
    for name, (function, text) in COMMANDS.items():
        command = subparsers.add_parser(name, help=text, description=text)
        command.set_defaults(function=function)
        if name in NEEDS_TASK:
            command.add_argument("which", metavar="EXERCISE", help="its number, as in 6.2")
        elif name == "answers":
            command.add_argument("chapter", type=int, metavar="CHAPTER", help="a chapter")
            command.add_argument("number", type=int, nargs="?", default=0, help="of a question (default: list them)")
        elif name not in ("next", "progress"):
            command.add_argument("which", metavar="EXERCISE", nargs="?", default="", help="a chapter or an exercise")
        if name == "hint":
            command.add_argument("level", type=int, nargs="?", choices=(1, 2, 3), default=1, help="1, 2 or 3")
        if name in ("reveal", "answers"):
            command.add_argument("--give-up", action="store_true", help="show it before yours passes")
        if name == "reset":
            command.add_argument("--file", action="store_true", help="the whole file that the exercise is in")
    arguments = vars(parser.parse_args())
    sys.exit(arguments.pop("function")(**arguments))


if __name__ == "__main__":
    main()
