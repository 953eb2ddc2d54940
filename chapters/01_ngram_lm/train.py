"""Train an n-gram language model: `python chapters/01_ngram_lm/train.py --help`."""

import runpy
import time
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.text.vocab import Vocabulary
from common.training.setup import Setup, begin

from .comparison import compare
from .counts import count_ngrams
from .methods import METHODS
from .report import finish_run, show_counts
from .settings import CHAPTER, PRESETS, Settings
from .smoothing import below_unigrams
from .storage import save_model
from .text import NgramText
from .variants import extend, make_vocabulary, select_ngrams


def train(setup: Setup, vocab: Vocabulary) -> None:
    """Count, compare the smoothings where none is chosen, smooth, and report."""
    settings, started = setup.settings, time.perf_counter()
    train_ids = [vocab.encode(sentence) for sentence in setup.corpus.train]
    dev_ids = [vocab.encode(sentence) for sentence in setup.corpus.dev]

    levels = count_ngrams(train_ids, settings.order, len(vocab))
    counted = show_counts(levels, setup.log)
    zero = below_unigrams(settings.unk, vocab, levels[0])
    if settings.smoothing == "all":
        smoothing, order = compare(setup, vocab, levels, zero, dev_ids)
        settings = replace(settings, smoothing=smoothing, order=order)
        setup = replace(setup, settings=settings)
    model = METHODS[settings.smoothing](vocab, select_ngrams(levels, settings), zero, dev_ids)
    model = extend(setup, model, train_ids, dev_ids)

    seconds = time.perf_counter() - started
    save_model(setup.folder / "model.npz", model, settings.smoothing)
    finish_run(setup, model, counted, seconds)


@exits_cleanly
def main() -> None:
    setup = begin(NgramText, CHAPTER, Settings, PRESETS, "Train an n-gram language model: count, smooth, evaluate.")
    vocab = make_vocabulary(setup)
    if setup.data.on_disk:
        from .on_disk import train_on_disk

        train_on_disk(setup, vocab)
    else:
        train(setup, vocab)


if __name__ == "__main__":
    main()
