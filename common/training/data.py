"""What a training program reads: a text, or pairs of sentences, with their vocabularies.

Both kinds have the same methods, so that `setup.begin` and the report need not know which one they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from common.evaluation.metrics import require_rouge
from common.evaluation.perplexity import check_unknown_words
from common.text.corpus import SPLITS, Corpus, Sentence, load_corpus
from common.text.pairs import SIDES, ParallelCorpus, load_pairs
from common.text.subwords import FILE, PairSplitter, read_inventory
from common.text.vocab import UNKNOWN, Vocabulary
from common.training.runs import Log


@dataclass(frozen=True)
class Text:
    """Sentences, for a language model."""

    corpus: Corpus
    vocab: Vocabulary

    @classmethod
    def read(cls, settings: Any, folder: Path) -> Text:
        """The corpus that the settings name. folder: of the run, for what a resumed one has kept."""
        corpus = load_corpus(settings.corpus)
        return cls(corpus, Vocabulary.from_sentences(corpus.train, settings.min_count))

    def check(self, unk: str) -> None:
        """Raises `UserError` where a word of dev or test is unknown and must not be."""
        for split in SPLITS[1:]:
            check_unknown_words(getattr(self.corpus, split), self.vocab, unk, split)

    @property
    def vocabularies(self) -> dict[str, Vocabulary]:
        """By the name of the file, without .txt, that each is kept in."""
        return {"vocab": self.vocab}

    @cached_property
    def train(self) -> list[list[int]]:
        """The training sentences as word ids."""
        return [self.vocab.encode(sentence) for sentence in self.corpus.train]

    def save(self, folder: Path) -> None:
        """Nothing but the vocabularies has to be kept."""

    def show(self, log: Log) -> None:
        """The data first: sizes, unknown words, three sentences."""
        log(f"corpus {self.corpus.name}: {len(self.vocab):,} words in the vocabulary")
        for split in SPLITS:
            sentences = getattr(self.corpus, split)
            share = share_unknown(sentences, self.vocab)
            log(f"  {split:5} {len(sentences):7,} sentences {count_words(sentences):9,} words  {share:6.2%} <unk>")
        for sentence in self.corpus.train[:3]:
            log("  | " + " ".join(sentence))


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences, for a translation model.

    corpus: what the model reads and writes, words, or with --subwords their pieces. words: the corpus as it was read.
    """

    corpus: ParallelCorpus
    words: ParallelCorpus
    source_vocab: Vocabulary
    vocab: Vocabulary
    splitter: PairSplitter | None = None

    @classmethod
    def read(cls, settings: Any, folder: Path) -> Pairs:
        """The corpus that the settings name. folder: of the run, for the pieces that a resumed one has kept."""
        words = load_pairs(settings.corpus)
        if words.summarises:
            require_rouge()
        if not settings.subwords:
            sides = zip(*words.train, strict=True)
            return cls(words, words, *(Vocabulary.from_sentences(side, settings.min_count) for side in sides))
        if settings.resume and (folder / FILE).exists():
            splitter = PairSplitter.of_pairs(read_inventory(folder), words.train, settings.min_count)
        else:
            splitter = PairSplitter.learn(words.train, settings.subwords, settings.min_count)
        return cls(splitter.corpus(words), words, splitter.source_vocab, splitter.vocab, splitter)

    def check(self, unk: str) -> None:
        """Raises `UserError` where a target word of dev or test is unknown and must not be."""
        for split in SPLITS[1:]:
            targets = [pair.target for pair in getattr(self.corpus, split)]
            check_unknown_words(targets, self.vocab, unk, f"{split}.target")

    @property
    def vocabularies(self) -> dict[str, Vocabulary]:
        """By the name of the file, without .txt, that each is kept in."""
        return {"source_vocab": self.source_vocab, "vocab": self.vocab}

    @cached_property
    def train_sources(self) -> list[list[int]]:
        """The source sentences of the training pairs as word ids."""
        return [self.source_vocab.encode(pair.source) for pair in self.corpus.train]

    @cached_property
    def train_targets(self) -> list[list[int]]:
        """The target sentences of the training pairs as word ids."""
        return [self.vocab.encode(pair.target) for pair in self.corpus.train]

    def save(self, folder: Path) -> None:
        """Keep the inventory of pieces, where there is one."""
        if self.splitter is not None:
            self.splitter.save(folder)

    def show(self, log: Log) -> None:
        """The data first: sizes, unknown words, three pairs."""
        unit = "pieces" if self.splitter else "words"
        sizes = f"{len(self.source_vocab):,} source {unit} and {len(self.vocab):,} target {unit}"
        log(f"corpus {self.corpus.name}: {sizes} in the vocabularies")
        for split in SPLITS:
            pairs = getattr(self.corpus, split)
            line = f"  {split:5} {len(pairs):7,} pairs"
            for side, known in zip(SIDES, (self.source_vocab, self.vocab), strict=True):
                sentences = [getattr(pair, side) for pair in pairs]
                line += f"  {side} {count_words(sentences):9,} {unit} {share_unknown(sentences, known):6.2%} <unk>"
            log(line)
        for pair in self.corpus.train[:3]:
            log("  | " + " ".join(pair.source))
            log("  > " + " ".join(pair.target))
        if self.splitter is not None:
            log("the epochs show the perplexity of pieces; that of words comes with the results")


def count_words(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence) for sentence in sentences)


def share_unknown(sentences: Sequence[Sentence], vocab: Vocabulary) -> float:
    """The share of words that the model reads as `<unk>`, those written so in the text included."""
    unknown = sum(word not in vocab or word == UNKNOWN for sentence in sentences for word in sentence)
    return unknown / count_words(sentences)
