"""Running a chapter's programs as a user does, on a corpus of a few invented sentences."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from common.chapters import chapter_module
from common.errors import ENDING
from common.programs.chapters import CHAPTERS
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training import report
from common.training.cli import flag_of
from common.training.loop import EpochRecord, Training
from common.training.presets import presets_of
from common.training.runs import fingerprint
from data.oracle import KNOWN_COUNT
from tests import forked

CHAPTER = "06_attentive_lm"
ROOT = CHAPTERS.parent
TINY = ["--hidden-size", "8", "--epochs", "2", "--batch-size", "8"]
SUBJECTS = ["the hen", "a goat", "the old farmer", "mira", "anton", "every grey duck"]
VERBS = ["sees", "follows", "feeds", "waits for"]


def restore_signals() -> None:
    """To be called in a new process: whoever runs the tests may ignore signals (as `nohup` does, and a shell for what
    runs in its background), and then so do the children."""
    for name in ("SIGINT", *ENDING):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def write_corpus(folder: Path, seed: int = 1, train: int = 80, others: int = 15) -> Path:
    """Invented sentences in three splits. The test split ends with a word that is nowhere else."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    for split, number in (("train", train), ("dev", others), ("test", others)):
        sentences = [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(SUBJECTS)} ." for _ in range(number)]
        if split == "test":
            sentences.append("the hen feeds a wombat .")
        write_lines(folder / f"{split}.txt", sentences)
    return folder


def write_small_village(folder: Path, others: int = 40) -> Path:
    """The village with the first sentences of train that give a model of it all the words that it knows."""
    village, folder = load_corpus("village"), Path(folder)
    vocabulary, selected, counts = set(Vocabulary.from_sentences(village.train, KNOWN_COUNT).words), [], Counter()
    for sentence in village.train:
        if any(word in vocabulary and counts[word] < KNOWN_COUNT for word in sentence):
            selected.append(sentence)
            counts.update(sentence)
    folder.mkdir(parents=True)
    for name, sentences in (("train", selected), ("dev", village.dev[:others]), ("test", village.test[:others])):
        write_lines(folder / f"{name}.txt", map(" ".join, sentences))
    return folder


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path


def metrics_of(run: Path) -> dict:
    return json.loads((run / "metrics.json").read_text(encoding="utf-8"))


def comparable(run: Path) -> dict:
    """metrics.json without what may differ between two runs with the same seed: what the clock says."""
    metrics = metrics_of(run)
    del metrics["seconds"], metrics["tokens_per_second"]
    for record in metrics["epochs"]:
        del record["seconds"]
    return metrics


def edit_settings(run: Path, **changes: object) -> None:
    """Change settings in config.json as if the run had begun with them."""
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["settings"] |= changes
    config["fingerprints"]["settings"] = fingerprint(config["settings"])
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")


def copy_run(run: Path, folder: Path) -> tuple[Path, Path]:
    """A copy of a finished run in `folder`/run, of a corpus that is copied to `folder`/farm; both, to be changed."""
    settings = json.loads((run / "config.json").read_text(encoding="utf-8"))["settings"]
    corpus = shutil.copytree(settings["corpus"], folder / "farm")
    edit_settings(Path(shutil.copytree(run, folder / "run")), corpus=str(corpus))
    return folder / "run", Path(corpus)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def leftovers(folder: Path) -> list[Path]:
    """Files that are not whole."""
    return sorted(folder.rglob("*.part"))


def state_of(pid: int) -> str:
    """One letter for what a process does (Linux): Z where it has ended; nothing where there is none any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2]
    except OSError:
        return ""


def error_line(stderr: str) -> str:
    """The one line that bad input gets. Fails where there are more, or another."""
    lines = [line for line in stderr.splitlines() if line and not line.startswith("[dynet]")]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("error: "), stderr
    return lines[0]


def start(command: Sequence[str], **options) -> subprocess.Popen:
    """A Python process with one thread, in the repository."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8", **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        encoding="utf-8",
        env=environment,
        **options,
    )


