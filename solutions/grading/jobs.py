"""What is said between a grading and the processes that run students' code: requests, answers, and how it ends."""

from __future__ import annotations

import json
import os
import queue
import re
import secrets
import socket
import struct
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from solutions.grading.execution import FAILED, PASSED, Outcome, Source, Substitution
from solutions.grading.printed import Printed, escaped
from solutions.sets import Task

START = 120.0
"""Seconds that a server may take to load the graders, on a slow disk."""
LONGEST = 4_000_000
"""Bytes of answers to one request that are read."""


@dataclass
class RunResult:
    """What came of a request. record: of an exam, pairs. outcomes: of each grader or exam that was run, by its name.

    started: whether the process came to the student's code at all; where it did not, the machine is to blame. process:
    its number among those that several requests had. stuck: the student's file whose loading took too long, or "".
    """

    started: bool = False
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    record: list[tuple[str, object]] = field(default_factory=list)
    printed: str = ""
    process: int = 0
    stuck: str = ""


@dataclass(frozen=True)
class Request:
    """Run functions of a file of graders or exams on a submission. seed: of an exam. first: stop at what fails.

    stays: the process may serve the next request also where something has failed, which no student's may.
    """

    path: Path
    names: Sequence[str]
    task: Task
    files: dict[str, Source]
    substitutions: dict[str, Substitution] = field(default_factory=dict)
    seed: str = ""
    first: bool = False
    stays: bool = False


class Job:
    """A process that takes requests: lines of answers, bytes that were printed, and the end. It can `send` a request,
    say how it ended (`status`), and end (`close`), if it has not ended."""

    longest = LONGEST

    def __init__(self) -> None:
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.printed = Printed()
        self.clean = False

    def listen(self, answers: BinaryIO, printed: BinaryIO | None) -> None:
        self.readers = [threading.Thread(target=self._read_answers, args=(answers,), daemon=True)]
        if printed is not None:
            self.readers.append(threading.Thread(target=self.printed.read, args=(printed,), daemon=True))
        for reader in self.readers:
            reader.start()

    def _read_answers(self, answers: BinaryIO) -> None:
        left, line = self.longest, b"..."
        try:
            while left > 0 and line:
                line = answers.readline(left)
                left -= len(line)
                if line:
                    self.lines.put(line)
        except (OSError, ValueError):
            pass
        self.lines.put(None)


class ForkedJob(Job):
    """A copy of the server.

    Only sending has a time limit, which the system keeps: `settimeout` would make the socket one that does not wait,
    and the thread that reads from it at this moment would believe that the copy has ended.
    """

    def __init__(self, channel: socket.socket):
        super().__init__()
        self.socket, theirs = socket.socketpair()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", int(START), 0))
        self.leash, end = socket.socketpair()
        reading, writing = os.pipe()
        try:
            socket.send_fds(channel, [b"j"], [theirs.fileno(), writing, end.fileno()])
        finally:
            theirs.close()
            end.close()
            os.close(writing)
        self.pipe = open(reading, "rb", buffering=0)
        self.listen(self.socket.makefile("rb"), self.pipe)
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        """Until the process has ended; then nothing more can come, even if something of it still holds the socket."""
        try:
            self.ended = self.leash.recv(100).decode("ascii", "replace").strip()
        except OSError:
            self.ended = ""
        try:
            self.socket.shutdown(socket.SHUT_WR)
            self.readers[0].join(2)  # so that a busy machine loses nothing of what was said
            self.socket.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def status(self) -> str:
        for _ in range(500):  # a busy server takes its time
            if hasattr(self, "ended"):
                break
            time.sleep(0.01)
        return getattr(self, "ended", "")

    def close(self) -> None:
        for end in (self.leash, self.socket):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for reader in self.readers:
            reader.join(0.2)
        for end in (self.leash, self.socket, self.pipe):
            end.close()


