"""Ctrl-C at any moment of a program's life, while it imports its libraries above all, is one line and status 130."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common import errors
from common.endings import restore_sigint
from common.errors import exits_cleanly
from tests.programs import ROOT, restore_signals, write_corpus


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """What is done about signals is afterwards as it was."""
    numbers = [getattr(signal, name) for name in ("SIGINT", *errors.ENDING)]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


SITE = """
# Python imports this file first. It presses Ctrl-C when the module named in INTERRUPT_AT is about to be imported.
import os, signal, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Watch())
"""

TRAIN = "chapters/06_attentive_lm/train.py"
MOMENTS = {
    TRAIN: "dynet_config numpy numpy.linalg _dynet common.training.setup chapters.attentive_lm.settings",
    "chapters/03_neural_networks/train.py": "chapters.neural_networks.plots matplotlib.pyplot",
    "-m data show village": "data.download ssl",
    "-m tools.align": "numpy common.text.ibm_model1",
    "-m exercises next": "exercises.commands",
    "-m solutions check": "solutions.grade",
}
"""Programs, and modules of which they import none before Ctrl-C."""


def interrupted(command: list[str], module: str, folder: Path) -> subprocess.CompletedProcess:
    (folder / "sitecustomize.py").write_text(SITE, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "INTERRUPT_AT": module, "COURSE_RUNS": str(folder)}
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True}
    prepare = restore_sigint if os.name == "posix" else None
    return subprocess.run([sys.executable, *command], preexec_fn=prepare, timeout=120, **options)


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize(
    "command, module", [(command, module) for command, modules in MOMENTS.items() for module in modules.split()]
)
def test_while_libraries_are_imported(command: str, module: str, tmp_path: Path) -> None:
    done = interrupted(command.split(), module, tmp_path)
    assert (done.returncode, done.stderr) == (130, "\ninterrupted\n")


@pytest.mark.needs("time")
def test_in_the_middle_of_the_work(tmp_path: Path) -> None:
    """After the imports a KeyboardInterrupt is raised: what was being written is tidied up."""
    corpus = write_corpus(tmp_path / "farm")
    train = [TRAIN, "--corpus", str(corpus), "--run-dir", str(tmp_path / "run"), "--from", "exercises"]
    done = interrupted(train, "solutions.substitute", tmp_path)  # imported by main, for --from
    assert (done.returncode, done.stderr) == (130, "\ninterrupted\n")
    assert not (tmp_path / "run").exists()


TIDY = """
import sys, tempfile, time
sys.argv[:1] = ["-m"]
import tools
from common.errors import exits_cleanly

@exits_cleanly
def main():
    with tempfile.TemporaryDirectory(dir={folder!r}):
        print("begun", flush=True)
        time.sleep(60)

main()
"""


@pytest.mark.needs("time")
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("name", [*errors.ENDING, "SIGINT"])
def test_a_signal_leaves_no_temporary_folder(name: str, tmp_path: Path) -> None:
    """And the process ends as the signal would have ended it, which schedulers and shells look at."""
    code = TIDY.format(folder=str(tmp_path))
    options = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    number = getattr(signal, name)
    with subprocess.Popen([sys.executable, "-c", code], preexec_fn=restore_signals, **options) as process:
        assert process.stdout.readline() == "begun\n" and list(tmp_path.iterdir())
        process.send_signal(number)
        _, message = process.communicate(timeout=30)
    assert list(tmp_path.iterdir()) == []
    ours = name == "SIGINT"
    assert (process.returncode, message) == ((130, "\ninterrupted\n") if ours else (-number, ""))


IN_THE_MIDDLE = """
import atexit, signal
from pathlib import Path
from common import errors

errors.exit_on_sigint()
atexit.register(Path({file!r}).unlink)

@errors.exits_cleanly
def main():
    try:
        Path({file!r}).touch()
    finally:
        signal.raise_signal(signal.{name})  # as when a terminal is closed: first its input ends, then the signal comes
        Path({file!r}).unlink()

main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("name", errors.ENDING)
def test_a_signal_in_the_middle_of_tidying_up_leaves_nothing(name: str, tmp_path: Path) -> None:
    code = IN_THE_MIDDLE.format(file=str(tmp_path / "left"), name=name)
    options = {"cwd": ROOT, "preexec_fn": restore_signals, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", code], **options)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (-getattr(signal, name), "", [])


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_whoever_ignores_a_signal_is_obeyed() -> None:
    """As `nohup` does; and outside of `main` a signal ends the process at once, as it always did."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    errors.exit_on_sigint()

    @exits_cleanly
    def main() -> None:
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is errors.interrupt
        errors.exit_on_sigint()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL

    main()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_an_import_in_c_that_was_interrupted(capsys: pytest.CaptureFixture) -> None:
    """pybind11 makes an `ImportError` of Ctrl-C, with what happened as its cause."""

    @exits_cleanly
    def main() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    with pytest.raises(SystemExit) as stopped:
        exits_cleanly(main)()
    assert stopped.value.code == errors.INTERRUPTED and capsys.readouterr().err == "\ninterrupted\n"
    with pytest.raises(ImportError):
        exits_cleanly(lambda: importlib.import_module("no_such_library"))()


def test_whoever_wants_interrupts_ignored_is_obeyed() -> None:
    """As a shell does for programs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    errors.exit_on_sigint()
    seen: list = []
    exits_cleanly(lambda: seen.append(signal.getsignal(signal.SIGINT)))()
    assert seen == [signal.SIG_IGN] and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
