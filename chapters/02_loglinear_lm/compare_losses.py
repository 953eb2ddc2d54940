"""The same features under several losses: `python chapters/02_loglinear_lm/compare_losses.py`.

How often the best word is the right one, and the perplexity of the softmax of the scores, which only the likelihood
has made probabilities; over several seeds.
"""

import dataclasses
import runpy
from pathlib import Path
from typing import NamedTuple

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import evaluate
from common.programs.arguments import check_most
from common.text.corpus import Corpus, load_corpus
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.start_bias import log_frequencies

from .features import FeatureSet, make_features
from .fitting import fit
from .learners import NumpyLearner
from .margin import LOSSES, accuracy
from .settings import Settings


class Data(NamedTuple):
    """What all runs share: the corpus, its splits as ids, the features, and the bias to start from."""

    corpus: Corpus
    train: list[list[int]]
    dev: list[list[int]]
    test: list[list[int]]
    features: FeatureSet
    bias: np.ndarray

    @classmethod
    def read(cls, settings: Settings) -> "Data":
        corpus = load_corpus(settings.corpus)
        vocab = Vocabulary.from_sentences(corpus.train, settings.min_count)
        train, dev, test = (list(map(vocab.encode, split)) for split in (corpus.train, corpus.dev, corpus.test))
        return cls(corpus, train, dev, test, make_features(settings, vocab, train), log_frequencies(train, len(vocab)))


def run(loss: str, settings: Settings, data: Data) -> tuple[float, float, float]:
    """Train once: accuracy on dev and on test, in per cent, and the perplexity of the softmax on test."""
    learner = NumpyLearner(settings, data.features, data.bias, LOSSES[loss])
    for _ in fit(learner, settings, data.train):
        pass
    dev, test = (100 * accuracy(learner.model, split) for split in (data.dev, data.test))
    return dev, test, evaluate(learner.model, data.corpus.test, "token").perplexity


def compare(losses: list[str], settings: Settings, seeds: int) -> None:
    """Print a line for each loss and seed, and means and standard deviations."""
    data = Data.read(settings)
    print(f"{'loss':12}{'seed':>12}{'dev %':>14}{'test %':>14}{'perplexity of the softmax':>28}")
    for loss in losses:
        rows = []
        for seed in range(settings.seed, settings.seed + seeds):
            rows.append(run(loss, dataclasses.replace(settings, seed=seed), data))
            dev, test, perplexity = rows[-1]
            print(f"{loss:12}{seed:12}{dev:14.2f}{test:14.2f}{perplexity:28.2f}", flush=True)
        if seeds > 1:
            parts = zip(np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1), strict=True)
            means = [f"{mean:.2f} ± {spread:.2f}" for mean, spread in parts]
            print(f"{loss:12}{f'mean of {seeds}':>12}{means[0]:>14}{means[1]:>14}{means[2]:>28}", flush=True)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        description="Compare losses for the features of chapter 2 by how often the best word is right."
    )
    parser.add_argument("--loss", choices=LOSSES, action="append", help="which loss (default: all); may be repeated")
    parser.add_argument("--corpus", default="village", metavar="NAME", help="corpus to train on (default: village)")
    parser.add_argument(
        "--features", default="word1,word2", metavar="NAMES", help="as in train.py (default: word1,word2)"
    )
    parser.add_argument("--epochs", type=int, default=3, metavar="N", help="passes over train (default: 3)")
    parser.add_argument("--learning-rate", type=float, default=0.0, metavar="X", help="0: the optimiser's own")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first seed (default: 1)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="how many seeds (default: 3)")
    arguments = parser.parse_args()
    check_most(arguments)
    flags = vars(arguments)
    losses, seeds = flags.pop("loss"), flags.pop("seeds")
    if seeds < 1:
        raise UserError("--seeds must be at least 1")
    compare(losses or list(LOSSES), Settings(**flags), seeds)


if __name__ == "__main__":
    main()
