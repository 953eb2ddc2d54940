"""`python -m book.explorer` as a user starts it."""

from __future__ import annotations

import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from book.explorer import __main__ as program, timing
from book.explorer.timing import PREFIXES, report
from common.endings import restore_sigint
from tests.explorer_runs import train_runs
from tests.programs import start


@pytest.mark.needs("loopback")
def test_bad_flags_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, refuse_main: Callable, tmp_path: Path
) -> None:
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path))
    refused = partial(refuse_main, program.main, "--no-browser")
    assert "--port 70000: must be from 0 to 65535" in refused("--port", "70000")
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = str(busy.getsockname()[1])
        assert f"--port {port}: " in refused("--port", port)
    assert "no language model of the village; train one: make demo" in refused("--time", "--runs", tmp_path / "x")
    monkeypatch.setitem(sys.modules, "waitress", None)
    assert "the explorer needs flask and waitress; run: make explore" in refused()


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM"])
def test_it_serves_until_it_is_ended(tmp_path: Path, way: str) -> None:
    """On this machine's own address; to another name of it, it says nothing."""
    before = {"preexec_fn": restore_sigint} if sys.platform != "win32" else {}
    process = start(["-m", "book.explorer", "--runs", str(tmp_path), "--port", "0", "--no-browser"], **before)
    try:
        line = process.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http"))
        assert address.startswith("http://127.0.0.1:") and str(tmp_path) in line
        with urllib.request.urlopen(address, timeout=240) as answer:
            assert answer.status == 200 and "Explorer" in answer.read().decode("utf-8")
        foreign = urllib.request.Request(address, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(foreign, timeout=240)
        process.send_signal(signal.SIGTERM if sys.platform == "win32" else getattr(signal, way))
        assert process.wait(60) == 0 or sys.platform == "win32"
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_the_time_of_an_answer_is_told_for_each_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = train_runs(tmp_path / "runs", ("01_ngram_lm", "001", ()), ("06_attentive_lm", "001", ()))
    monkeypatch.setenv("COURSE_RUNS", str(root))
    monkeypatch.setattr(timing, "CORPUS", str(tmp_path / "runs-corpora" / "hamlet"))
    lines = report().splitlines()
    assert lines[0] == "2 models: 01_ngram_lm/001, 06_attentive_lm/001" and len(lines) == 2 + len(PREFIXES)
    for line, prefix in zip(lines[2:], PREFIXES, strict=True):
        assert line.endswith(repr(prefix or "<s>")) and int(line.split()[0]) >= 0
