"""`python -m solutions`: grade a class, make the students' edition, check the exercises."""

from __future__ import annotations

from common import errors, launch

errors.exit_on_sigint()
launch.require()

from common.errors import OneLineParser, exits_cleanly
from solutions import check, grade, release, sync


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m solutions", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (grade, release, check, sync):
        module.add_arguments(subparsers)
    arguments = parser.parse_args()
    arguments.func(arguments)


if __name__ == "__main__":
    main()
