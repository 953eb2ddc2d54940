"""Train an n-gram language model: `python chapters/01_ngram_lm/train.py --help`."""

import dataclasses
import runpy
import time
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections import Counter
from contextlib import nullcontext
from typing import NamedTuple

from common.errors import exits_cleanly
from common.evaluation.perplexity import LanguageModel, evaluate
from common.executor import open_executor
from common.files import write_json
from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from common.training.report import report_run
from common.training.setup import Setup, begin

from .budget import check_room, rows_that_fit, words_that_fit
from .characters import RARE, SpellingVocabulary, train_letters
from .comparison import compare
from .counts import Level, count_ngrams
from .disk_counts import DiskLevel, count_on_disk
from .disk_smoothing import DISK_METHODS, interpolate_on_disk
from .longer import Cache, Mixture, probs_of_both, train_skip_gram
from .methods import METHODS
from .model import NgramLM
from .pruning import mark
from .settings import CHAPTER, PRESETS, Settings
from .smoothing import below_unigrams
from .sorting import temporary_folder
from .storage import count_numbers, load_model, parts, save_model
from .streamed import NgramText
from .tuning import tune_weight


class Counted(NamedTuple):
    """How many predictions the text has, and how many different n-grams of each order."""

    predictions: int
    sizes: list[int]


def train(setup: Setup) -> None:
    """Count and smooth, in memory or on disk, add the requested extensions, and report."""
    vocab = spelling_vocabulary(setup) if setup.settings.unk == "characters" else setup.vocab
    started, path = time.perf_counter(), setup.folder / "model.npz"
    dev_ids = [vocab.encode(one) for one in setup.corpus.dev]
    with temporary_folder(setup.folder / ".counts") as place:
        if setup.data.on_disk:
            counted, model = estimate_on_disk(setup, vocab, place)
            model = look_further_back(setup, model, [], dev_ids)
        else:
            train_ids = [vocab.encode(one) for one in setup.corpus.train]
            setup, counted, model = estimate(setup, vocab, train_ids, dev_ids)
            model = look_further_back(setup, model, train_ids, dev_ids)
        seconds = time.perf_counter() - started
        save_model(path, model, setup.settings.smoothing)
        if setup.data.on_disk:
            model, _ = load_model(path, vocab.words, mapped=True)
    record = {
        "epoch": 1,
        "dev_perplexity": evaluate(model, setup.corpus.dev, setup.settings.unk).perplexity,
        "predictions": counted.predictions,
        "seconds": seconds,
    }
    metrics = report_run(setup, model, count_numbers(model), [record])
    if setup.settings.prune:
        kept = zip(parts(model)[0].tables()[0], counted.sizes, strict=True)
        of_each = ", ".join(f"{len(keys):,} of {size:,} of order {n}" for n, (keys, size) in enumerate(kept, 1))
        setup.log(f"n-grams kept by --prune {setup.settings.prune}: {of_each}")
    setup.log(f"{setup.settings.smoothing} of order {setup.settings.order}; everything is in {setup.folder}")
    write_json(setup.folder / "metrics.json", metrics)
    setup.log(f"next: python chapters/{CHAPTER}/generate.py --run {setup.folder} --orders")


def estimate(
    setup: Setup, vocab: Vocabulary, train_ids: list[list[int]], dev_ids: list[list[int]]
) -> tuple[Setup, Counted, NgramLM]:
    """The setup with the smoothing and the order that are kept, what was counted, and the model."""
    settings = setup.settings
    levels = count_ngrams(train_ids, settings.order, len(vocab))
    counted = show_counted(setup, levels)
    zero = below_unigrams(settings.unk, vocab, levels[0])
    if settings.smoothing == "all":
        smoothing, order = compare(setup, vocab, levels, zero, dev_ids)
        settings = dataclasses.replace(settings, smoothing=smoothing, order=order)
        setup = dataclasses.replace(setup, settings=settings)
    levels = mark(levels, settings.thresholds) if settings.prune else levels[: settings.order]
    return setup, counted, METHODS[settings.smoothing](vocab, levels, zero, dev_ids)


def estimate_on_disk(setup: Setup, vocab: Vocabulary, place: Path) -> tuple[Counted, NgramLM]:
    """What was counted, and the model, whose arrays are in files in the folder `place`."""
    settings, most = setup.settings, rows_that_fit(setup.data)
    sentences, words = map(vocab.encode, setup.corpus.train), words_that_fit(most, settings.order)
    with open_executor(1, settings.scheduler, setup.folder) if settings.scheduler else nullcontext() as pool:
        first, levels = count_on_disk(sentences, settings.order, len(vocab), place, words, most, pool)
    counted, method = show_counted(setup, [first, *levels]), DISK_METHODS[settings.smoothing]
    zero = below_unigrams(settings.unk, vocab, first)
    return counted, interpolate_on_disk(vocab, first, levels, zero, method, place, most, settings.thresholds)


def show_counted(setup: Setup, levels: list[Level | DiskLevel]) -> Counted:
    sizes = [len(level.keys) for level in levels]
    setup.log("different n-grams: " + ", ".join(f"{size:,} of order {n}" for n, size in enumerate(sizes, 1)))
    return Counted(int(levels[0].counts.sum()), sizes)


def look_further_back(
    setup: Setup, model: LanguageModel, train_ids: list[list[int]], dev_ids: list[list[int]]
) -> LanguageModel:
    """Mix in the requested skip-grams and cache, with weights tuned on dev."""
    vocab, settings = model.vocab, setup.settings
    extras = [train_skip_gram(vocab, train_ids, distance) for distance in range(2, settings.skip + 1)]
    for extra in [*extras, *([Cache(len(vocab))] if settings.cache else [])]:
        weight = tune_weight(*probs_of_both(model, extra, make_batches(dev_ids, 64)))
        model = Mixture(model, extra, weight)
        figure = evaluate(model, setup.corpus.dev, settings.unk).perplexity
        setup.log(f"with {extra.name}, weight {weight:.3f}: perplexity on dev {figure:.2f}")
    return model


def spelling_vocabulary(setup: Setup) -> SpellingVocabulary:
    """The vocabulary with a model of letters, learnt from the rare words of train."""
    counts = Counter(word for sentence in setup.corpus.train for word in sentence)
    rare = [word for word, count in counts.items() if count <= RARE]
    return SpellingVocabulary(setup.vocab.words[2:], train_letters(rare or counts, setup.settings.character_order))


@exits_cleanly
def main() -> None:
    description = "Train an n-gram language model: count, smooth, evaluate."
    train(begin(NgramText, CHAPTER, Settings, PRESETS, description, check_room))


if __name__ == "__main__":
    main()
