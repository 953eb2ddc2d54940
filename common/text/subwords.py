"""Words cut into pieces, so that rare words are written with a small vocabulary: byte-pair encoding by sentencepiece.

One inventory of pieces is learnt on both sides of the training pairs together (Sennrich et al. 2016): a name that is
the same on both sides is cut in the same way there, so that it can be copied piece by piece. Each side then has the
vocabulary of the pieces that its own training text shows.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from common.errors import UserError
from common.files import atomic_write
from common.text.corpus import MAX_WORDS, SPLITS, Sentence
from common.text.languages import tagged_language
from common.text.pairs import Pair, ParallelCorpus
from common.text.vocab import BOUNDARY, UNKNOWN, Vocabulary

FILE = "subwords.spm"
"""The inventory in a run folder, in sentencepiece's own format."""

MAX_PIECES = 5 * MAX_WORDS
"""Of a sentence."""

MARK = "▁"
"""Begins the first piece of every word."""

RESERVED: dict[str, str | int | None] = {"\\": "\\\\", MARK: "\\_", "▅": "\\5", "\0": "\\0"}
"""What is written for characters that sentencepiece keeps for itself, and for the one that they are written with."""

UNESCAPED = {code: character for character, code in RESERVED.items()}

NO_WORD = MARK + MARK
"""The name of sentencepiece's own piece for unknown characters, which no text has: its "<unk>" may stand in one."""

P = TypeVar("P", bound="PairSplitter")
CHARACTERS = 1
"""As the number of pieces: no pair is joined, so that only the characters of the text are left."""


def read_number(text: str) -> int:
    """What stands behind --subwords: a number of pieces, or "characters". Raises an error of argparse for others."""
    if text == "characters":
        return CHARACTERS
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.40}: write a number of pieces, or characters") from None


class Splitter:
    """Cuts the words of one side into pieces, which `join` makes words again. vocab: the pieces of this side. Others
    are spelt in characters, since the model has not seen them."""

    def __init__(self, inventory: bytes, vocab: Vocabulary | None = None):
        """Raises `UserError` where the inventory is broken or sentencepiece is not installed."""
        try:
            self.processor = sentencepiece().SentencePieceProcessor(model_proto=inventory)
            self.processor.encode("x")  # an empty inventory is noticed only now
        except RuntimeError:
            raise UserError(f"{FILE}: no readable inventory of pieces; the run is broken, train again") from None
        self.vocab = vocab
        self.cache: dict[str, list[str]] = {}

    def __call__(self, sentence: Sentence) -> Sentence:
        """The pieces of a tokenised sentence. The sentence is `join` of them, whatever characters it has.

        Raises `UserError` for more than `MAX_PIECES`, which a very long word has.
        """
        pieces = [piece for word in sentence for piece in self.pieces(word)]
        if len(pieces) > MAX_PIECES:
            longest = max(sentence, key=len)
            raise UserError(
                f"the sentence with the word {longest[:20]}, {len(longest)} letters, has {len(pieces)} pieces, "
                f"more than {MAX_PIECES}; is it one tokenised sentence per line? split it"
            )
        return pieces

    def pieces(self, word: str) -> list[str]:
        """The pieces of a word. A tag that names a language is one piece where the model has seen it."""
        if word not in self.cache:
            found = [MARK + word] if tagged_language(word) else self.processor.encode(escape(word), out_type=str)
            self.cache[word] = [part for piece in found for part in ([piece] if self.is_known(piece) else piece)]
        return self.cache[word]

    def is_known(self, piece: str) -> bool:
        """Whether the piece stays whole. In a text "</s>" is but four characters."""
        return piece not in (BOUNDARY, UNKNOWN) and (self.vocab is None or piece in self.vocab)


def join(pieces: Iterable[str]) -> Sentence:
    """The words that pieces, as cut from a text or as a model invented them, are read as."""
    return [
        re.sub(r"\\[\\_50]", lambda code: UNESCAPED[code[0]], word)
        for word in "".join(pieces).replace(MARK, " ").split(" ")
        if word
    ]


def escape(word: str) -> str:
    """A word without the characters that sentencepiece keeps for itself."""
    return word.translate(str.maketrans(RESERVED))


LONGEST_WORD = 2**16 - 1
"""Characters of a word from which sentencepiece can learn: it numbers them in 16 bits, the sign before them as 0."""


