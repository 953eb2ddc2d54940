"""The process in which graders meet a student's code: `python -m solutions.worker`, started by running.py only.

It reads one request a line, JSON, and answers each with one line that repeats the request's nonce. The pipes for both
are moved away from standard input and output first, so that nothing a student's code prints is taken for an answer.
The graders are loaded, from the folder that the first request names, before any file of a student's.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import IO

from solutions import dynet_setup, guard
from solutions.execution import FAILED, Outcome, Source, Submission, load_grader, run_grader

WATCHED = ("builtins", "math", "operator", "random", "numpy", "numpy.linalg", "numpy.random", "hashlib", "json", "time",
           "traceback", "faulthandler", "sys", "dynet", "_dynet")  # fmt: skip
UNSTEADY = {
    ("sys", "modules"),
    ("sys", "last_exc"),
    ("sys", "stdout"),
    ("sys", "stderr"),
    ("sys", "stdin"),
    ("builtins", "_"),
}


def take_pipes() -> tuple[IO[str], IO[str]]:
    """The pipes to the parent; what is printed goes to standard error from now on, and there is no input."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def limit_memory(gigabytes: float) -> None:
    """Limit memory and the size of files, where the system can (Linux; macOS only files; not Windows)."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    for kind, size in (("RLIMIT_AS", int(gigabytes * 2**30)), ("RLIMIT_FSIZE", 2**26), ("RLIMIT_CORE", 0)):
        try:
            resource.setrlimit(getattr(resource, kind), (size, size))
        except (ValueError, OSError):
            continue


def main() -> None:
    sys.path = [folder for folder in sys.path if folder not in ("", os.getcwd())]  # where a student's code may write
    requests, answers = take_pipes()
    setup = json.loads(requests.readline())
    limit_memory(setup["memory"])
    dynet_setup.prepare()
    graders = {path: load_grader(Path(path)) for path in setup["graders"]}
    tools = [sys.modules[name] for name in WATCHED if name in sys.modules]
    tools += [module for name, module in sys.modules.items() if name.partition(".")[0] == "solutions"]
    tools += graders.values()
    before = {key: value for key, value in guard.snapshot(tools).items() if key not in UNSTEADY}
    if setup["guarded"]:
        guard.arm(Path(setup["scratch"]), Path(setup["answers"]))
        before[("os", "_exit")] = guard.snapshot([os])[("os", "_exit")]
        tools.append(os)
    answer(answers, setup["nonce"], Outcome("ready"))
    submission, loaded = None, None
    for line in requests:
        request = json.loads(line)
        if request["files"] != loaded:
            loaded = request["files"]
            files = {name: Source(path, text) for name, (path, text) in loaded.items()}
            submission = Submission(files, frozenset(request["names"]))
        faulthandler.dump_traceback_later(request["limit"], exit=True, file=answers)
        outcome = run_grader(getattr(graders[request["grader"]], request["test"]), submission, request["file"])
        faulthandler.cancel_dump_traceback_later()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        touched = guard.changed(before, tools) if setup["guarded"] else []
        if touched:
            outcome = Outcome(FAILED, f"the file changes {touched[0]}; what graders work with must stay as it is")
        answer(answers, request["nonce"], outcome, last=bool(touched))
        if touched:
            return


def answer(answers: IO[str], nonce: str, outcome: Outcome, last: bool = False) -> None:
    """Send an outcome. last: the process ends now, so that nobody must ask it for another."""
    reply = {"nonce": nonce, "status": outcome.status, "message": outcome.message, "last": last}
    answers.write(json.dumps(reply) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
