"""Systems trained with several seeds, then a table of their results.

Finished runs are never trained again, interrupted ones are resumed.
"""

from __future__ import annotations

import argparse

from common.errors import OneLineParser, UserError, exits_cleanly
from common.programs.arguments import check_most

from . import decoders, ladder, sweep, variants

EXPERIMENTS = {"ladder": ladder, "variants": variants, "decoders": decoders, "sweep": sweep}


def make_parser() -> OneLineParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = OneLineParser(prog="python -m tools.experiment", description=__doc__, formatter_class=raw)
    commands = parser.add_subparsers(dest="experiment", required=True, metavar="EXPERIMENT")
    for name, module in EXPERIMENTS.items():
        summary = module.__doc__.partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=module.__doc__, formatter_class=raw)
        module.add_arguments(command)
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    check_most(arguments)
    if min(arguments.seeds, arguments.jobs) < 1:
        raise UserError("--seeds and --jobs must be at least 1")
    EXPERIMENTS[arguments.experiment].run(arguments)


if __name__ == "__main__":
    main()
