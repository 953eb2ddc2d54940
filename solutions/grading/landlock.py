"""Which files a process may read at all, by the kernel's word: Landlock, which Linux has since 5.13, for everybody.

It needs neither rights nor programs, and so it holds where there is no bubblewrap, and C extensions obey it as well.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

from solutions.grading.sandbox import NO_NEW_PRIVILEGES

CREATE, ADD, RESTRICT = 444, 445, 446
"""The numbers of the system calls, on every machine."""
EXECUTE, READ_FILE = 1 << 0, 1 << 2
BENEATH = 1


def restrict(readable: list[Path]) -> bool:
    """From now on this process can open only what lies in these places. Whether the kernel has it; it is for good."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    handled = struct.pack("Q", EXECUTE | READ_FILE)
    rules = libc.syscall(CREATE, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    try:
        for path in readable:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", EXECUTE | READ_FILE, place)
            failed = libc.syscall(ADD, rules, BENEATH, rule, 0)
            os.close(place)
            if failed:
                return False
        return not libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) and not libc.syscall(RESTRICT, rules, 0)
    finally:
        os.close(rules)
