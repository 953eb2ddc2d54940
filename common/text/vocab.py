"""The words a model knows, and their numbers; and what separates words: one rule for every text that the course reads.

Words are separated by blank, tab, line feed and carriage return, as in KenLM (Heafield 2011), which reads texts and
ARPA files so. Every other character belongs to a word: a no-break space, U+2028, a vertical tab, a form feed.
`str.split()` separates at all of these, and would make two words of one that another program has in its vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from common.errors import UserError
from common.files import write_lines

BEGIN, BOUNDARY, UNKNOWN = "<s>", "</s>", "<unk>"
SEPARATORS = " \t\n\r"


def split_words(text: str) -> list[str]:
    """The words of a text, perhaps none."""
    words = text.replace("\t", " ").replace("\n", " ").replace("\r", " ").split(" ")
    return [word for word in words if word]


def split_lines(text: str) -> list[str]:
    """The lines of a text without what ends them: a line feed, before which a carriage return may stand
    (`str.splitlines()` ends them at eight others, too). What follows the last line feed is a line if it has a word."""
    *lines, rest = text.split("\n")
    return [line.removesuffix("\r") for line in [*lines, *([rest] if split_words(rest) else [])]]


class Vocabulary:
    """A two-way map between words and ids.

    Id 0 is the sentence boundary: read as `<s>` before the first word, predicted as `</s>` after the last. `<s>` is
    never predicted and `</s>` never precedes a prediction, so one id serves both, and no probability is wasted on a
    symbol that cannot come next. Id 1 is `<unk>`, which replaces every word that is not in the vocabulary.
    Other words follow, frequent ones first.
    """

    boundary = 0
    unknown = 1

    def __init__(self, words: Iterable[str]):
        """words: every word but the two symbols, in order of their ids from 2 on."""
        self.words = [BOUNDARY, UNKNOWN, *words]
        self.ids = {word: number for number, word in enumerate(self.words)}
        if len(self.ids) != len(self.words):
            twice, _ = Counter(self.words).most_common(1)[0]
            raise UserError(f"the vocabulary contains the word {twice!r} twice")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.ids

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sequence[str]], min_count: int = 1) -> Vocabulary:
        """The words seen at least `min_count` times; ties in frequency are in alphabetical order. An `<unk>` in the
        text itself is the id 1, like any unknown word."""
        return cls.from_counts(Counter(word for sentence in sentences for word in sentence), min_count)

    @classmethod
    def from_counts(cls, counts: Counter[str], min_count: int = 1) -> Vocabulary:
        """The same from how often each word was seen."""
        frequent = [word for word, count in counts.items() if count >= min_count and word != UNKNOWN]
        return cls(sorted(frequent, key=lambda word: (-counts[word], word)))

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """Words to ids; a word that is not in the vocabulary becomes `<unk>`."""
        return [self.ids.get(word, self.unknown) for word in sentence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids to words, the boundary left out."""
        return [self.words[number] for number in ids if number != self.boundary]

    def for_source(self, source: Sequence[str]) -> Vocabulary:
        """The vocabulary for the translation of a sentence: this one, unless words are copied from the source."""
        return self

    def save(self, path: str | Path) -> None:
        """Write one word per line, in order of the ids; `load` reads it back."""
        write_lines(path, self.words)

    @classmethod
    def load(cls, path: str | Path) -> Vocabulary:
        """Read what `save` wrote. Raises `UserError` where the file is missing or is not a vocabulary."""
        try:
            *words, rest = Path(path).read_text(encoding="utf-8").split("\n")
            if rest or words[:2] != [BOUNDARY, UNKNOWN] or any(split_words(word) != [word] for word in words):
                raise ValueError
            return cls(words[2:])
        except (OSError, ValueError, UserError):
            raise UserError(f"{path}: no readable vocabulary; give the folder of a finished run") from None


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the singular or the plural: "1 word", "1,200 words"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count_words(sentences: Sequence[Sequence[str]]) -> int:
    return sum(len(sentence) for sentence in sentences)


def share_unknown(sentences: Sequence[Sequence[str]], vocab: Vocabulary) -> float:
    """The share of words that the model reads as `<unk>`, those written so in the text included."""
    unknown = sum(vocab.encode(sentence).count(vocab.unknown) for sentence in sentences)
    return unknown / count_words(sentences)
