"""Training where the text does not fit into memory: the same model, counted and smoothed in files."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path

from common.executor import open_executor
from common.training.setup import Setup

from .disk_budget import rows_that_fit, words_that_fit
from .disk_counts import count_on_disk
from .disk_smoothing import DISK_METHODS, interpolate_on_disk
from .loading import load_model
from .longer import look_further_back
from .model import NgramLM
from .report import Counted, finish_run, show_counts
from .smoothing import below_unigrams
from .sorting import temporary_folder
from .storage import save_model
from .text import COUNTS


def train_on_disk(setup: Setup) -> None:
    """As `train.train`, of a `streamed.StreamedText`; the model is mapped from its file while it is evaluated."""
    started, path, vocab = time.perf_counter(), setup.folder / "model.npz", setup.vocab
    dev_ids = [vocab.encode(sentence) for sentence in setup.corpus.dev]
    with temporary_folder(setup.folder / COUNTS) as place:
        counted, estimated = estimate_on_disk(setup, place)
        model = look_further_back(setup, estimated, [], dev_ids)
        seconds = time.perf_counter() - started
        save_model(path, model, setup.settings.smoothing)
    model, _ = load_model(path, vocab.words, mapped=True)
    finish_run(setup, model, counted, seconds)


def estimate_on_disk(setup: Setup, place: Path) -> tuple[Counted, NgramLM]:
    """What was counted, and the model, whose arrays are in files in the folder `place`."""
    settings, vocab, most = setup.settings, setup.vocab, rows_that_fit(setup.data)
    parts = setup.corpus.train.parts(vocab, words_that_fit(most, settings.order))
    with open_executor(1, settings.scheduler, setup.folder) if settings.scheduler else nullcontext() as pool:
        first, levels = count_on_disk(parts, settings.order, len(vocab), place, most, pool)
    counted, method = show_counts([first, *levels], setup.log), DISK_METHODS[settings.smoothing]
    zero = below_unigrams(settings.unk, vocab, first)
    return counted, interpolate_on_disk(vocab, first, levels, zero, method, place, most, settings.thresholds)
