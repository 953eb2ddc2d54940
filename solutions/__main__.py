"""`python -m solutions`: grade a class, make an autograder and the students' edition, check the exercises."""

from __future__ import annotations

from common import errors, launch

errors.exit_on_sigint()
launch.require()

from common.errors import OneLineParser, Terminated, exits_cleanly
from solutions import autograder, check, grade, release, sync
from solutions.grading.scratch import remove_folders


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m solutions", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (grade, autograder, release, check, sync):
        module.add_arguments(subparsers)
    arguments = parser.parse_args()
    try:
        arguments.func(arguments)
    except Terminated:  # which ends the process before `atexit` does anything
        remove_folders()
        raise


if __name__ == "__main__":
    main()
