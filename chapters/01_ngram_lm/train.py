"""Train an n-gram language model: `python chapters/01_ngram_lm/train.py --help`."""

import runpy
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.evaluation.perplexity import LanguageModel
from common.training.setup import Setup, begin

from .counts import Level, count_ngrams
from .methods import METHODS
from .report import finish_run, show_counts
from .settings import CHAPTER, Settings
from .smoothing import below_unigrams
from .storage import save_model
from .text import NgramText


def train(setup: Setup) -> None:
    """Count, smooth, and report."""
    settings, vocab, started = setup.settings, setup.vocab, time.perf_counter()
    train_ids = [vocab.encode(sentence) for sentence in setup.corpus.train]
    dev_ids = [vocab.encode(sentence) for sentence in setup.corpus.dev]

    levels: Sequence[Level] = count_ngrams(train_ids, settings.order, len(vocab))
    counted = show_counts(levels, setup.log)
    zero = below_unigrams(settings.unk, vocab, levels[0])
    if settings.smoothing == "all":
        from .comparison import best_of_all

        setup, levels = best_of_all(setup, levels, zero, dev_ids)
    if settings.prune:
        from .pruning import mark

        levels = mark(levels, settings.thresholds)
    model: LanguageModel = METHODS[setup.settings.smoothing](vocab, levels, zero, dev_ids)
    if settings.skip or settings.cache:
        from .longer import look_further_back

        model = look_further_back(setup, model, train_ids, dev_ids)

    seconds = time.perf_counter() - started
    save_model(setup.folder / "model.npz", model, setup.settings.smoothing)
    finish_run(setup, model, counted, seconds)


@exits_cleanly
def main() -> None:
    setup = begin(NgramText, CHAPTER, Settings, "Train an n-gram language model: count, smooth, evaluate.")
    if setup.settings.unk == "characters":
        from .characters import with_spelling

        setup = with_spelling(setup)
    if setup.data.on_disk:
        from .on_disk import train_on_disk

        train_on_disk(setup)
    else:
        train(setup)


if __name__ == "__main__":
    main()
