"""Damaged files: whatever a program opens may be damaged by then; it is read all the same, or refused in one line."""

from __future__ import annotations

import hashlib
import importlib
import os
import random
import sys
from pathlib import Path

from common import program_of
from common.endings import one_line

from .cases import COUNTED
from .field import TRAININGS
from .forks import Fault
from .programs import Programs
from .structures import damage

UNREAD = ("log.txt", ".lock")
"""What nobody reads but people, and what is only locked."""
ALLOWED = (*UNREAD, *"vocab.txt source_vocab.txt unigram.txt subwords.spm metrics.json model.json".split())
BACKWARD = "backward/corpus"
"""What a program that refuses its input may have changed all the same, whole: a run that is resumed writes its words
and what its model is before it reads the checkpoint, and one that trains both directions the pairs turned round."""
DIVERGED = "lower --learning-rate"
"""What a training says that was not refused but began, with weights that are numbers, and diverged; its run stays."""
TEXTS = (".txt", ".source", ".target", ".trees", ".align", ".arpa")
"""Ends of the names of files that are texts."""

RIGHT = """
tools.compare runs/07_encoder_decoder/translation runs/08_attention/attention --resamples 20
tools.compare runs/06_attentive_lm/attentive runs/05_rnn_lm/recurrent
tools.analyse --by length runs/07_encoder_decoder/translation runs/08_attention/attention
tools.analyse --by frequency runs/07_encoder_decoder/translation
tools.analyse --by phenomenon runs/05_rnn_lm/villagers
tools.analyse --by attention runs/09_word_attention/gates
tools.analyse --by distance runs/06_attentive_lm/attentive
tools.analyse --by gain --system a runs/05_rnn_lm/recurrent
tools.analyse --by recurrence --cache a --system a runs/05_rnn_lm/streams
tools.analyse --by build --build a runs/07_encoder_decoder/translation --build b runs/again
tools.experiment decoders --finished --seeds 1 --corpus pairs --systems default
tools.experiment variants --finished --seeds 1 --systems gates-word-gated --resamples 20 --out new
data get ptb --from ptb.zip --to installed --unverified
data get wikitext2 --from wiki.zip --to installed --unverified
data get tanaka --from pairs.zip --to installed --unverified
"""
"""Command lines that fit the field: most of those that are drawn for these programs are refused before they read."""


class Inputs(Programs):
    """Each case runs one program with values that make sense, and damages one file of those that it opens, or two, or
    shortens all texts."""

    name = "inputs"
    wrong = 0.0

    def draw(self, name: str, rng: random.Random) -> list[str]:
        """A command line that makes sense; half of them are of `RIGHT`, or resume a run, where there is one."""
        lines = [line.split()[1:] for line in RIGHT.splitlines() if line.startswith(f"{name} ")]
        for run, training in TRAININGS.items():
            if program_of(training.chapter, "train") == name:
                lines.append([*training.arguments, "--resume", "--run-dir", f"runs/{training.chapter}/{run}"])
        return rng.choice(lines) if lines and rng.random() < 0.5 else super().draw(name, rng)

    def begin(self, here: Path, rng: random.Random) -> None:
        before = {os.path.relpath(path, here): checksum(path) for path in here.rglob("*") if path.is_file()}
        see_refusals(here, before)
        damage_when_opened(here, before, rng)


def damage_when_opened(here: Path, before: dict[str, str], rng: random.Random) -> None:
    """From now on files below `here` that were there before may be damaged when this process first opens them.

    before: their checksums, kept up to date. What was done is told, for the one who replays the case.
    """
    lines = rng.choice((1, 1, 2, 3)) if rng.random() > 0.9 else 0
    left, kind, seen, busy = rng.choice((1, 1, 1, 2)), rng.choice(("", "", ".npz", ".json")), set(), False

    def look(event: str, arguments: tuple) -> None:
        nonlocal busy
        if event != "open" or busy or isinstance(arguments[0], int) or arguments[2] & (os.O_WRONLY | os.O_RDWR):
            return
        name = os.path.relpath(os.fsdecode(arguments[0]), here)
        if name in before and name not in seen and Path(name).name not in UNREAD:
            busy = True  # what is opened from here is not what the program opens
            seen.add(name)
            open_damaged(name)
            busy = False

    def open_damaged(name: str) -> None:
        nonlocal left
        path = here / name
        share = 0.6 * (path.suffix == kind) if kind else 0.3  # a model is opened after what it was trained on
        if lines and path.suffix in TEXTS:
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
            how, what = f"has {lines} lines", "shortened"
        elif not lines and left and rng.random() < share:
            left -= 1
            others = [here / other for other in sorted(before) if other != name and (here / other).is_file()]
            how, what = damage(path, others, rng), f"damaged {path.suffix or path.name}"
        else:
            return
        before[name] = checksum(path)
        print(f"{COUNTED} {what}\n{name}: {how}", flush=True)

    sys.addaudithook(look)


def see_refusals(here: Path, before: dict[str, str]) -> None:
    """Let the course raise `Fault` where it refuses something and took too much memory for it, or changed a file."""
    endings = importlib.import_module("common.endings")
    say = endings.say

    def check(error: BaseException, of_user: bool) -> bool:
        cause: BaseException | None = error
        while of_user and cause is not None:
            if isinstance(cause, MemoryError):
                raise Fault(f"memory: more than there is was asked for before it said: {one_line(str(error))}")
            cause = cause.__context__
        old = before.copy()
        before.clear()  # what is opened from here on is not damaged
        changed = [name for name in old if old[name] != checksum(here / name) and not may_change(Path(name))]
        if of_user and changed and DIVERGED not in str(error):
            raise Fault(f"half-written: {changed} changed, though it said: {one_line(str(error))}")
        return say(error, of_user)

    endings.say = check


def may_change(path: Path) -> bool:
    """Whether a program that refuses its input may have written this file all the same."""
    return path.name in ALLOWED or path.parent.as_posix().endswith(BACKWARD)


def checksum(path: Path) -> str:
    """Of the content of a file; of a link another text, and none of what is no file."""
    if path.is_symlink():
        return "link"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
