"""DyNet is set up before it is imported: what its libraries read from the environment is there in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SEEN_AT_IMPORT = """
import builtins, json, os, sys
real, seen = builtins.__import__, {}
def watched(name, *rest):
    if name == "dynet" and not seen:
        seen.update(os.environ)
    return real(name, *rest)
builtins.__import__ = watched
from common import runtime
runtime.configure(threads=%d)
import dynet
print(json.dumps([seen.get(name) for name in runtime.THREAD_VARIABLES]))
"""


@pytest.mark.parametrize(("threads", "expected"), [(3, ["3", "3", "3"]), (0, ["7", None, None])])
def test_threads_are_known_before_dynet_is_loaded(threads: int, expected: list[str | None]) -> None:
    """Asked for, they overrule the environment; not asked for, the environment stays as it is."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("NUM_THREADS")}
    environment["MKL_NUM_THREADS"] = "7"
    command = [sys.executable, "-c", SEEN_AT_IMPORT % threads]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[-1]) == expected
