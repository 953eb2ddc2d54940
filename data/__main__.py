"""`python -m data`: make, fetch and show corpora."""

from __future__ import annotations

from common.errors import OneLineParser, exits_cleanly
from data import download, generate, show, swap, truths


@exits_cleanly
def main() -> None:
    """Parse the command line and run the chosen command."""
    parser = OneLineParser(prog="python -m data", description=__doc__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (generate, truths, download, show, swap):
        module.add_arguments(subparsers)
    arguments = parser.parse_args()
    arguments.func(arguments)


if __name__ == "__main__":
    main()