class AloneJob(Job):
    """A server that does not fork, and that is ended where not all went well."""

    longest = sys.maxsize

    def __init__(self, server: Any, answers: BinaryIO, printed: Printed):
        super().__init__()
        self.server, self.printed = server, printed
        self.listen(answers, None)

    def send(self, data: bytes) -> None:
        self.server.input.write(data)
        self.server.input.flush()

    def status(self) -> str:
        return str(self.server.process.wait())

    def close(self) -> None:
        if not self.clean:
            self.server._kill()


def converse(job: Job, request: Request, limit: float, seconds: float) -> tuple[RunResult, bool]:
    """Send a request, and take the answers until the process has ended or is too slow; whether all went well.

    seconds: of processor time, for all requests of the process.
    """
    ran, nonce, noise = RunResult(), secrets.token_hex(16), []
    message, done = "", False
    job.printed.forget()
    try:
        job.send(encode(request, limit, nonce, seconds))
    except OSError:
        message = "the process ended by itself before the check was through"
    while not (message or done):
        try:
            line = job.lines.get(timeout=limit + 3)
        except queue.Empty:
            message = f"no answer after {limit:g} seconds: is there a loop that never ends?"
            break
        answer = decode(line) if line is not None else {"end": True}
        if answer is not None and answer.get("nonce") == nonce:
            done = bool(answer.get("last"))
            ran.started = True
            if "label" in answer:
                ran.record.append((str(answer["label"]), answer.get("value")))
            elif "name" in answer:
                ran.outcomes[str(answer["name"])] = Outcome(
                    str(answer.get("status")), escaped(str(answer.get("message")))
                )
        elif line is None:
            paths = {source.path for source in request.files.values()}
            message, ran.stuck = how_it_ended(noise, paths, limit, job)
        elif len(noise) < 1000:
            noise.append(line.decode("utf-8", "replace"))
    clean = done and (request.stays or all(outcome.status == PASSED for outcome in ran.outcomes.values()))
    if not clean:
        job.close()  # so that all is there that was printed
    else:
        job.printed.wait_for(nonce)
    ran.printed = job.printed.text(nonce)
    for name in request.names:
        failed = any(outcome.status != PASSED for outcome in ran.outcomes.values())
        if name not in ran.outcomes and not (done and request.first and failed):
            ran.outcomes[name] = Outcome(FAILED, message or "the file ended the process")
            message = GONE
    return ran, clean


GONE = "not graded: an earlier check of this exercise ended the process"


def encode(request: Request, limit: float, nonce: str, seconds: float) -> bytes:
    task, parts = request.task, (request.files, request.substitutions)
    files, substitutions = ({name: astuple(value) for name, value in part.items()} for part in parts)
    message = {"path": os.fspath(request.path), "names": [*request.names], "task": task.number, "file": task.file}
    message |= {"modules": [*task.exercises.answers], "seed": request.seed, "first": request.first}
    message |= {"files": files, "substitutions": substitutions, "limit": limit, "seconds": seconds, "nonce": nonce}
    return json.dumps(message).encode() + b"\n"


def how_it_ended(noise: list[str], paths: set[str], seconds: float, job: Job) -> tuple[str, str]:
    """The process is gone: a message, and the file that was still being loaded when the time was up, or "", as it would
    take as long for any other task. If it was the time limit, the process has reported where it was.
    """
    if not any(line.startswith("Timeout") for line in noise):
        return f"the file ended the process (status {job.status() or 'unknown'})", ""
    places = (re.match(r'\s*File "(.*)", line (\d+) in (.*)', line) for line in noise)
    own = [place for place in places if place and place[1] in paths]
    where = f"{own[0][1]}, line {own[0][2]}: " if own else ""
    stuck = next((place[1] for place in own if place[3] == "<module>"), "")
    return f"{where}still running after {seconds:g} seconds: a loop that never ends?", stuck


def decode(line: bytes) -> dict | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
