"""Reading text: one tokenised sentence per line, UTF-8. `vocab` defines what separates words."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from typing import IO, Generic, TypeVar

from common import ROOT
from common.errors import UserError
from common.files import read_object
from common.text.vocab import BEGIN, BOUNDARY, split_words

SPLITS = ("train", "dev", "test")
MAX_WORDS = 1000
LONGEST_LINE = 1_000_000
ORACLE_FIGURES = {"perplexity": 1, "known_perplexity": 1, "known_predictions": 0}
"""What oracle.json says of a split, and the least value of each number."""
BROKEN = "not a JSON object; fix or remove the file"
Sentence = list[str]
T = TypeVar("T")


@dataclass(frozen=True)
class Corpus(Generic[T]):
    """Sentences, or pairs of them, in three splits. `facts`: what its folder says of it, the oracle's results, the kind
    of `<unk>`, the task."""

    name: str
    folder: Path
    train: list[T]
    dev: list[T]
    test: list[T]
    facts: dict

    def oracle(self, split: str, direction: str = "") -> dict | None:
        """The exact results of the true distribution on a split, or on its pairs of one direction of translation, where
        the corpus has them, and whole (see data/README.md)."""
        oracle = self.facts.get("oracle", {})
        figures = (oracle.get("directions", {}).get(direction, {}) if direction else oracle).get(split)
        return figures if isinstance(figures, dict) and ORACLE_FIGURES.keys() <= figures.keys() else None


def find_corpus(name: str, marker: str = "train.txt") -> Path:
    """The folder of a corpus: an embedded one, one that `python -m data get` installed, or a path. Raises `UserError`
    that lists the corpora at hand. marker: the file that every corpus of its kind contains, train.source for pairs."""
    installed = Path(os.environ.get("COURSE_DATA") or ROOT / "data" / "corpora")
    for folder in (ROOT / "data" / name, installed / name, Path(name)):
        if os.path.isfile(folder / marker):  # false, and no error, for a name that the system cannot have
            return folder
    from common.endings import unknown_corpus

    raise UserError(unknown_corpus(name, marker, ROOT / "data", installed))


def load_corpus(name: str) -> Corpus[Sentence]:
    """Read the three splits of a corpus given by name or folder. Raises `UserError` where one is missing or bad."""
    folder = find_corpus(name)
    splits = {split: read_sentences(folder / f"{split}.txt") for split in SPLITS}
    return Corpus(folder.name, folder, **splits, facts=read_all_facts(folder))


def read_all_facts(folder: Path) -> dict:
    """What the folder of a corpus says of it: the oracle's results (oracle.json) and the kind of `<unk>` (corpus.json),
    by the file's name, where they are there. Raises `UserError` for facts that cannot be."""
    facts = {}
    for name, check in (("oracle", check_oracle), ("corpus", check_corpus)):
        path = folder / f"{name}.json"
        if path.is_file():
            facts[name] = read_object(path, BROKEN, BROKEN)
            check(path, facts[name])
    return facts


def check_oracle(path: Path, facts: dict) -> None:
    """Raises `UserError` for an impossible number of the oracle, in all or in one direction."""
    directions = facts.get("directions", {})
    if not isinstance(directions, dict) or not all(isinstance(facts, dict) for facts in directions.values()):
        raise UserError(f"{path}: directions is {directions!r:.40}, not an object with one for each direction; fix it")
    for part, split, (name, least) in product((facts, *directions.values()), SPLITS, ORACLE_FIGURES.items()):
        results = part.get(split)
        value = results.get(name, least) if isinstance(results, dict) else least
        if type(value) not in (int, float) or not least <= value <= 1e18:  # more could not be drawn
            raise UserError(f"{path}: the {name} of {split} is {value!r:.40}, not from {least} to 1e18; fix it")


def check_corpus(path: Path, facts: dict) -> None:
    """Raises `UserError` where the kind of `<unk>` or the task is not written as a word."""
    for name in ("unk", "task"):
        if not isinstance(facts.get(name, ""), str):
            raise UserError(f"{path}: {name} is {facts[name]!r:.40}, not a word in quotes; fix it")


def hash_files(folder: Path, kinds: Sequence[str]) -> str:
    """The sha256 of the files of a corpus: every split of every kind ("txt") that is there, by name and content."""
    digest = hashlib.sha256()
    for name in (f"{split}.{kind}" for kind in kinds for split in SPLITS):
        if (folder / name).is_file():
            content = hashlib.sha256()
            with open(folder / name, "rb") as file:
                while part := file.read(2**20):
                    content.update(part)
            digest.update(f"{name} {content.hexdigest()}\n".encode())
    return digest.hexdigest()


def read_sentences(path: str | Path) -> list[Sentence]:
    """The sentences of a file. Raises `UserError`, with the line, where the text cannot be used."""
    sentences = list(stream_file(path))
    if not sentences:
        raise UserError(f"{path}: the file is empty; it needs one sentence per line")
    return sentences


def stream_file(path: str | Path) -> Iterator[Sentence]:
    """The sentences of a file, as `stream_sentences` gives them."""
    try:
        with open(path, "rb") as file:
            yield from stream_sentences(file, str(path))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def stream_sentences(file: IO[bytes], place: str) -> Iterator[Sentence]:
    """The sentences of an open file, each when it is asked for, so that a file of any size can be read. Raises
    `UserError`, with the line, where the text cannot be used."""
    for number in count(1):
        try:
            line = file.readline(LONGEST_LINE + 1)
        except OSError as error:  # a folder, or standard input that is closed
            raise UserError(f"{place}: {error.strerror}; it must be a text file") from None
        if len(line) > LONGEST_LINE:
            raise UserError(f"{place}, line {number}: more than {LONGEST_LINE:,} bytes; is it one sentence per line?")
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            sentence = split_words(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise UserError(f"{place}, line {number}: not UTF-8; convert the file first") from None
        if not sentence and not line.endswith(b"\n"):
            return  # what follows the last line feed
        problem = problem_of(sentence)
        if problem:
            raise UserError(f"{place}, line {number}: {problem}")
        yield sentence


def problem_of(sentence: Sequence[str]) -> str:
    """What keeps the words of a line from being a sentence, and what to do; "" where nothing does."""
    if not sentence:
        return "an empty line; every line must contain a sentence"
    if len(sentence) > MAX_WORDS:
        return f"{len(sentence)} words, more than {MAX_WORDS}; is it one sentence per line? split it"
    if BOUNDARY in sentence or BEGIN in sentence:
        return f"{BEGIN} and {BOUNDARY} mark where sentences begin and end here; remove them"
    return ""
