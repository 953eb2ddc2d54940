"""The text of a run that does not fit into memory: its training split stays in the file."""

from __future__ import annotations

import codecs
import itertools
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from common.errors import UserError
from common.text.corpus import (
    LONGEST_LINE,
    MAX_WORDS,
    Corpus,
    Sentence,
    find_corpus,
    read_all_facts,
    read_sentences,
    stream_file,
)
from common.text.vocab import BEGIN, BOUNDARY, UNKNOWN, Vocabulary, split_words
from common.training.text import Text

from .disk_budget import rows_that_fit
from .settings import Settings
from .sorting import writing

BLOCK = 2**19
"""Bytes of a text that are read at a time."""


class FileSentences:
    """The sentences of a file, read anew each time they are asked for: all of them, or some from the beginning.

    How many they are, and their kinds of words, are kept in memory. The first reading also writes the text as numbers,
    into a file without a name, which goes when the process ends. place: a folder on the disk for that file.
    """

    def __init__(self, path: Path, place: Path):
        self.path, self.place = path, place
        with writing(place):
            self.numbers = tempfile.TemporaryFile(dir=place)

    def __iter__(self) -> Iterator[Sentence]:
        return stream_file(self.path)

    def __getitem__(self, index: slice) -> list[Sentence]:
        return list(itertools.islice(self, index.start, index.stop, index.step))

    def __len__(self) -> int:
        return self.tally[0]

    @cached_property
    def tally(self) -> tuple[int, Counter[str]]:
        """How many sentences there are, and how often each word occurs: the kinds of words as they were first seen.

        Raises `UserError` as `stream_file` does.
        """
        kinds: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        counts = np.zeros(kinds["\n"] + 1, dtype=np.int64)
        try:
            for numbers in number_words(self.path, kinds):
                more = np.bincount(numbers, minlength=len(kinds))
                more[: len(counts)] += counts
                counts = more
                with writing(self.place):
                    self.numbers.write(numbers.data)
            if BEGIN in kinds or BOUNDARY in kinds:
                raise ValueError(f"{self.path}: {BEGIN} or {BOUNDARY}")
        except ValueError:
            for _ in self:  # says which line it is
                pass
            raise UserError(f"{self.path}: changed while it was read; start again") from None
        number, *of_words = counts.tolist()
        if not number:
            raise UserError(f"{self.path}: the file is empty; it needs one sentence per line")
        return number, Counter(dict(zip(itertools.islice(kinds, 1, None), of_words, strict=True)))

    def parts(self, vocab: Vocabulary, words: int) -> Iterator[np.ndarray]:
        """The text as ids, joined as in `counts.join`, in parts of about so many words, each of whole sentences: a
        boundary begins and ends each."""
        kinds = [vocab.ids.get(word, vocab.unknown) for word in self.tally[1]]
        new = np.array([vocab.boundary, *kinds])
        part = new[:1]
        self.numbers.seek(0)
        while len(numbers := np.fromfile(self.numbers, np.int32, words)):
            part = np.append(part, new[numbers])
            end = np.flatnonzero(part == vocab.boundary)[-1]
            if end:
                yield part[: end + 1]
            part = part[end:]


def number_words(path: Path, kinds: defaultdict[str, int]) -> Iterator[np.ndarray]:
    """The words of a file as their numbers in `kinds`, which grows, some lines at a time; 0 ends each line.

    Raises `ValueError` where `stream_file` refuses the file for its bytes or the lengths of its lines.
    """
    for lines in whole_lines(path):
        text = lines.decode("utf-8").replace("\t", " ").replace("\r", " ").replace("\n", " \n ")
        numbers = np.fromiter(map(kinds.__getitem__, filter(None, text.split(" "))), np.int32)
        lengths = np.diff(np.flatnonzero(numbers == 0), prepend=-1) - 1
        if lengths.min() < 1 or lengths.max() > MAX_WORDS:
            raise ValueError(f"{path}: a line without words, or with too many")
        yield numbers


def whole_lines(path: Path) -> Iterator[bytes]:
    """The bytes of a file, some lines at a time; the last line need not have an end."""
    rest = b""
    with open(path, "rb") as file:
        file.seek(len(codecs.BOM_UTF8) if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0)
        while block := file.read(BLOCK):
            lines, end, rest = (rest + block).rpartition(b"\n")
            if len(rest) > LONGEST_LINE or max(map(len, lines.split(b"\n"))) >= LONGEST_LINE:
                raise ValueError(f"{path}: a line is too long")
            if end:
                yield lines + end
    if split_words(rest.decode("utf-8")):
        yield rest + b"\n"


@dataclass(frozen=True)
class StreamedText(Text):
    """Sentences for n-gram models. The training split stays in its file, and its counts on disk."""

    on_disk: ClassVar[bool] = True

    @classmethod
    def read(cls, settings: Settings, folder: Path) -> StreamedText:
        """As `Text.read`."""
        place = find_corpus(settings.corpus)
        above = next(some for some in (folder.absolute(), *folder.absolute().parents) if some.is_dir())
        train = FileSentences(place / "train.txt", above)
        vocab = Vocabulary.from_counts(train.tally[1], settings.min_count)
        dev, test = (read_sentences(place / f"{split}.txt") for split in ("dev", "test"))
        corpus = Corpus(place.name, place, train, dev, test, read_all_facts(place))  # type: ignore[arg-type]
        return cls(corpus, vocab)

    def check(self, unk: str) -> None:
        """As `Text.check`; raises `UserError`, too, where so little memory is not enough for counting on disk."""
        super().check(unk)
        rows_that_fit(self)

    def sizes_of(self, split: str) -> tuple[int, int, float]:
        """How many sentences and words a split has, and the share of words that are unknown."""
        sentences = getattr(self.corpus, split)
        if not isinstance(sentences, FileSentences):
            return super().sizes_of(split)
        number, words = sentences.tally
        unknown = sum(times for word, times in words.items() if word not in self.vocab or word == UNKNOWN)
        return number, words.total(), unknown / words.total()
