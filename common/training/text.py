"""What every program that trains a language model has: its flags, sentences, and what a run on them reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from common.evaluation.perplexity import ACCOUNTINGS, UNKNOWN_KINDS, check_unknown_words, evaluate, figures
from common.text.corpus import SPLITS, Corpus, hash_files, load_corpus
from common.text.vocab import Vocabulary, count_words, counted, share_unknown
from common.training.cli import CommonSettings, setting
from common.training.runs import Log


@dataclass(frozen=True)
class LanguageModelSettings(CommonSettings):
    """The flags of every language model: its words, and how it is judged."""

    min_count: int = setting(2, "words seen less often in training are <unk>", minimum=1)
    unk: str = setting(
        "auto", "how unknown words are charged; auto: the corpus's setting", choices=("auto", *UNKNOWN_KINDS)
    )
    accounting: str = setting(
        "honest", "salton2017: also print perplexity as that paper computes it", choices=ACCOUNTINGS
    )


@dataclass(frozen=True)
class Text:
    """A corpus and its vocabulary. `pairs.Pairs` has the same methods."""

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
        """By the name of the file, without .txt, of each."""
        return {"vocab": self.vocab}

    @property
    def sizes(self) -> tuple[int]:
        """Of the vocabulary."""
        return (len(self.vocab),)

    def lengths(self, split: str) -> set[tuple[int, int]]:
        """How many predictions the sentences take, and how many source words they have: none."""
        return {(len(sentence) + 1, 0) for sentence in getattr(self.corpus, split)}

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
            sentences, words, share = self.sizes_of(split)
            sizes = f"{counted(sentences, 'sentence'):>17} {counted(words, 'word'):>15}"
            log(f"  {split:5} {sizes}  {share:6.2%} <unk>")
        for sentence in self.corpus.train[:3]:
            log("  | " + " ".join(sentence))

    def sizes_of(self, split: str) -> tuple[int, int, float]:
        """How many sentences and words a split has, and the share of words that are unknown."""
        sentences = getattr(self.corpus, split)
        return len(sentences), count_words(sentences), share_unknown(sentences, self.vocab)

    def report(self, model: Any, settings: Any, folder: Path) -> tuple[dict[str, dict], list[str]]:
        """The results on dev and test for metrics.json, by split, and nothing more to show."""
        by_split = {}
        for split in SPLITS[1:]:
            result = evaluate(model, getattr(self.corpus, split), settings.unk)
            also = {name: getattr(result, name) for name in ACCOUNTINGS[settings.accounting]}
            by_split[split] = figures(result, self.corpus.oracle(split)) | also
        return by_split, []
