"""A server that copies itself for each request, so that no submission meets what another one has left behind."""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import time
import traceback
from collections.abc import Callable
from os import _exit as leave
from typing import IO

from solutions.grading import sandbox

NO_PROCESS = "no process"


class Forker:
    """A server that copies itself for each request. `channel` brings for each a byte and three descriptors: the socket
    of the request, where to print, and a leash: when the other end of that is closed, the copy must end, and when the
    copy has ended, its status is sent there. In the copy, `serve_all` gets the request and where to answer."""

    def __init__(self, serve_all: Callable[[IO[str], IO[str]], None], channel: socket.socket, nested: bool):
        self.serve_all, self.channel, self.nested = serve_all, channel, nested
        self.leashes: dict[int, socket.socket] = {}

    def run(self) -> None:
        ended, wakeup = socket.socketpair()
        for end in (ended, wakeup):
            end.setblocking(False)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.channel, selectors.EVENT_READ, 0)
        self.selector.register(ended, selectors.EVENT_READ, -1)
        gc.collect()
        gc.freeze()
        while True:
            for key, _ in self.selector.select():
                if key.data == 0:
                    if not self.begin():
                        return
                elif key.data == -1:
                    ended.recv(4096)
                    self.collect()
                elif key.data in self.leashes:  # the parent has let go, or wants the end
                    self.end(key.data)

    def begin(self) -> bool:
        """Make a copy for a request; whether there was one."""
        data, descriptors, _, _ = socket.recv_fds(self.channel, 1, 3)
        if not data:
            return False
        request, printed, leash = descriptors
        problem = ""
        for pause in (0.1, 0.3, 1.0, 3.0, 0.0):  # on a busy machine there may be no process to be had for a moment
            try:
                pid = sandbox.fork(self.nested)
                break
            except OSError as error:
                pid, problem = -1, f"{NO_PROCESS}: {error}"
                time.sleep(pause)
        if pid == 0:
            try:
                self.be_a_copy(request, printed)
            except BaseException:
                traceback.print_exc()
            finally:
                leave(0)
        for descriptor in (request, printed):
            os.close(descriptor)
        leash_socket = socket.socket(fileno=leash)
        if pid > 0:
            self.leashes[pid] = leash_socket
            self.selector.register(leash_socket, selectors.EVENT_READ, pid)
        else:
            leash_socket.sendall(f"{problem}\n".encode())
            leash_socket.close()
        return True

    def be_a_copy(self, request: int, printed: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (printed, 1), (printed, 2), (request, 3)):
            os.dup2(source, target)
        os.closerange(4, 1024)
        for inherited in (self.channel, *self.leashes.values()):
            inherited.detach()
        with open(3, encoding="utf-8", closefd=False) as requests, open(3, "w", encoding="utf-8") as answers:
            self.serve_all(requests, answers)

    def end(self, pid: int) -> None:
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        self.selector.unregister(self.leashes.pop(pid))

    def collect(self) -> None:
        """The copies that have ended, and whatever else was left to this process: say so, and end their groups."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            leash = self.leashes.get(pid)
            if leash:
                self.end(pid)
                try:
                    leash.send(f"{os.waitstatus_to_exitcode(status)}\n".encode())
                except OSError:
                    pass
                leash.close()