def learn(sentences: Iterable[Sentence], number: int) -> bytes:
    """An inventory of `number` pieces, the same for the same text. Raises `UserError` where the text has not so many.

    The characters of the text are pieces; then the most frequent pair of neighbouring pieces becomes one, again and
    again (byte-pair encoding). With `CHARACTERS` none does.
    """
    texts = [" ".join(escape(word) for word in sentence if not tagged_language(word)) for sentence in sentences]
    characters = set("".join(texts)) - {" "} | {MARK}
    if number == CHARACTERS:
        number = len(characters)
    if number < len(characters):
        raise UserError(
            f"--subwords {number}: the training pairs have {len(characters)} characters; give as many or more"
        )
    longest = max((len(word) for text in texts for word in text.split(" ")), default=0)
    if longest > LONGEST_WORD:  # sentencepiece would end the process
        raise UserError(
            f"--subwords: a word of the training pairs has {longest:,} characters; at most {LONGEST_WORD:,} can be used"
        )
    written = io.BytesIO()
    try:
        sentencepiece().SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=written,
            model_type="bpe",
            vocab_size=number + 1,  # sentencepiece counts its own <unk>
            character_coverage=1.0,
            unk_piece=NO_WORD,
            normalization_rule_name="identity",
            max_sentence_length=2**30,
            bos_id=-1,
            eos_id=-1,
            num_threads=1,
            minloglevel=2,  # silent
        )
    except RuntimeError as error:
        limit = re.search(r"value <= (\d+)", str(error))
        most = f"has only {int(limit[1]) - 1} to learn" if limit else "is too short to learn them"
        raise UserError(f"--subwords {number}: the training text {most}; give a smaller number") from None
    return written.getvalue()


def sentencepiece() -> Any:
    """The library, imported where it is needed. Raises `UserError` where it is not installed."""
    try:
        import sentencepiece as library
    except ImportError:
        raise UserError("--subwords needs the package sentencepiece; run: pip install sentencepiece") from None
    return library


def vocabulary(inventory: bytes, sentences: Sequence[Sentence], min_count: int) -> Vocabulary:
    """The pieces that these sentences show at least `min_count` times, once rarer ones are spelt in characters."""
    frequent = Vocabulary.from_sentences(map(Splitter(inventory), sentences), min_count)
    return Vocabulary.from_sentences(map(Splitter(inventory, frequent), sentences), min_count)


def require_words(settings: Any, folder: Path) -> None:
    """Raises `UserError` for a run with pieces, in a program that compares word by word."""
    if settings.subwords:
        raise UserError(f"{folder}: its model writes pieces of words (--subwords), and this program works on words")


class PairSplitter:
    """Cuts both sides of pairs into pieces."""

    def __init__(self, inventory: bytes, source_vocab: Vocabulary, vocab: Vocabulary):
        self.inventory, self.source_vocab, self.vocab = inventory, source_vocab, vocab
        self.source, self.target = Splitter(inventory, source_vocab), Splitter(inventory, vocab)

    @classmethod
    def learn(cls: type[P], pairs: Sequence[Pair], number: int, min_count: int) -> P:
        """Learn `number` pieces on the pairs, and which of them each side shows."""
        return cls.of_pairs(learn((side for pair in pairs for side in pair), number), pairs, min_count)

    @classmethod
    def of_pairs(cls: type[P], inventory: bytes, pairs: Sequence[Pair], min_count: int) -> P:
        """Take an inventory as it is, with the pieces of it that each side of the pairs shows."""
        sides = zip(*pairs, strict=True)
        return cls(inventory, *(vocabulary(inventory, sentences, min_count) for sentences in sides))

    @classmethod
    def of_run(cls, folder: Path, settings: Any, model: Any) -> PairSplitter | None:
        """The pieces of a run, for its model; None where that is a model of words. Raises `UserError` as `load`."""
        return cls.load(folder, model.source_vocab, model.vocab) if settings.subwords else None

    @classmethod
    def load(cls, folder: Path, source_vocab: Vocabulary, vocab: Vocabulary) -> PairSplitter:
        """The pieces of a run, for its vocabularies. Raises `UserError` where the run has lost them."""
        return cls(read_inventory(folder), source_vocab, vocab)

    def save(self, folder: Path) -> None:
        with atomic_write(folder / FILE, "wb") as file:
            file.write(self.inventory)

    def join(self, pieces: Iterable[str]) -> Sentence:
        """The words that a model has written in pieces."""
        return join(pieces)

    def pairs(self, pairs: Iterable[Pair]) -> list[Pair]:
        return [Pair(self.source(pair.source), self.target(pair.target)) for pair in pairs]

    def corpus(self, corpus: ParallelCorpus) -> ParallelCorpus:
        """The corpus in pieces. Its facts are still those of the words."""
        pieces: dict[str, Any] = {split: self.pairs(getattr(corpus, split)) for split in SPLITS}
        return dataclasses.replace(corpus, **pieces)


def read_inventory(folder: Path) -> bytes:
    """What `PairSplitter.save` wrote. Raises `UserError` where it is missing."""
    try:
        return (folder / FILE).read_bytes()
    except OSError:
        raise UserError(f"{folder / FILE}: the pieces of this run are missing; train again") from None
