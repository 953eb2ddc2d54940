"""Train an n-gram language model: `python chapters/01_ngram_lm/train.py --help`."""

import dataclasses
import runpy
import time
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections import Counter

import numpy as np

from common.errors import exits_cleanly
from common.evaluation.perplexity import LanguageModel, evaluate
from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from common.training.cost import with_cost
from common.training.report import report_run
from common.training.setup import Setup, Text, begin

from .characters import RARE, SpellingVocabulary, train_letters
from .counts import Level, count_ngrams
from .longer import Cache, Mixture, probs_of_both, train_skip_gram
from .methods import METHODS
from .picture import perplexity_by_order
from .prefixes import share_possible
from .settings import CHAPTER, PRESETS, SMOOTHINGS, Settings
from .smoothing import order_zero
from .storage import count_numbers, save_model
from .tuning import tune_weight


def train(setup: Setup) -> None:
    """Count, smooth, add the requested extensions, and report."""
    settings, log = setup.settings, setup.log
    vocab = spelling_vocabulary(setup) if settings.unk == "characters" else setup.vocab
    started = time.perf_counter()
    train_ids, dev_ids = ([vocab.encode(one) for one in split] for split in (setup.corpus.train, setup.corpus.dev))
    levels = count_ngrams(train_ids, settings.order, len(vocab))
    log("different n-grams: " + ", ".join(f"{len(level.keys):,} of order {n}" for n, level in enumerate(levels, 1)))
    spells_unknown = settings.unk in ("uniform", "characters") and levels[0].counts[vocab.unknown] == 0
    zero = order_zero(len(vocab), spells_unknown)
    if settings.smoothing == "all":
        smoothing, order = compare(setup, vocab, levels, zero, dev_ids)
        settings = dataclasses.replace(settings, smoothing=smoothing, order=order)
        setup = dataclasses.replace(setup, settings=settings)
    model = METHODS[settings.smoothing](vocab, levels[: settings.order], zero, dev_ids)
    model = look_further_back(setup, model, train_ids, dev_ids)
    seconds = time.perf_counter() - started
    save_model(setup.folder / "model.npz", model, settings.smoothing)
    record = {
        "epoch": 1,
        "dev_perplexity": evaluate(model, setup.corpus.dev, settings.unk).perplexity,
        "predictions": int(levels[0].counts.sum()),
        "seconds": seconds,
    }
    report_run(setup, model, count_numbers(model), [record])
    log(f"{settings.smoothing} of order {settings.order}; everything is in {setup.folder}")
    log(f"next: python chapters/{CHAPTER}/generate.py --run {setup.folder} --orders")


def compare(
    setup: Setup, vocab: Vocabulary, levels: list[Level], zero: np.ndarray, dev_ids: list[list[int]]
) -> tuple[str, int]:
    """Show what each smoothing is worth at each order on dev; the best smoothing and its order."""
    log, unk = setup.log, setup.settings.unk
    share = share_possible(setup.corpus.train, setup.corpus.dev)
    log(f"maximum likelihood of whole beginnings (Eq. 5) gives {share:.1%} of dev a probability: what is in train")
    log(f"\n{'perplexity on dev, order':26}" + "".join(f"{order:>10}" for order in range(1, len(levels) + 1)))
    found = {}
    steps = [(smoothing, order) for smoothing in METHODS for order in range(1, len(levels) + 1)]
    for smoothing, order in with_cost(steps, "the comparison of all smoothings"):
        model = METHODS[smoothing](vocab, levels[:order], zero, dev_ids)
        found[smoothing, order] = evaluate(model, setup.corpus.dev, unk).perplexity
        if order == len(levels):
            log(f"{smoothing:26}" + "".join(f"{found[smoothing, n]:10.2f}" for n in range(1, order + 1)))
    oracle = (setup.corpus.oracle("dev") or {}).get("perplexity")
    perplexity_by_order(found, setup.folder / "perplexity_by_order.png", oracle)
    return min((one for one in found if one[0] in SMOOTHINGS), key=found.get)


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
    train(begin(Text, CHAPTER, Settings, PRESETS, description))


if __name__ == "__main__":
    main()
