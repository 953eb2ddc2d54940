"""python -m tools.campaign kills|inputs|programs --seed N --number N: is there anything that breaks the course?

kills: training runs are killed at random moments and resumed, and compared with an undisturbed one. inputs: every kind
of file that the course reads is damaged at random. programs: every program is called with random flags and input.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.errors import OneLineParser, UserError, exits_cleanly
from common.executor import MOST_JOBS, scheduler_argument
from common.training.runs import runs_root

from .cases import Report, run_campaign
from .groups import run_elsewhere
from .inputs import Inputs
from .kills import Kills
from .programs import Programs

CAMPAIGNS = {kind.name: kind for kind in (Kills, Inputs, Programs)}


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m tools.campaign", description=__doc__)
    parser.add_argument("kind", choices=CAMPAIGNS, help="what to test")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    parser.add_argument("--number", type=int, default=100, metavar="N", help="cases up to N (default: 100)")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="cases from N on (default: 1)")
    parser.add_argument("--case", type=int, metavar="N", help="only this case, and keep what it leaves behind")
    parser.add_argument(
        "--only", default="", metavar="TEXT,TEXT", help="only runs or programs with one of these in the name"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--report", type=Path, metavar="FILE", help="where to write (default: runs/campaign/KIND.json)")
    parser.add_argument("--json", action="store_true", help="print the report as a line of JSON, and write no file")
    arguments = parser.parse_args()
    if min(arguments.number, arguments.jobs, arguments.first, 1 if arguments.case is None else arguments.case) < 1:
        raise UserError("--number, --first, --jobs and --case must be at least 1")
    if arguments.jobs > MOST_JOBS:
        raise UserError(f"--jobs {arguments.jobs}: must be at most {MOST_JOBS}")
    if arguments.case is None and arguments.first > arguments.number:
        raise UserError("--first is larger than --number: there is no case")
    if arguments.case is not None and arguments.scheduler:
        raise UserError("--case keeps what a case leaves on this machine; leave --scheduler out")
    if arguments.report and arguments.report.is_dir():
        raise UserError(f"--report {arguments.report}: is a folder; name a file")
    numbers = range(arguments.first, arguments.number + 1) if arguments.case is None else [arguments.case]
    path = (arguments.report or runs_root() / "campaign" / f"{arguments.kind}.json").resolve()
    report = Report(
        arguments.kind, arguments.seed, " ".join(["python -m tools.campaign", *sys.argv[1:]]), arguments.only
    )
    try:
        if arguments.scheduler:
            run_elsewhere(report, numbers, arguments.scheduler)
        else:
            run_here(report, numbers, arguments)
    finally:
        if report.counts and not arguments.json:
            report.write(path)
    if arguments.json:
        print(json.dumps(report.content()))
        return
    report.show()
    print(f"the report is in {path}")
    sys.exit(1 if report.findings else 0)


def run_here(report: Report, numbers: Sequence[int], arguments: argparse.Namespace) -> None:
    """Run the cases in a folder of their own, which stays only where it is a single case."""
    scratch = Path(tempfile.mkdtemp(prefix="campaign-")).resolve()
    before = os.getcwd()
    try:
        campaign = CAMPAIGNS[report.kind](report.only)
        campaign.prepare(scratch)
        run_campaign(campaign, report, numbers, scratch, arguments.jobs, keep=arguments.case is not None)
    finally:
        os.chdir(before)
        if arguments.case is None:
            shutil.rmtree(scratch, ignore_errors=True)
        else:
            print(f"what the case left is in {scratch}")


if __name__ == "__main__":
    main()
