"""The process that runs students' code: `python -m solutions.grading.server`, started by process.py only.

It loads DyNet, NumPy, the course, and either graders or exams, before any file of a student's. Where there is `fork` it
then makes a copy of itself for each request, and stays clean: the request and its answers go through a socket of their
own. Elsewhere it serves the requests itself, one after the other. A request and its answers are lines of JSON; each
answer repeats the request's nonce.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import json
import os
import socket
import sys
from pathlib import Path
from typing import IO

from solutions.grading import dynet_setup, guard, landlock, sandbox
from solutions.grading.execution import (
    FAILED,
    PASSED,
    Source,
    Submission,
    Substitution,
    explain,
    reseed,
    run_exam,
    run_grader,
)
from solutions.grading.forking import Forker
from solutions.public_exam import load_graders


def load(paths: list[str], imports: list[str]) -> dict[str, object]:
    """The modules of graders or exams, by path. What they and students' files will want is loaded, too."""
    for name in (*imports, "numpy.ma"):  # np.unique imports it when it is first called
        importlib.import_module(name)
    loaded = {path: load_graders(Path(path)) for path in paths}
    for path in paths:
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:  # in a function, for one
                importlib.import_module(node.module)
    return loaded


class Work:
    """What a process needs to serve requests."""

    def __init__(self, setup: dict):
        self.guarded, self.memory = setup["guarded"], setup["memory"]
        self.hidden = [Path(path) for path in setup["hidden"]]
        self.armed, self.loaded, self.submission = False, None, None
        dynet_setup.prepare()
        self.modules = load(setup["paths"], setup["imports"])
        reseed()  # what random numbers need is loaded by the first; a copy would have to load it

    def arm(self, seconds: float) -> None:
        """Give up what no exercise needs. What a process has given up it does not get back."""
        if self.armed:
            return
        self.armed = True
        sandbox.limit_resources(self.memory, seconds)
        if self.guarded:
            readable = guard.readable_places([folder.parent for folder in self.hidden])
            landlock.restrict(readable)
            if sandbox.can_refuse_calls():
                sandbox.refuse_calls()
            guard.arm(self.hidden, readable)

    def serve(self, request: dict, answers: IO[str]) -> None:
        """Run what the request names on the files that it brings, and answer as results come."""

        def tell(**reply: object) -> None:
            answers.write(json.dumps({"nonce": request["nonce"], **reply}) + "\n")
            answers.flush()

        self.arm(request["seconds"])
        tell(started=True)
        made_of = (request["files"], request["substitutions"])
        if made_of != self.loaded:
            self.loaded = made_of
            files = {name: Source(path, text) for name, (path, text) in made_of[0].items()}
            substitutions = {name: Substitution(text, names) for name, (text, names) in made_of[1].items()}
            self.submission = Submission(files, frozenset(request["modules"]), substitutions)
        for name in request["names"]:
            function = getattr(self.modules[request["path"]], name)
            faulthandler.dump_traceback_later(request["limit"], exit=True, file=answers)
            if request["seed"]:
                try:
                    for label, value in run_exam(function, self.submission, request["file"], request["seed"]):
                        tell(label=label, value=value)
                    tell(name=name, status=PASSED, message="")
                except BaseException as error:  # sys.exit and KeyboardInterrupt of a student's are not ours
                    outcome = explain(error, self.submission, request["task"])
                    tell(name=name, status=outcome.status, message=outcome.message)
            else:
                outcome = run_grader(function, self.submission, request["file"])
                tell(name=name, status=outcome.status, message=outcome.message)
                if outcome.status == FAILED and request["first"]:
                    break
        faulthandler.cancel_dump_traceback_later()
        show_mark(request["nonce"])
        tell(last=True)

    def serve_all(self, requests: IO[str], answers: IO[str]) -> None:
        """One request after the other, in this process."""
        for line in requests:
            self.serve(json.loads(line), answers)


def show_mark(nonce: str) -> None:
    """Print a mark behind all that was printed: the parent waits for it, but not long, as the stream may be closed."""
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.write(1, nonce.encode() + b"\n")
    except Exception:  # of an object that a student has put in a stream's place
        return


def main() -> None:
    sys.path = [folder for folder in sys.path if folder not in ("", os.getcwd())]  # where a student's code may write
    if len(sys.argv) > 1:
        channel = socket.socket(fileno=int(sys.argv[1]))
        requests = channel.makefile("r", encoding="utf-8", buffering=1)
        setup = json.loads(requests.readline())
        work = Work(setup)
        nested = bool(setup["nested"]) and sandbox.can_nest()
        channel.sendall(json.dumps({"ready": True, "nested": nested}).encode() + b"\n")
        Forker(work.serve_all, channel, nested).run()
        return
    requests, answers = take_pipes()
    work = Work(json.loads(requests.readline()))
    answers.write(json.dumps({"ready": True, "nested": False}) + "\n")
    answers.flush()
    work.serve_all(requests, answers)


def take_pipes() -> tuple[IO[str], IO[str]]:
    """The pipes to the parent; what is printed goes to standard error from now on, and there is no input."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    main()
