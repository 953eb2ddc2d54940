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
from common.pairs import ParallelCorpus, load_pairs
from common.report import unknown_kind
from common.report_pairs import show_pairs
from common.runs import Log, begin_run, choose_run
from common.vocab import Vocabulary


@dataclass(frozen=True)
class PairSetup:
    """A training that can begin: what was asked for, the data, and the run folder with its log."""

    chapter: str
    settings: Any
    corpus: ParallelCorpus
    source_vocab: Vocabulary
    vocab: Vocabulary
    folder: Path
    log: Log


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
    corpus = load_pairs(settings.corpus)
    source_vocab, vocab = (
        Vocabulary.from_sentences(side, settings.min_count) for side in zip(*corpus.train, strict=True)
    )
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, corpus))
    for split in SPLITS[1:]:
        targets = [pair.target for pair in getattr(corpus, split)]
        check_unknown_words(targets, vocab, settings.unk, f"{split}.target")
    runtime.configure(settings.device, settings.seed)  # before anything imports DyNet
    check(settings, corpus, source_vocab)
    begin_run(folder, chapter, settings, source_vocab=source_vocab, vocab=vocab)
    log = Log(folder)
    show_pairs(corpus, source_vocab, vocab, log)
    return PairSetup(chapter, settings, corpus, source_vocab, vocab, folder, log)
