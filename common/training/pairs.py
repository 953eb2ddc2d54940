"""What a translation model trains on: sentence pairs, their vocabularies; and what a run on them reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from common.evaluation.metrics import require_rouge, summary_figures, translation_figures
from common.evaluation.perplexity import check_unknown_words
from common.files import as_json, write_lines
from common.search.translation import Decoding, TranslationModel, evaluate_pairs, translate
from common.text.corpus import SPLITS, Sentence
from common.text.pairs import SIDES, Pair, ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary
from common.training.runs import Log, hash_files
from common.training.setup import count_words, figures, share_unknown

if TYPE_CHECKING:
    from common.training.pieces import TrainingSplitter


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences, for a translation model.

    corpus: what the model reads and writes, words, or with --subwords their pieces. words: the corpus as it was read.
    """

    corpus: ParallelCorpus
    words: ParallelCorpus
    source_vocab: Vocabulary
    vocab: Vocabulary
    splitter: TrainingSplitter | None = None
    next_program: ClassVar[str] = "translate"

    @classmethod
    def read(cls, settings: Any, folder: Path) -> Pairs:
        """The corpus that the settings name. folder: of the run, for the pieces that a resumed one has kept."""
        words = load_pairs(settings.corpus)
        if words.summarises:
            require_rouge()
        if settings.subwords:
            from common.training.pieces import TrainingSplitter

            splitter = TrainingSplitter.begin(words, settings, folder)
            return cls(splitter.corpus(words), words, splitter.source_vocab, splitter.vocab, splitter)
        sides = zip(*words.train, strict=True)
        return cls(words, words, *(Vocabulary.from_sentences(side, settings.min_count) for side in sides))

    def check(self, unk: str) -> None:
        """Raises `UserError` where a target word of dev or test is unknown and must not be, or no word at all."""
        for split in SPLITS[1:]:
            targets = [pair.target for pair in getattr(self.corpus, split)]
            check_unknown_words(targets, self.vocab, unk, f"{split}.target")
            if self.splitter:
                self.splitter.check(targets, getattr(self.words, split), f"{split}.target")

    @property
    def vocabularies(self) -> dict[str, Vocabulary]:
        """By the name of the file, without .txt, that each is kept in."""
        return {"source_vocab": self.source_vocab, "vocab": self.vocab}

    @property
    def sizes(self) -> tuple[int, int]:
        """Of the vocabularies."""
        return len(self.source_vocab), len(self.vocab)

    def lengths(self, split: str) -> set[tuple[int, int]]:
        """How many predictions the pairs take, and how many source words they have."""
        return {(len(pair.target) + 1, len(pair.source)) for pair in getattr(self.corpus, split)}

    @cached_property
    def train_sources(self) -> list[list[int]]:
        """The source sentences of the training pairs as word ids."""
        return [self.source_vocab.encode(pair.source) for pair in self.corpus.train]

    @cached_property
    def train_targets(self) -> list[list[int]]:
        """The target sentences of the training pairs as word ids."""
        return [self.vocab.encode(pair.target) for pair in self.corpus.train]

    @property
    def fingerprint(self) -> str:
        """The sha256 of all pairs in their order, and of their alignments and trees."""
        return hash_files(self.corpus.folder, (*SIDES, "align", "trees"))

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

    def report(self, model: TranslationModel, settings: Any, folder: Path) -> tuple[dict[str, dict], list[str]]:
        """The results on dev and test for metrics.json, by split, and three translations of test to show.

        By greedy search. Writes the translations of both splits to the run folder, one sentence per line.
        """
        figures, written = {}, {}
        for split in SPLITS[1:]:
            found = translate(model, [pair.source for pair in getattr(self.corpus, split)], Decoding())
            best = [
                hypotheses[0].words if self.splitter is None else self.splitter.join(hypotheses[0].words)
                for hypotheses in found
            ]
            pairs = getattr(self.words, split)
            quality = summary_figures if self.words.summarises else translation_figures
            figures[split] = self.figures(model, pairs, settings.unk, self.words.oracle(split))
            figures[split] |= quality(best, [pair.target for pair in pairs])
            written[split] = best
        as_json(figures, folder)  # before anything is written: results are finite, or the model is damaged
        for split, sentences in written.items():
            write_lines(folder / f"{split}.hypotheses.txt", map(" ".join, sentences))
        return figures, examples(written["test"], self.words.test)

    def figures(self, model: TranslationModel, words: Sequence[Pair], unk: str, oracle: dict | None) -> dict:
        """The perplexity of some pairs, given in words: of words always, and with --subwords of pieces too."""
        if self.splitter is not None:
            return self.splitter.figures(model, words, unk, oracle)
        return figures(evaluate_pairs(model, words, unk), oracle)


def examples(hypotheses: Sequence[Sentence], pairs: Sequence[Pair]) -> list[str]:
    """The first three translations with their references, as lines."""
    lines = []
    for found, pair in list(zip(hypotheses, pairs, strict=True))[:3]:
        for label, words in (("source", pair.source), ("reference", pair.target), ("found", found)):
            lines.append(f"  {label:9}  " + " ".join(words))
    return lines
