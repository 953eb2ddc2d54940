"""Damaged files, of every kind that the course reads: each must be read all the same, or refused in one line."""

from __future__ import annotations

import fnmatch
import hashlib
import importlib
import os
import random
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from common import runtime
from common.endings import one_line
from common.errors import UserError
from common.text import corpus
from common.training import report
from solutions.substitute import offer

from .cases import COUNTED, wanted
from .extras import MADE_OF, make_files
from .field import TRAININGS, course, make_field
from .forks import Child, Fault
from .model_readers import UNREAD, find_readers
from .readers import Reader
from .structures import damage

ALLOWED = (
    *("log.txt", ".lock", "vocab.txt", "source_vocab.txt", "unigram.txt", "subwords.spm", "metrics.json"),
    *("model.json", "backward/corpus/*"),
)
"""What a program that refuses its input may have written all the same, whole, as the ends of paths: a run that is
resumed writes its words and what its model is anew before it reads the checkpoint, and one that trains both directions
writes the pairs turned round, and the results of one direction before the other."""
TEXTS = (".txt", ".source", ".target", ".trees", ".align", ".arpa")
"""Ends of the names of files that are texts."""
DIVERGED = "lower --learning-rate"
"""What a training says that was not refused but began, with weights that are numbers, and diverged; its run stays."""


class Inputs:
    """Each case damages one file, or two, and lets one reader read it in a process of its own."""

    name = "inputs"
    seconds = 60.0

    def __init__(self, only: str = ""):
        readers = {reader.name: reader for reader in find_readers()}
        self.only, self.readers = only, [readers[name] for name in wanted(readers, only)]

    def prepare(self, scratch: Path) -> None:
        """Make the field, and see that every reader reads what is not damaged."""
        needed = {need for reader in self.readers for need in reader.needs.split()}
        needed |= {f"runs/{MADE_OF[need]}" for need in needed & MADE_OF.keys()}
        make_field(scratch / "field", [name for name in TRAININGS if f"runs/{name}" in needed])
        corpus.ROOT = course()  # whose corpora are short
        runtime.configure()
        report.draw_history = lambda *arguments: None  # not what is tested here, and slow
        make_files()
        installed = Reader("", "", "", "data.__main__ get ptb --from ptb.zip --unverified --to installed")
        Child(lambda: read(installed), scratch / "making").wait()
        self.field = Path.cwd()
        if not self.only:
            self.check_all_are_damaged()
        for number, reader in enumerate(self.readers):
            self.prove(reader, scratch / "whole" / str(number))

    def check_all_are_damaged(self) -> None:
        """Raises `UserError` for a file that no reader has damaged, unless no program reads it."""
        patterns = (*UNREAD, *(pattern for reader in self.readers for pattern in reader.damaged.split()))
        names = [path.relative_to(self.field).as_posix() for path in self.field.rglob("*") if path.is_file()]
        missing = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
        if missing:
            raise UserError(f"no reader of the campaign damages {', '.join(sorted(missing))}; add one that reads it")

    def prove(self, reader: Reader, folder: Path) -> None:
        """Raises `UserError` where a reader refuses a file that is whole: it would refuse anything."""
        if reader.command:
            importlib.import_module(reader.command.split()[0])  # once, for all the cases
        outcome = Child(lambda: self.attempt(reader, folder / "here", None), folder).wait()
        if outcome.status not in (0, 1):
            raise UserError(f"the campaign's reader {reader.name!r} refuses a whole file: {outcome.err.strip()[-300:]}")

    def case(self, rng: random.Random, folder: Path) -> tuple[str, Callable[[], object], bytes]:
        reader = rng.choice(self.readers)
        return reader.name, lambda: self.attempt(reader, folder / "here", rng), b""

    def attempt(self, reader: Reader, here: Path, rng: random.Random | None) -> None:
        """Copy what the reader needs, damage it, read it; see that a refusal has left everything as it was."""
        for need in reader.needs.split():
            source, target = self.field / need, here / need
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
        os.chdir(here)
        os.environ["COURSE_RUNS"], os.environ["COURSE_DATA"] = "runs", "installed"
        if rng is not None:
            damage_some(reader, rng)
        before = snapshot(here)
        try:
            read(reader)
        except UserError as error:
            refuse(error, here, before)


def damage_some(reader: Reader, rng: random.Random) -> None:
    """Damage one file of the reader, sometimes two, or shorten all texts; tell what was done, for a replay."""
    files = sorted(path for path in Path().rglob("*") if path.is_file())
    patterns = reader.damaged.split()
    targets = [path for path in files if any(fnmatch.fnmatch(path.as_posix(), pattern) for pattern in patterns)]
    if rng.random() > 0.9:
        number = rng.choice((1, 1, 2, 3))
        print(COUNTED, "shortened")
        print(f"every text has {number} lines", flush=True)
        for path in targets:
            if path.suffix in TEXTS:
                path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:number]))
        return
    for path in rng.sample(targets, k=2 if rng.random() < 0.1 and len(targets) > 1 else 1):
        others = [other for other in files if other != path and other.is_file()]
        how = damage(path, others, rng)
        print(COUNTED, f"damaged {path.suffix or path.name}")
        print(f"{path}: {how}", flush=True)


def read(reader: Reader) -> object:
    """Let the reader read. A `UserError` comes through."""
    if reader.function is not None:
        return reader.function()
    sys.argv = shlex.split(reader.command)
    if "--from" in sys.argv:
        offer()
    main = importlib.import_module(sys.argv[0]).main
    return main.__wrapped__()  # without `exits_cleanly`, which would hide where an error came from


def refuse(error: UserError, here: Path, before: dict[str, str]) -> None:
    """End as a program does that refuses its input. Raises `Fault` where it took too much, or left something."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            raise Fault(f"memory: more than there is was asked for before it said: {one_line(str(error))}")
        cause = cause.__context__
    changed = {name for name, content in snapshot(here).items() if before.get(name) != content}
    lost = before.keys() - snapshot(here).keys()
    left = sorted(name for name in changed | lost if not any(Path(name).match(end) for end in ALLOWED))
    if left and DIVERGED not in str(error):
        raise Fault(f"half-written: {left} changed, though it said: {one_line(str(error))}")
    print("error: " + one_line(str(error)), file=sys.stderr)
    sys.exit(2)


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below a folder, with a checksum of its content."""
    hashes = {}
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b"?"
            hashes[str(path.relative_to(folder))] = hashlib.sha256(data).hexdigest()
    return hashes
