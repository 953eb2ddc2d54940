"""The data of a language model: a text and its vocabulary, and what a run on them reports.

`pairs.Pairs` has the same methods, so that `setup.begin` and the report need not know which kind of data they have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from common.evaluation.perplexity import LanguageModel, check_unknown_words, evaluate
from common.text.corpus import SPLITS, Corpus, Sentence, load_corpus
from common.text.vocab import UNKNOWN, Vocabulary
from common.training.results import figures
from common.training.runs import Log


@dataclass(frozen=True)
class Text:
    """Sentences, for a language model."""

    corpus: Corpus
    vocab: Vocabulary
    next_program: ClassVar[str] = "generate"

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

    @property
    def fingerprint(self) -> str:
        """The sha256 of all sentences in their order."""
        return hash_files(self.corpus.folder, ("txt",))

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

    def report(self, model: LanguageModel, settings: Any, folder: Path) -> tuple[dict[str, dict], list[str]]:
        """The figures of dev and test for metrics.json, by split, and nothing more to show."""
        return {split: self.figures(model, split, settings) for split in SPLITS[1:]}, []

    def figures(self, model: LanguageModel, split: str, settings: Any) -> dict:
        """The perplexity of a split."""
        result = evaluate(model, getattr(self.corpus, split), settings.unk)
        entry = figures(result, self.corpus.oracle(split))
        if settings.accounting == "salton2017":
            entry["salton2017_perplexity"] = result.salton2017_perplexity
        return entry


def hash_files(folder: Path, kinds: Sequence[str]) -> str:
    """The sha256 of the files of a corpus: every split of every kind ("txt") that is there, by name and content."""
    digest = hashlib.sha256()
    for name in (f"{split}.{kind}" for kind in kinds for split in SPLITS):
        if (folder / name).is_file():
            content = hashlib.sha256((folder / name).read_bytes())
            digest.update(f"{name} {content.hexdigest()}\n".encode())
    return digest.hexdigest()


def count_words(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence) for sentence in sentences)


def share_unknown(sentences: Sequence[Sentence], vocab: Vocabulary) -> float:
    """The share of words that the model reads as `<unk>`, those written so in the text included."""
    unknown = sum(word not in vocab or word == UNKNOWN for sentence in sentences for word in sentence)
    return unknown / count_words(sentences)
