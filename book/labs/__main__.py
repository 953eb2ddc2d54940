"""`python -m book.labs [chNN ...]`: run the labs and write their notebooks, with outputs, to build/labs/.

`--check` asks more than that no cell fails: nothing on standard error, and pictures. `--open` runs nothing: it puts
notebooks without outputs into runs/labs/, where there are none yet, and opens JupyterLab there, so that what a student
changes is kept. What follows `--` goes to JupyterLab: `--open -- --no-browser --port 8890`.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import subprocess
import sys
from importlib.util import find_spec

from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import atomic_write

NEEDED = ("jupytext", "nbclient", "ipykernel", "ipywidgets")


@exits_cleanly
def main() -> None:
    arguments = parse()
    require(*NEEDED, *["jupyterlab"] * arguments.open)
    from book.labs.running import BUILT, find

    paths = find(arguments.chapters)
    if arguments.open:
        sys.exit(open_labs(paths, arguments.jupyter))
    failed = run(paths, BUILT, arguments.check)
    for message in failed:
        print(f"error: {message}", file=sys.stderr)
    if not failed and not arguments.chapters:
        (BUILT / ".run").touch()  # `make book` runs the labs only if one has changed since
    sys.exit(1 if failed else 0)


def parse() -> argparse.Namespace:
    """The flags, and in `jupyter` those behind `--`. Raises `UserError` where there is no JupyterLab to take them."""
    parser = OneLineParser(prog="python -m book.labs", description="Run the labs, or open them.")
    parser.add_argument("chapters", nargs="*", metavar="chNN", help="the labs (default: all)")
    parser.add_argument("--open", action="store_true", help="open your own notebooks in JupyterLab, in runs/labs/")
    parser.add_argument("--check", action="store_true", help="treat warnings and too few pictures as errors")
    parser.epilog = "Arguments after -- go to JupyterLab: --open -- --no-browser --port 8890"
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:end])
    arguments.jupyter = sys.argv[end + 1 :]
    if arguments.jupyter and not arguments.open:
        raise UserError(f"-- {' '.join(arguments.jupyter)}: only --open starts JupyterLab; add it, or leave these out")
    return arguments


def require(*packages: str) -> None:
    """Raises `UserError` where the extra `labs` is not installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UserError(f"{', '.join(missing)}: not installed; make labs installs what the labs need")


def run(paths: list, folder, check: bool = False) -> list[str]:
    """Run labs and write the notebooks of those that pass. Returns a line for each that failed.

    check: whether a lab with a fault (`running.fault`) has failed.
    """
    import nbformat

    from book.labs.running import LabError, execute_all, fault

    failed = []
    for path, result in zip(paths, asyncio.run(execute_all(paths)), strict=True):
        target = folder / f"{path.stem}.ipynb"
        wrong = str(result) if isinstance(result, LabError) else fault(path, result) if check else None
        if wrong:
            failed.append(wrong)
            target.unlink(missing_ok=True)  # an earlier run's would pass for this one's
            continue
        with atomic_write(target) as file:
            nbformat.write(result, file)
        print(target.relative_to(folder.parents[1]))
    return failed


def open_labs(paths: list, flags: list[str]) -> int:
    """Notebooks to work in, which are never written over, and JupyterLab to open them with; its exit status.

    flags: more of JupyterLab's own.
    """
    import nbformat

    from book.labs.running import ROOT, notebook_of

    folder = ROOT / "runs" / "labs"
    for path in paths:
        target = folder / f"{path.stem}.ipynb"
        if not target.exists():
            with atomic_write(target) as file:
                nbformat.write(notebook_of(path), file)
    jupyter = subprocess.Popen([sys.executable, "-m", "jupyterlab", str(folder), *flags])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is JupyterLab's, which asks before it ends
    status = jupyter.wait()
    return status if status >= 0 else 128 - status  # of a signal, as shells count


if __name__ == "__main__":
    main()
