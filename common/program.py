"""What every language model's train.py does before it trains."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import cli, runtime
from common.corpus import SPLITS, Corpus, load_corpus
from common.evaluation import check_unknown_words
from common.from_exercises import use_exercises
from common.report import show_corpus, unknown_kind
from common.runs import Log, begin_run, choose_run
from common.vocab import Vocabulary


@dataclass(frozen=True)
class Setup:
    """A training that can begin: what was asked for, the data, and the run folder with its log."""

    chapter: str
    settings: Any
    corpus: Corpus
    vocab: Vocabulary
    folder: Path
    log: Log


def begin(
    chapter: str,
    settings_class: type,
    presets: Mapping[str, Mapping[str, Any]],
    description: str,
    needs_dynet: Callable[[Any], bool] = lambda settings: True,
) -> Setup:
    """Read the flags and the corpus, check both, set DyNet up where the settings need it, and begin the run.

    Nothing is written before everything is known to be good. Raises `UserError` for bad flags and bad data.
    """
    settings, given = cli.parse_settings(settings_class, presets, description)
    folder, settings = choose_run(chapter, settings, given)
    corpus = load_corpus(settings.corpus)
    vocab = Vocabulary.from_sentences(corpus.train, settings.min_count)
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, corpus))
    for split in SPLITS[1:]:
        check_unknown_words(getattr(corpus, split), vocab, settings.unk, split)
    if needs_dynet(settings):
        runtime.configure(settings.device, settings.seed, threads=settings.threads)  # before anything imports DyNet
    replaced = use_exercises(chapter, settings.from_)
    begin_run(folder, chapter, settings, vocab=vocab)
    log = Log(folder)
    for line in replaced:
        log(line)
    show_corpus(corpus, vocab, log)
    return Setup(chapter, settings, corpus, vocab, folder, log)
