"""What every program that trains a translation model has: its flags, sentence pairs, and what a run on them reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS, check_unknown_words, figures
from common.files import as_json, write_lines
from common.search.translation import TranslationModel, evaluate_pairs, translate_words
from common.text.corpus import SPLITS, hash_files
from common.text.pairs import SIDES, Pair, ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary, count_words, counted, share_unknown
from common.training.cli import CommonSettings, as_flag, flag_of, setting
from common.training.neural_settings import GradientSettings
from common.training.runs import Log

if TYPE_CHECKING:
    from common.training.pieces import TrainingSplitter


def read_subwords(text: str) -> int:
    """What stands behind --subwords."""
    from common.text.subwords import read_number

    return read_number(text)


@dataclass(frozen=True)
class TranslationSettings(GradientSettings, CommonSettings):
    """The flags of every translation model."""

    corpus: str = setting(
        "village_pairs", "an embedded or installed corpus of pairs, or a folder with train.source ..."
    )
    subwords: int = setting(
        0,
        "cut words into this many pieces, learnt on both sides, or into characters; 0: whole words",
        minimum=0,
        reader=read_subwords,
    )
    batch_size: int = setting(16, "pairs in a minibatch", minimum=1)
    learning_rate: float = setting(0.006, "size of a step at the beginning", minimum=1e-9)
    min_count: int = setting(2, "words seen less often in training are <unk>, on either side", minimum=1)
    unk: str = setting(
        "auto", "how unknown words are charged; auto: the corpus's setting", choices=("auto", *UNKNOWN_KINDS)
    )

    def check_owners(self, choice: str, owners: Mapping[str, Collection[str]]) -> None:
        """Raises `UserError` for a flag that is given and does nothing, since other values of `choice` read it.

        choice: a setting's name. owners: of each setting that only some of its values read, these values.
        """
        for name, values in owners.items():
            value = getattr(self, name)
            if value != getattr(type(self), name) and getattr(self, choice) not in values:
                flag = as_flag(name, value)
                raise UserError(f"{flag}: only for {flag_of(choice)} {' or '.join(values)}; leave it out")


def checksum_of_pairs(folder: Path) -> str:
    """The sha256 of all pairs of a corpus in their order, and of their alignments and trees."""
    return hash_files(folder, (*SIDES, "align", "trees"))


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences. corpus: what the model reads and writes, words, or with --subwords their pieces. words: the
    corpus as it was read."""

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
            from common.evaluation.rouge import require_rouge

            require_rouge()
        if settings.subwords:
            from common.training.pieces import TrainingSplitter

            splitter = TrainingSplitter.begin(words, settings, folder)
            return cls(splitter.corpus(words), words, splitter.source_vocab, splitter.vocab, splitter)
        sources, targets = (
            Vocabulary.from_sentences(side, settings.min_count) for side in zip(*words.train, strict=True)
        )
        return cls(words, words, sources, targets)

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
        return checksum_of_pairs(self.corpus.folder)

    def save(self, folder: Path) -> None:
        """Keep the inventory of pieces, where there is one."""
        if self.splitter is not None:
            self.splitter.save(folder)

    def show(self, log: Log) -> None:
        """The data first: sizes, unknown words, three pairs."""
        unit = "piece" if self.splitter else "word"
        sizes = f"{len(self.source_vocab):,} source {unit}s and {len(self.vocab):,} target {unit}s"
        log(f"corpus {self.corpus.name}: {sizes} in the vocabularies")
        for split in SPLITS:
            pairs = getattr(self.corpus, split)
            line = f"  {split:5} {counted(len(pairs), 'pair'):>13}"
            for side, vocab in zip(SIDES, (self.source_vocab, self.vocab), strict=True):
                sentences = [getattr(pair, side) for pair in pairs]
                size = counted(count_words(sentences), unit)
                line += f"  {side} {size:>{11 + len(unit)}} {share_unknown(sentences, vocab):6.2%} <unk>"
            log(line)
        for pair in self.corpus.train[:3]:
            log("  | " + " ".join(pair.source))
            log("  > " + " ".join(pair.target))
        if self.splitter is not None:
            log("the epochs show the perplexity of pieces; that of words comes with the results")

    def report(self, model: TranslationModel, settings: Any, folder: Path) -> tuple[dict[str, dict], list[str]]:
        """The results on dev and test for metrics.json, by split, and three translations of test to show, by greedy
        search. Writes the translations of both splits to the run folder, one sentence per line."""
        from common.evaluation.metrics import translation_figures  # sacrebleu wants a temporary folder to load

        figures, written, quality = {}, {}, translation_figures
        if self.words.summarises:
            from common.evaluation.rouge import summary_figures as quality
        for split in SPLITS[1:]:
            pairs = getattr(self.words, split)
            written[split] = translate_words(model, self.splitter, [pair.source for pair in pairs])
            figures[split] = self.figures(model, pairs, settings.unk, self.words.oracle(split))
            figures[split] |= quality(written[split], [pair.target for pair in pairs])
        as_json(figures, folder)  # before anything is written: results are finite, or the model is damaged
        for split, sentences in written.items():
            write_lines(folder / f"{split}.hypotheses.txt", map(" ".join, sentences))
        lines = []
        for pair, hypothesis in list(zip(self.words.test, written["test"], strict=True))[:3]:
            labelled = {"source": pair.source, "reference": pair.target, "found": hypothesis}
            lines += [f"  {label:9}  " + " ".join(words) for label, words in labelled.items()]
        return figures, lines

    def figures(self, model: TranslationModel, words: Sequence[Pair], unk: str, oracle: dict | None) -> dict:
        """The perplexity of some pairs, given in words: of words always, and with --subwords of pieces too."""
        if self.splitter is not None:
            return self.splitter.figures(model, words, unk, oracle)
        return figures(evaluate_pairs(model, words, unk), oracle)
