"""What every translation model's train.py does before it trains."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import cli, runtime
from common.corpus import SPLITS
from common.evaluation import check_unknown_words
from common.from_exercises import use_exercises
from common.metrics import require_rouge
from common.pairs import ParallelCorpus, load_pairs
from common.report import unknown_kind
from common.report_pairs import show_pairs
from common.runs import Log, begin_run, choose_run
from common.subwords import FILE, PairSplitter, read_inventory
from common.vocab import Vocabulary


@dataclass(frozen=True)
class PairSetup:
    """A training that can begin: what was asked for, the data, and the run folder with its log.

    corpus is what the model reads and writes: words, or with --subwords their pieces. words is the corpus as it was
    read.
    """

    chapter: str
    settings: Any
    corpus: ParallelCorpus
    source_vocab: Vocabulary
    vocab: Vocabulary
    folder: Path
    log: Log
    words: ParallelCorpus


Check = Callable[[Any, ParallelCorpus, Vocabulary], object]
"""Looks at the settings, the corpus and the source's words, and raises `UserError` for what a chapter cannot use."""


def begin(
    chapter: str,
    settings_class: type,
    presets: Mapping[str, Mapping[str, Any]],
    description: str,
    check: Check = lambda settings, corpus, source_vocab: None,
) -> PairSetup:
    """Read the flags and the corpus, check both, set DyNet up, and begin the run.

    check: what the chapter itself has to check, once DyNet is set up. Nothing is written before everything is known
    to be good. Raises `UserError` for bad flags and bad data.
    """
    settings, given = cli.parse_settings(settings_class, presets, description)
    folder, settings = choose_run(chapter, settings, given)
    words = load_pairs(settings.corpus)
    if words.summarises:
        require_rouge()
    splitter = make_splitter(folder, settings, words)
    if splitter is None:
        corpus = words
        source_vocab, vocab = (
            Vocabulary.from_sentences(side, settings.min_count) for side in zip(*words.train, strict=True)
        )
    else:
        corpus, source_vocab, vocab = splitter.corpus(words), splitter.source_vocab, splitter.vocab
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, corpus))
    for split in SPLITS[1:]:
        targets = [pair.target for pair in getattr(corpus, split)]
        check_unknown_words(targets, vocab, settings.unk, f"{split}.target")
    runtime.configure(settings.device, settings.seed, threads=settings.threads)  # before anything imports DyNet
    check(settings, corpus, source_vocab)
    replaced = use_exercises(chapter, settings.from_)
    begin_run(folder, chapter, settings, source_vocab=source_vocab, vocab=vocab)
    if splitter is not None:
        splitter.save(folder)
    log = Log(folder)
    for line in replaced:
        log(line)
    show_pairs(corpus, source_vocab, vocab, log, "pieces" if splitter else "words")
    if splitter is not None:
        log("the epochs show the perplexity of pieces; that of words comes with the results")
    return PairSetup(chapter, settings, corpus, source_vocab, vocab, folder, log, words)


def make_splitter(folder: Path, settings: Any, words: ParallelCorpus) -> PairSplitter | None:
    """What cuts the words into pieces, if --subwords asks for some: learnt anew, or as the run that goes on has it."""
    if not settings.subwords:
        return None
    if settings.resume and (folder / FILE).exists():
        return PairSplitter.of_pairs(read_inventory(folder), words.train, settings.min_count)
    return PairSplitter.learn(words.train, settings.subwords, settings.min_count)