def run_python(*command: str, stdin: str = "", fresh: bool = False, **options) -> subprocess.CompletedProcess:
    """`python COMMAND` in a process of its own.

    fresh: whether it starts from nothing, for a test of what is loaded, or of what DyNet reads when it is loaded.
    """
    if forked.FORKS and not fresh:
        return forked.run_forked(command, stdin, **options)
    process = start(command, **options)
    stdout, stderr = process.communicate(stdin, timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def run_program(name: str, *arguments: str, chapter: str = CHAPTER, **options) -> subprocess.CompletedProcess:
    """`python chapters/CHAPTER/NAME.py ARGUMENTS`, in a process of its own."""
    return run_python(str(CHAPTERS / chapter / f"{name}.py"), *arguments, **options)


Call = Callable[..., None]
Refused = Callable[..., str]


def make_refused(call: Call, capsys: pytest.CaptureFixture) -> Refused:
    """A function that runs a program which must be refused: exit status 2, one line on standard error, returned."""

    def run(program: str, *arguments: object) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            call(program, *arguments)
        assert stopped.value.code == 2
        return error_line(capsys.readouterr().err)

    return run


class Killed(BaseException):
    """Not an Exception, so that nothing in the product takes it for an error."""


def call_and_kill(call: Call, monkeypatch: pytest.MonkeyPatch, *arguments: object, after: int = 1) -> None:
    """Run train.py, which dies after its first epoch, or a later one."""
    finish = Training.finish_epoch

    def finish_and_die(self: Training, record: EpochRecord) -> None:
        finish(self, record)
        if record.epoch == after:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Training, "finish_epoch", finish_and_die)
        call("train", *arguments)


def unwrapped(text: str) -> str:
    """A text without its white space: help is broken to the width of the terminal, between words and after hyphens."""
    return "".join(text.split())


def check_help(call: Call, chapter: str, capsys: pytest.CaptureFixture) -> None:
    """train.py --help tells every setting of the chapter and every preset."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        call("train", "--help")
    assert stopped.value.code == 0
    text = unwrapped(capsys.readouterr().out)
    settings = chapter_module(chapter, "settings")
    presets = presets_of(chapter)
    assert settings.CHAPTER == chapter and presets["quick"] == {}
    for field in dataclasses.fields(settings.Settings):
        flag = re.escape(flag_of(field.name))
        assert re.search(rf"{flag}.*{re.escape(unwrapped(field.metadata['help']))}", text), field.name
        if field.default not in ("", False, dataclasses.MISSING):
            assert unwrapped(f"(default: {field.default})") in text, field.name
    for preset in presets:
        assert preset in text.partition("presets:")[2]


def check_run(run: Path, chapter: str, references: dict[str, list[list[str]]], most: float) -> dict:
    """The metrics of a finished run on the farm, which say what it was and how good on the sentences of each split; a
    perplexity has to be below `most`. There is nothing half-written."""
    metrics, log = metrics_of(run), (run / "log.txt").read_text("utf-8")
    assert {"versions", "epochs", "dev", "test"} <= metrics.keys()
    assert [metrics[key] for key in ("chapter", "preset", "corpus", "seed")] == [chapter, "quick", "farm", 1]
    assert metrics["parameters"] > 0 and metrics["tokens_per_second"] > 0 and metrics["seconds"] > 0
    for split, sentences in references.items():
        figures = metrics[split]
        assert figures["sentences"] == len(sentences)
        assert figures["predictions"] == sum(len(sentence) + 1 for sentence in sentences)
        assert figures["perplexity"] == pytest.approx(math.exp(-figures["log_prob"] / figures["predictions"]))
        assert 1 < figures["perplexity"] < most
    assert metrics["test"]["unknown"] == 1, "the wombat"
    assert leftovers(run) == []
    assert f"{metrics['test']['perplexity']:.2f}" in log and str(run) in log
    return metrics


def check_damaged_run(run: Path, folder: Path, refused: Refused, *command: object) -> Path:
    """A model that is cut short or missing, and a run of another chapter, are refused by this command with --run; the
    copy of the run, in `folder`, without its model."""
    copy = Path(shutil.copytree(run, folder / "copy"))
    model, config = copy / "model.npz", json.loads((copy / "config.json").read_text("utf-8"))
    model.write_bytes(model.read_bytes()[: model.stat().st_size // 2])
    assert "model.npz" in refused(*command, "--run", copy)
    model.unlink()
    assert "model.npz" in refused(*command, "--run", copy)
    write_lines(copy / "config.json", [json.dumps({**config, "chapter": "07_other"})])
    assert "a run of chapter 07_other" in refused(*command, "--run", copy)
    write_lines(copy / "config.json", [json.dumps(config)])
    return copy


def make_call(monkeypatch: pytest.MonkeyPatch, chapter: str = CHAPTER, curve: bool = False) -> Call:
    """A function that runs a program's `main` in this process, where DyNet is set up already: call(name, *flags).

    curve: whether train.py draws its learning curve, which takes longer than training a small model.
    """

    def call(name: str, *arguments: object) -> None:
        module = chapter_module(chapter, name)
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        with pytest.MonkeyPatch.context() as patched:
            if not curve:
                patched.setattr(report, "draw_history", lambda *_: None)
            module.main()

    return call
