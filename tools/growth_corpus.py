"""What a larger corpus costs the attentive language model before and in training: a curve of `tools.growth`."""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from common import runtime
from common.text.batching import make_batches
from common.text.corpus import read_sentences
from common.text.vocab import Vocabulary
from common.training.loop import log_frequencies
from data.generate import village_sentences, write_sentences
from tools.bench.attentive_lm import DyNetSide
from tools.bench.rounds import spread
from tools.bench.sides import even_places
from tools.growth_models import in_new_process, train
from tools.growth_report import STAGES
from tools.growth_settings import Settings

CHAPTER = "06_attentive_lm"


def corpus_curve(settings: Settings, numbers: Sequence[int]) -> dict:
    """Sentences of the village in all sizes, each round of each in a process of its own."""
    rounds: dict[int, list[dict]] = {number: [] for number in numbers}
    with tempfile.TemporaryDirectory() as folder:
        paths = {number: Path(folder, f"{number}.txt") for number in numbers}
        for number, path in paths.items():
            drawn = islice(village_sentences(settings.seed), number)  # a smaller corpus is the beginning of a larger
            write_sentences(path, tqdm(drawn, f"draw {number:,} sentences", number, leave=False, disable=None))
        turns = [(number, path) for _ in range(settings.rounds) for number, path in paths.items()]
        for number, path in tqdm(turns, "corpus", leave=False, disable=None):
            rounds[number].append(in_new_process(settings.threads, corpus_round, path, settings))
    chosen = quick_preset()
    model = f"score {chosen.score}, {chosen.layers} x {chosen.hidden_size}, batches of {chosen.batch_size}"
    return {
        "title": f"sentences of the village; chapter 6's quick preset: {model}",
        "batches": settings.batches,
        "points": [of_corpus(rounds[number]) for number in numbers],
    }


def quick_preset() -> Any:
    """The settings of chapter 6 in a training with no flags."""
    return importlib.import_module(f"chapters.{CHAPTER}.settings").Settings()


def corpus_round(path: Path, settings: Settings) -> dict:
    """What train.py does with a corpus before the first batch, then some batches; the seconds of each step."""
    chosen, seconds = quick_preset(), {}

    def clocked(step: str, function: Callable, *arguments: Any) -> Any:
        started = time.perf_counter()
        result = function(*arguments)
        seconds[step] = time.perf_counter() - started
        return result

    sentences = clocked("read", read_sentences, path)
    vocab = clocked("count", Vocabulary.from_sentences, sentences, chosen.min_count)
    ids = clocked("encode", lambda: [vocab.encode(sentence) for sentence in sentences])
    start_bias = clocked("bias", log_frequencies, ids, len(vocab))
    epoch = clocked("batches", make_batches, ids, chosen.batch_size, np.random.default_rng(settings.seed))
    runtime.configure(threads=settings.threads)
    runtime.seed_dynet(settings.seed)
    side = quick_side(vocab, chosen, start_bias)
    by_length = sorted(epoch, key=lambda batch: len(batch.inputs))
    trained = [by_length[place] for place in even_places(len(epoch), settings.batches)]
    train(side, by_length[-1:])  # not counted: memory is being asked for
    seconds["training"], processor_seconds = train(side, trained)
    return {
        "sentences": len(sentences),
        "predictions": sum(batch.predictions for batch in epoch),
        "vocabulary": len(vocab),
        "trained": sum(batch.predictions for batch in trained),
        "seconds": seconds,
        "processor_seconds": processor_seconds,
        "peak_megabytes": peak_megabytes(),
    }


def quick_side(vocab: Vocabulary, chosen: Any, start_bias: np.ndarray) -> DyNetSide:
    """The model and the optimiser of the quick preset; the learning rate stays as it is in the beginning."""
    from common.nn.optimiser import make_optimiser

    model = importlib.import_module(f"chapters.{CHAPTER}.model").AttentiveLM.from_settings(vocab, chosen, start_bias)
    side = DyNetSide(model)
    side.optimiser = make_optimiser(chosen.optimiser, model.collection, chosen.clip, chosen.epsilon)
    side.optimiser.learning_rate = chosen.learning_rate
    return side


def of_corpus(rounds: Sequence[dict]) -> dict:
    """The figures of one size of the corpus, over all rounds."""
    figures = {name: rounds[0][name] for name in ("sentences", "predictions", "vocabulary", "trained")}
    for one in rounds:
        one["seconds"]["before"] = sum(one["seconds"][stage] for stage in STAGES)
    figures["seconds"] = {step: spread([one["seconds"][step] for one in rounds]) for step in rounds[0]["seconds"]}
    figures["tokens_per_second"] = spread([one["trained"] / one["seconds"]["training"] for one in rounds])
    figures["tokens_per_processor_second"] = spread([one["trained"] / one["processor_seconds"] for one in rounds])
    peaks = [one["peak_megabytes"] for one in rounds]
    return figures | {"peak_megabytes": None if None in peaks else spread(peaks)}


def peak_megabytes() -> float | None:
    """The most memory that this process has held so far; None on Windows, which does not tell in this way."""
    try:
        import resource
    except ModuleNotFoundError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS, in kilobytes elsewhere
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
