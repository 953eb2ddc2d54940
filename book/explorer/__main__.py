"""`python -m book.explorer`: a page on this machine for playing with everything that has been trained."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import webbrowser
from pathlib import Path

from common import runtime
from common.errors import OneLineParser, UserError, exits_cleanly

NEEDED = ("flask", "waitress")
THREADS = 8
"""Of the server. Questions to models are answered one at a time; the others wait, and progress is told meanwhile."""


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.explorer", description=__doc__)
    parser.add_argument("--runs", type=Path, metavar="DIR", help="the folder of all runs (default: runs)")
    parser.add_argument("--port", type=int, default=8123, metavar="N", help="port of the page (default: 8123; 0: any)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")
    parser.add_argument(
        "--train", default="", metavar="FLAGS", help="more flags for training from the page: --train '--seed 2'"
    )
    parser.add_argument("--time", action="store_true", help="measure how fast the page answers, and end")
    arguments = parser.parse_args()
    if not 0 <= arguments.port < 65536:
        raise UserError(f"--port {arguments.port}: must be from 0 to 65535")
    if arguments.runs:
        os.environ["COURSE_RUNS"] = str(arguments.runs.resolve())  # where training runs that the page begins go, too
    runtime.configure()
    if arguments.time:
        measure()
    else:
        serve(arguments.port, not arguments.no_browser, flags_in(arguments.train))


def flags_in(text: str) -> list[str]:
    """The flags of --train, split as a shell does. Raises `UserError` for an open quotation mark."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UserError(f"--train {text}: {error}") from None


def measure() -> None:
    """Print how long the language models of the runs take to answer, and how many they are."""
    from book.explorer.timing import report  # DyNet is loaded with it, after it was set up

    print(report())


def serve(port: int, open_browser: bool, train_flags: list[str]) -> None:
    """Answer the page's requests until Ctrl-C. Raises `UserError` where the port is taken or a package is missing."""
    try:
        from waitress import create_server

        from book.explorer.server import make_app
    except ImportError as error:
        if error.name not in NEEDED:
            raise
        raise UserError(f"the explorer needs {' and '.join(NEEDED)}; run: make explore") from None
    from common.training.runs import runs_root

    app = make_app(runs_root(), train_flags)
    try:
        server = create_server(app, host="127.0.0.1", port=port, threads=THREADS, connection_limit=64, ident=None)
    except OSError as error:
        raise UserError(f"--port {port}: {error.strerror}; choose another, or 0 for any that is free") from None
    address = f"http://127.0.0.1:{server.effective_port}/"
    print(f"the explorer shows the runs in {runs_root()}: {address} (Ctrl-C ends it)", flush=True)
    threading.Thread(target=app.extensions["explorer"]["warm"], daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that what is being trained ends, too
    if open_browser:
        webbrowser.open(address)
    try:
        server.run()
    finally:
        app.extensions["explorer"]["jobs"].close()


if __name__ == "__main__":
    main()
