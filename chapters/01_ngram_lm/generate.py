"""Sample sentences from a trained n-gram model, or score sentences with it.

python chapters/01_ngram_lm/generate.py --number 5
python chapters/01_ngram_lm/generate.py --orders
echo "mira reads the letter ." | python chapters/01_ngram_lm/generate.py --score -
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse
from dataclasses import replace

from common.errors import UserError, exits_cleanly
from common.memory import fits
from common.programs import generation
from common.programs.arguments import run_argument
from common.programs.chapters import load_run
from common.text.corpus import find_corpus, load_corpus
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.past_runs import latest_run, read_config, settings_of

from .arpa import read_arpa
from .counts import count_ngrams
from .disk_budget import bytes_to_count, short_of
from .loading import load_model
from .methods import METHODS
from .pruning import mark
from .settings import CHAPTER, Settings
from .smoothing import below_unigrams
from .storage import parts


def every_order(folder: Path, arguments: argparse.Namespace) -> None:
    """Samples of one smoothing at orders 1, 2, ... one below the other: counted anew from the run's corpus."""
    settings = settings_of(read_config(folder, CHAPTER), Settings)
    vocab = Vocabulary.load(folder / "vocab.txt")
    model, smoothing = load_model(folder / "model.npz", vocab.words)
    smoothing, order = arguments.smoothing or smoothing, max(parts(model)[0].order, arguments.orders)
    needed = bytes_to_count(find_corpus(settings.corpus), order)
    if not fits(needed):
        raise UserError(f"--orders: {short_of(needed)}")
    corpus = load_corpus(settings.corpus)
    train_ids, dev_ids = ([vocab.encode(sentence) for sentence in split] for split in (corpus.train, corpus.dev))
    levels = count_ngrams(train_ids, order, len(vocab))
    if settings.prune:  # the methods that cannot prune take no notice of the marks
        levels = mark(levels, replace(settings, order=order).thresholds)
    zero = below_unigrams(settings.unk, vocab, levels[0])
    for n in range(1, order + 1):
        print(f"--- {smoothing} of order {n}", flush=True)
        generation.generate(METHODS[smoothing](vocab, levels[:n], zero, dev_ids), settings.unk, arguments)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Sample sentences from a trained n-gram language model, or score text.")
    run_argument(parser)
    parser.add_argument("--arpa", metavar="FILE", help="the model in this ARPA file instead of a run's")
    parser.add_argument(
        "--orders",
        type=int,
        nargs="?",
        const=1,
        metavar="N",
        help="samples from models of every order, up to the run's or to N, whichever is larger",
    )
    parser.add_argument("--smoothing", choices=METHODS, help="smoothing for --orders (default: the run's)")
    generation.add_arguments(parser)
    arguments = parser.parse_args()
    generation.check(arguments)
    if arguments.arpa:
        if arguments.orders is not None or arguments.run or arguments.smoothing:
            raise UserError("--arpa already names a model; leave out --run, --orders and --smoothing")
        generation.generate(read_arpa(arguments.arpa), "token", arguments)
        return
    if arguments.smoothing and arguments.orders is None:
        raise UserError(f"--smoothing {arguments.smoothing}: only with --orders; add that flag")
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    if arguments.orders is not None:
        if arguments.orders < 1 or arguments.score:
            raise UserError("--orders prints samples: N must be at least 1, and --score left out")
        every_order(folder, arguments)
        return
    model, settings = load_run(folder, CHAPTER)
    generation.generate(model, settings.unk, arguments)


if __name__ == "__main__":
    main()
