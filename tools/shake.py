"""Which tests depend on the machine? `python -m tools.shake [--rounds N] [--only NAME ...] [-- ARGUMENTS OF PYTEST]`.

Each round runs the tests once under other conditions, all of them together or those that `--only` names:

  start     every training run begins with weights times 1 + 1e-6 noise and another seed; a random order
  hashing   another PYTHONHASHSEED
  locale    another locale
  zone      another time zone
  umask     new files are for their owner alone
  columns   a terminal 40 columns wide
  home      no HOME
  user      an ordinary user, where the tests would be run by root
  folder    a checkout and a temporary folder whose names have blanks and letters beyond ASCII
  readonly  a checkout that nobody may write to

Then it lists every test that failed at least once, in how many rounds, and why. Its exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from common.errors import OneLineParser, UserError, exits_cleanly
from common.programs.arguments import check_most

ROOT = Path(__file__).resolve().parents[1]
CIRCUMSTANCES = "start hashing locale zone umask columns home user folder readonly".split()
COPIED = {"folder", "readonly", "user"}
"""Circumstances that need a copy of the checkout."""
LOCALES, ZONES = ("C", "POSIX", "C.UTF-8"), ("Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu", "UTC")
ODD = "Größe und Maß"
ORDINARY = "nobody"
PASSED, FAILED = 0, 1


class Failure(NamedTuple):
    """A test that failed in a round, and the first line of why."""

    test: str
    message: str


def environment(number: int, circumstances: Sequence[str], temporary: Path) -> dict[str, str]:
    """The variables of a round. temporary: where its temporary files go, and, of a copy, what Python compiles."""
    variables = dict(os.environ) | {"TMPDIR": str(temporary)}
    if COPIED & set(circumstances):
        variables["PYTHONPYCACHEPREFIX"] = str(temporary / "compiled")
    if "hashing" in circumstances:
        variables["PYTHONHASHSEED"] = str(number)
    if "locale" in circumstances:
        variables |= {"LC_ALL": LOCALES[number % len(LOCALES)], "LANG": ""}
    if "zone" in circumstances:
        variables["TZ"] = ZONES[number % len(ZONES)]
    if "columns" in circumstances:
        variables["COLUMNS"] = "40"
    if "home" in circumstances:
        variables.pop("HOME", None)
    return variables


def copy_checkout(folder: Path) -> None:
    """The files that Git would commit, as they are now, for everybody to read."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def set_writable(folder: Path, writable: bool) -> None:
    """Whether its owner may write to a folder, and to all that is in it."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200 if writable else path.stat().st_mode & ~0o222)


@contextmanager
def prepared(circumstances: Sequence[str], owner: int | None):
    """The checkout and the temporary folder of a round, which are removed after it."""
    base = Path(tempfile.mkdtemp(prefix="shake"))
    odd = base / (ODD if "folder" in circumstances else "plain")
    checkout, temporary = ROOT, odd / "tmp"
    try:
        base.chmod(0o755)
        temporary.mkdir(parents=True)
        if COPIED & set(circumstances):
            checkout = odd / "course"
            copy_checkout(checkout)
        if owner is not None:
            for path in [temporary, *([] if checkout is ROOT else [checkout, *checkout.rglob("*")])]:
                os.chown(path, owner, -1)
        if "readonly" in circumstances:
            set_writable(checkout, False)
        yield checkout, temporary
    finally:
        if checkout is not ROOT:
            set_writable(checkout, True)
        shutil.rmtree(base, ignore_errors=True)


def ordinary_user() -> dict:
    """How a process is begun as an ordinary user, where this one is root's. Raises `UserError` where it cannot be."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(ORDINARY)
    options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    try:
        subprocess.run([sys.executable, "-c", ""], cwd="/", check=True, capture_output=True, **options)
    except (OSError, subprocess.CalledProcessError):
        raise UserError(
            f"{sys.executable}: {ORDINARY} may not run it; take a Python outside root's home, or leave `user` out"
        ) from None
    return options


def run_round(number: int, circumstances: Sequence[str], arguments: Sequence[str]) -> tuple[int, list[Failure]]:
    """How many tests a round ran, and those that failed. Raises `UserError` where pytest could not run them."""
    ordinary = ordinary_user() if "user" in circumstances else {}
    with prepared(circumstances, ordinary.get("user")) as (checkout, temporary):
        report = temporary / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.shaking"]
        command += ["-o", "junit_family=xunit1", f"--junitxml={report}"]
        command += ["--shake", str(number)] if "start" in circumstances else []
        done = subprocess.run(
            [*command, *arguments],
            cwd=checkout,
            env=environment(number, circumstances, temporary),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            umask=0o077 if "umask" in circumstances else -1,
            **ordinary,
        )
        if done.returncode not in (PASSED, FAILED):
            lines = (done.stdout + done.stderr).strip().splitlines() or ["it said nothing"]
            raise UserError(f"pytest ended with status {done.returncode}: {lines[-1]}")
        return read_report(report)


def read_report(path: Path) -> tuple[int, list[Failure]]:
    """The number of tests in pytest's report that were not skipped, and those that failed."""
    number, failures = 0, []
    for case in ElementTree.parse(path).iter("testcase"):
        number += case.find("skipped") is None
        for part in (*case.findall("failure"), *case.findall("error")):
            message = (part.get("message") or part.text or "").strip().splitlines()
            failures.append(Failure(name_of(case), message[0] if message else ""))
            break
    return number, failures


def name_of(case: ElementTree.Element) -> str:
    """A test as pytest's command line names it."""
    file, classes = case.get("file", ""), case.get("classname", "").split(".")
    inside = classes[file.count("/") + 1 :] if file else classes
    return "::".join([file, *inside, case.get("name", "")])


def summary(rounds: Sequence[Sequence[Failure]]) -> list[str]:
    """A line for each test that failed: in how many rounds, which, and why the first time."""
    reasons: dict[str, list[str]] = {}
    for failures in rounds:
        for failure in failures:
            reasons.setdefault(failure.test, []).append(failure.message)
    most_often = sorted(reasons.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [f"{len(messages)} of {len(rounds)}  {test}  {messages[0]}" for test, messages in most_often]


def make_parser() -> OneLineParser:
    parser = OneLineParser(
        prog="python -m tools.shake", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often the tests are run (default: 5)")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first round (default: 1)")
    parser.add_argument("--only", nargs="+", default=CIRCUMSTANCES, choices=CIRCUMSTANCES, metavar="NAME")
    parser.add_argument("arguments", nargs="*", help="arguments for pytest, after --")
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    check_most(arguments)
    rounds = []
    for number in range(arguments.first, arguments.first + arguments.rounds):
        count, failures = run_round(number, arguments.only, arguments.arguments)
        names = "".join(f"\n  {failure.test}" for failure in failures)
        print(f"round {number}: {count} tests, {len(failures)} failed{names}", flush=True)
        rounds.append(failures)
    print(*summary(rounds), sep="\n")
    sys.exit(FAILED if any(rounds) else PASSED)


if __name__ == "__main__":
    main()
