"""The text of a run that does not fit into memory: its training split stays in the file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from common.errors import UserError
from common.text.corpus import Corpus, Sentence, find_corpus, read_all_facts, read_sentences, stream_file
from common.text.vocab import UNKNOWN, Vocabulary
from common.training.setup import Text

from .disk_budget import rows_that_fit
from .settings import Settings


class FileSentences:
    """The sentences of a file, read anew each time they are asked for: all of them, or some from the beginning.

    How many they are, and their kinds of words, are kept in memory.
    """

    def __init__(self, path: Path):
        self.path = path

    def __iter__(self) -> Iterator[Sentence]:
        return stream_file(self.path)

    def __getitem__(self, index: slice) -> list[Sentence]:
        return list(itertools.islice(self, index.start, index.stop, index.step))

    def __len__(self) -> int:
        return self.tally[0]

    @cached_property
    def tally(self) -> tuple[int, Counter[str]]:
        """How many sentences there are, and how often each word occurs."""
        number, words = 0, Counter()
        for sentence in self:
            number += 1
            words.update(sentence)
        if not number:
            raise UserError(f"{self.path}: the file is empty; it needs one sentence per line")
        return number, words


@dataclass(frozen=True)
class StreamedText(Text):
    """Sentences for n-gram models. The training split stays in its file, and its counts on disk."""

    on_disk: ClassVar[bool] = True

    @classmethod
    def read(cls, settings: Settings, folder: Path) -> StreamedText:
        """As `Text.read`."""
        place = find_corpus(settings.corpus)
        train = FileSentences(place / "train.txt")
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
