"""Build DyNet and install it in place of the present one: `python -m tools.dynet cpu`, `cuda`, `default`, ..."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

from common import ROOT, gpu
from common.errors import OneLineParser, UserError, exits_cleanly
from tools.dynet import machine
from tools.dynet.build import MEGABYTES, build, plan

DEFAULT, FASTEST = "default", "cpu"
"""Words for the wheel that the course is tested with, and for the fastest flavour that needs no GPU."""
LIBRARIES = {"mkl": "Intel's MKL", "openblas": "OpenBLAS"}


def pip(*arguments: str) -> None:
    """Run this Python's pip. Raises `UserError` where it fails; what was installed is then still there."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    result = machine.run(command)
    if result.returncode != 0:
        reason = ([line for line in result.stderr.splitlines() if "ERROR" in line] or ["no reason given"])[-1]
        raise UserError(f"pip could not install it: check the network ({reason.removeprefix('ERROR: ')[:200]})")


def install(wheel: Path, libraries: tuple[str, ...]) -> None:
    """Put the wheel in the place of the installed DyNet, once the libraries that it needs are there."""
    if libraries:
        pip("install", "--only-binary", ":all:", *libraries)
    pip("install", "--force-reinstall", "--no-deps", str(wheel))


def install_default() -> None:
    """Go back to the wheel that the course is tested with."""
    constraints = str(ROOT / "constraints.txt")
    pip("install", "--force-reinstall", "--no-deps", "--only-binary", ":all:", "--constraint", constraints, "dynet38")


def measure(device: str) -> str:
    """The installed DyNet and its speed, in words. It runs in a process of its own: DyNet is loaded once in each."""
    command = [sys.executable, "-m", "tools.dynet.speed", "--device", device]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        name = f"dynet38 {metadata.version('dynet38')}, {device.upper()}"
    except metadata.PackageNotFoundError:
        return "no DyNet"
    speed = f"{int(result.stdout):,} tokens per second" if result.returncode == 0 else "does not run"
    return f"{name}: {speed}"


def check(device: str) -> None:
    """Let the course's own check of DyNet say whether the installed one computes right."""
    command = [sys.executable, "-m", "tools.check_dynet", "--device", device]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise UserError("the installed DyNet computes wrongly on this machine; to go back: make dynet-default")


def make_parser() -> OneLineParser:
    parser = OneLineParser(prog="python -m tools.dynet", description=__doc__)
    parser.add_argument(
        "flavour",
        choices=(FASTEST, *MEGABYTES, DEFAULT),
        help=f"what to install; {FASTEST}: mkl or openblas, by processor",
    )
    parser.add_argument("--source", default="", metavar="FILE", help="a copy of DyNet's source, instead of a download")
    parser.add_argument("--jobs", type=int, default=0, help="files compiled at a time (default: as many as processors)")
    parser.add_argument("--arch", default="", help='cuda: GPUs to compile for, e.g. "80-real;90" (default: those here)')
    parser.add_argument("--nvcc", default="", help='cuda: the compiler; "wheels": the one that pip installs')
    parser.add_argument(
        "--march", default="", help="the processor to compile for, as the compiler names it (default: this one's level)"
    )
    parser.add_argument("--only-build", action="store_true", help="make the wheel, but do not install it")
    parser.add_argument(
        "--keep", action="store_true", help="keep the build folder, so that a later build compiles only what changed"
    )
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    flavour, device = arguments.flavour, "cpu"
    if flavour == DEFAULT and arguments.only_build:
        raise UserError("--only-build: the default wheel is not built here; leave it out")
    if flavour == "cuda":
        device = "gpu" if gpu.count_gpus() else "cpu"
        if device == "cpu":
            print("No usable GPU or driver here: what is built runs on the CPU until there is one.")
    if flavour == FASTEST:
        flavour = machine.fastest_library()
        print(f"{LIBRARIES[flavour]} will multiply matrices: the choice for this processor.")
    if flavour != DEFAULT:
        recipe = plan(flavour, arguments.arch, arguments.nvcc, arguments.march)
        wheel = build(recipe, arguments.source, arguments.jobs, arguments.keep)
        if arguments.only_build:
            print(wheel)
            return
        print(f"Installing {wheel.name} ...", flush=True)
    before = measure("cpu")
    if flavour == DEFAULT:
        install_default()
    else:
        install(wheel, recipe.libraries)
    check(device)
    print(f"before: {before}\nafter:  {measure(device)}")


if __name__ == "__main__":
    main()
