"""The runs that a command line names: RUN ..., or --system NAME RUN ... for systems with several seeds."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from common.endings import did_you_mean
from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from common.evaluation.streaming import stream_log_probs
from common.programs.chapters import load_run
from common.text.corpus import Corpus
from common.text.vocab import Vocabulary
from common.training.past_runs import read_config


class Predictions(NamedTuple):
    """What one run of a system gives a split: log P of every prediction in nats, a row a sentence."""

    system: str
    folder: Path
    log_probs: list[np.ndarray]
    vocab: Vocabulary


def corpus_of(folder: Path) -> str:
    """The corpus that a run was trained on. Raises `UserError` where there is no run."""
    return str(read_config(folder)["settings"].get("corpus", ""))


def legend(names: Iterable[object]) -> list[str]:
    """Which run the column [1] is, and the others."""
    return [f"[{number}] {name}" for number, name in enumerate(names, start=1)]


def check_systems(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for a system without a run, or with one twice, for two of one name, and a cache over none."""
    if any(len(system) < 2 for system in arguments.system):
        raise UserError("--system: give a name and at least one run")
    names = [name for name, *_ in arguments.system]
    if len(set(names)) < len(names):
        raise UserError("--system: two have the same name; give all runs of a system at once")
    for name, *runs in arguments.system:
        if len({Path(run).resolve() for run in runs}) < len(runs):
            raise UserError(f"--system {name}: a run is given twice; it would count as two seeds")
    unknown = [name for name in arguments.cache if name not in names]
    if unknown:
        raise UserError(f"--cache {', '.join(unknown)}: no system of this name{did_you_mean(unknown[0], names)}")


def predictions_of(arguments: argparse.Namespace, corpus: Corpus) -> Iterator[Predictions]:
    """What each run gives the split --split. Raises `UserError` for runs that cannot be compared."""
    words = None
    for name, *folders in arguments.system:
        for folder in map(Path, folders):
            log_probs, vocab = log_probs_of(folder, corpus, arguments.split, name in arguments.cache)
            words = words or vocab.words
            if vocab.words != words:
                raise UserError(
                    f"{folder}: has another vocabulary than the first run; compare runs with the same vocabulary"
                )
            yield Predictions(name, folder, log_probs, vocab)


def log_probs_of(folder: Path, corpus: Corpus, split: str, cache: bool) -> tuple[list[np.ndarray], Vocabulary]:
    """log P of every prediction of a split in nats, by the model of a run, and its vocabulary.

    A run that keeps its state or memory between sentences reads the text in order, another one sentence by sentence.
    """
    model, settings = load_run(folder)
    if Path(settings.corpus).name != corpus.name or not hasattr(model, "log_probs"):
        raise UserError(f"{folder}: not a run of a language model on {corpus.name}")
    lines, in_order = getattr(corpus, split), reads_in_order(settings)
    if not cache:
        return (stream_log_probs if in_order else sentence_log_probs)(model, lines), model.vocab
    if not hasattr(model, "hidden_from"):
        raise UserError(f"{folder}: a neural cache needs a recurrent model of chapter 5")
    from chapters.rnn_lm import cache as chapter

    tuned = chapter.tune(chapter.read(model, corpus.dev, in_order), "text")
    flat = chapter.with_cache(chapter.read(model, lines, in_order), tuned, "text")
    return np.split(flat, np.cumsum([len(line) + 1 for line in lines])[:-1]), model.vocab


def reads_in_order(settings: Any) -> bool:
    """Whether a run goes on from sentence to sentence."""
    return getattr(settings, "state", "") == "kept" or getattr(settings, "memory_states", 0) > 0
