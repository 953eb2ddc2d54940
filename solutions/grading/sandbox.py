"""What the system itself takes away from a student's process: the network, other files, other processes, resources.

Two layers. `command` puts a whole server into bubblewrap (Linux): no network, nothing of the disk but Python and a
read-only copy of the course. `fork` then gives each process that the server forks namespaces of its own inside, so that
no student's process sees another's, nor the server. Limits of resources hold everywhere where Python has `resource`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call that makes processes, and threads."""
REFUSED = {
    "x86_64": (57, 58, 59, 322, 41, 53, 101, 310, 311, 165, 272, 308, 425, 62, 200, 234, 424, 85, 82, 264, 316, 87, 263,
               84, 86, 265, 88, 266, 83, 258, 133, 259, 76, 77, 90, 91, 268, 92, 93, 94, 260, 188, 189, 190),
    "aarch64": (221, 281, 198, 199, 117, 270, 271, 40, 97, 268, 425, 129, 130, 131, 424, 38, 276, 35, 37, 36, 34, 33,
                45, 46, 52, 53, 54, 55, 5, 6, 7),
}  # fmt: skip
"""Those that make processes in other ways, run programs, make sockets, trace, mount, make or enter namespaces, send
signals, and those that rename, remove, link, make, cut off or change files and folders."""
OPEN = {"x86_64": ((2, 24), (257, 32)), "aarch64": ((56, 32),)}
"""Those that open a file, and the position of their flags: a file may be opened to be read only."""
CLONE3, OPEN2, ARCHITECTURE = 435, 437, {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEW_MOUNTS, NEW_IPC, NEW_USERS, NEW_PROCESSES = 0x20000, 0x8000000, 0x10000000, 0x20000000
NO_SUID, NO_DEVICES, NO_EXEC, READ_ONLY = 2, 4, 8, 1
NO_NEW_PRIVILEGES, SECCOMP, CAPABILITIES_VERSION = 38, 22, 0x20080522
SCRATCH = 16
"""Megabytes of a student's own temporary folder."""
FILES = 128
NOBODY = 65534
OWN_FOLDER = "/scratch"
"""Where an isolated process may write; not /tmp, which may hold the Python that runs it."""

COURSE = "/course"
"""Where a process in bubblewrap sees the copy of the course."""


def limit_resources(gigabytes: float, seconds: float) -> None:
    """Limit memory, processor time, open files, and set what may be written to nothing, where one can."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    limits = {"AS": int(gigabytes * 2**30), "CPU": int(seconds) + 5, "NOFILE": FILES, "FSIZE": 0, "CORE": 0}
    for name, size in limits.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (size, size))
        except (AttributeError, ValueError, OSError):
            continue


@cache
def has_bubblewrap() -> bool:
    """Whether bubblewrap is installed and allowed to make namespaces here."""
    if sys.platform != "linux" or not shutil.which("bwrap"):
        return False
    try:
        tried = subprocess.run(command(Path("/usr")) + [sys.executable, "-c", ""], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def command(course: Path) -> list[str]:
    """bubblewrap's arguments before a program that shall see Python and one folder only, and cannot write to either."""
    arguments = ["bwrap", "--unshare-all", "--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY),
                 "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev",
                 "--tmpfs", OWN_FOLDER]  # fmt: skip
    for path in ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"):
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            arguments += ["--ro-bind", path, path]
    for path in python_folders():
        arguments += ["--ro-bind", path, path]
    return [*arguments, "--ro-bind", str(course), COURSE, "--chdir", OWN_FOLDER, "--"]


def python_folders() -> list[str]:
    """The folders of this Python and its packages that are not below /usr."""
    names = (sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")))
    folders = sorted({os.path.abspath(name) for name in names} | {os.path.realpath(sys.base_prefix)})
    return [path for path in folders if not path.startswith("/usr/") and path != "/usr" and os.path.isdir(path)]


def can_nest() -> bool:
    """Whether `fork` can give a process namespaces of its own: tested inside bubblewrap, before anything else runs."""
    if not can_refuse_calls():
        return False
    try:
        pid = fork(nested=True)
    except OSError:
        return False
    if pid == 0:
        os._exit(0 if not os.listdir("/proc") and os.getpid() == 1 else 1)
    return os.waitpid(pid, 0)[1] == 0


def fork(nested: bool) -> int:
    """`os.fork`. nested: into new namespaces, with an empty /proc and an empty folder of its own."""
    if not nested:
        return os.fork()
    libc = ctypes.CDLL(None, use_errno=True)
    flags = NEW_MOUNTS | NEW_IPC | NEW_USERS | NEW_PROCESSES | signal.SIGCHLD
    sys.stdout.flush()
    pid = libc.syscall(CLONE[platform.machine()], flags, 0, 0, 0, 0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "no namespaces of its own")
    if pid == 0:
        try:
            ctypes.pythonapi.PyOS_AfterFork_Child()
            enter(libc)
        except BaseException:
            os._exit(111)
    return pid


def enter(libc: ctypes.CDLL) -> None:
    """In a process with new namespaces: a user without rights, a small folder for itself, no view of processes."""
    id_map = f"{NOBODY} {NOBODY} 1"
    for name, text in (("setgroups", "deny"), ("uid_map", id_map), ("gid_map", id_map)):
        Path(f"/proc/self/{name}").write_text(text)
    quota = f"size={SCRATCH}m,nr_inodes=1000".encode()
    for place, flags, data in ((OWN_FOLDER.encode(), 0, quota), (b"/proc", READ_ONLY, b"size=0,nr_inodes=1")):
        flags |= NO_SUID | NO_DEVICES | NO_EXEC
        if libc.mount(b"tmpfs", place, b"tmpfs", ctypes.c_ulong(flags), data):
            raise OSError(ctypes.get_errno(), "no folder of its own")
    os.chdir(OWN_FOLDER)
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing):
        raise OSError(ctypes.get_errno(), "rights that cannot be given up")


def can_refuse_calls() -> bool:
    return sys.platform == "linux" and platform.machine() in CLONE


def refuse_calls() -> None:
    """From now on the kernel refuses this process new processes, programs, sockets and any change of a file (Linux).

    Threads are allowed. The filter is a small program for the kernel: each line an operation, how many lines to skip
    where it holds and where it does not, and a number.
    """
    libc, machine = ctypes.CDLL(None, use_errno=True), platform.machine()
    load, equal, any_bit, leave = 0x20, 0x15, 0x45, 0x06
    allow, refuse, unknown, end = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000  # with EPERM, with ENOSYS
    code = [(load, 0, 0, 4), (equal, 1, 0, ARCHITECTURE[machine]), (leave, 0, 0, end), (load, 0, 0, 0)]
    for number in REFUSED[machine]:
        code += [(equal, 0, 1, number), (leave, 0, 0, refuse)]
    for number in (CLONE3, OPEN2):
        code += [(equal, 0, 1, number), (leave, 0, 0, unknown)]  # which lets libraries fall back on the older calls
    for number, flags in OPEN[machine]:
        writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
        code += [(equal, 0, 4, number), (load, 0, 0, flags), (any_bit, 0, 1, writing), (leave, 0, 0, refuse)]
        code += [(leave, 0, 0, allow)]
    code += [
        (equal, 0, 3, CLONE[machine]),
        (load, 0, 0, 16),
        (any_bit, 1, 0, 0x10000),
        (leave, 0, 0, refuse),
    ]  # a thread
    code += [(leave, 0, 0, allow)]
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    filter_code = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(filter_code)), 16)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, 2, pointer, 0, 0):
        raise OSError(ctypes.get_errno(), "calls that cannot be refused")
