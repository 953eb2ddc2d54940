"""The same model, four optimisers, several learning rates: `python chapters/02_loglinear_lm/compare_optimisers.py`.

Every optimiser begins at its own rate times each of the factors. The table and the picture show the dev perplexity
after every epoch; the picture is optimisers.png in the current folder unless --out names another file.
"""

import dataclasses
import math
import runpy
import time
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import evaluate, perplexity
from common.plots.plotting import plt, save_figure
from common.programs.arguments import check_most
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.start_bias import log_frequencies

from .features import make_features
from .fitting import fit
from .learners import NumpyLearner
from .optimisers import OPTIMISERS
from .settings import Settings

COLOURS = {"sgd": "tab:blue", "momentum": "tab:orange", "adagrad": "tab:green", "adam": "tab:red"}


def compare(base: Settings, factors: list[float]) -> list[dict]:
    """Train with every optimiser and factor: their names, rates, dev perplexities by epoch, and CPU seconds."""
    corpus = load_corpus(base.corpus)
    vocab = Vocabulary.from_sentences(corpus.train, base.min_count)
    train_ids = [vocab.encode(sentence) for sentence in corpus.train]
    features, bias = make_features(base, vocab, train_ids), log_frequencies(train_ids, len(vocab))
    print(f"{'optimiser':10}{'rate':>8}{'CPU s':>8}{'train':>9}   dev perplexity after each epoch")
    rows = []
    for kind in OPTIMISERS:
        for factor in factors:
            settings = dataclasses.replace(base, optimiser=kind, learning_rate=OPTIMISERS[kind].rate * factor)
            rows.append(run(settings, NumpyLearner(settings, features, bias), train_ids, corpus.dev))
            print(as_line(rows[-1]), flush=True)
    return rows


def run(settings: Settings, learner: NumpyLearner, train_ids: list[list[int]], dev: list[list[str]]) -> dict:
    """One run. A loss that is no longer a number ends it, and the table shows what it reached until then."""
    row: dict[str, Any] = {
        "optimiser": settings.optimiser,
        "rate": settings.learning_rate,
        "dev": [],
        "train": float("nan"),
    }
    seconds = 0.0
    started = time.process_time()
    try:
        for meter in fit(learner, settings, train_ids):
            seconds += time.process_time() - started
            row["train"] = perplexity(-meter.loss, meter.predictions)
            row["dev"].append(evaluate(learner.model, dev, "uniform").perplexity)
            started = time.process_time()
    except UserError as error:
        print(f"{settings.optimiser} at {settings.learning_rate:g}: {error}")
    return {**row, "seconds": seconds}


def as_line(row: dict) -> str:
    """A row of the table."""
    figures = " ".join(f"{value:9.2f}" if value < 1e6 else f"{value:9.2g}" for value in row["dev"])
    return f"{row['optimiser']:10}{row['rate']:8.3g}{row['seconds']:8.1f}{row['train']:9.2f}   {figures}"


def draw(rows: list[dict], path: Path) -> None:
    """Left: the best rate of each optimiser over the epochs. Right: the last epoch over the rates."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for kind, colour in COLOURS.items():
        own = [row for row in rows if row["optimiser"] == kind and row["dev"] and math.isfinite(row["dev"][-1])]
        if not own:
            continue
        best = min(own, key=lambda row: row["dev"][-1])
        left.plot(range(1, len(best["dev"]) + 1), best["dev"], "o-", color=colour, label=f"{kind}, {best['rate']:.3g}")
        right.plot([row["rate"] for row in own], [row["dev"][-1] for row in own], "o-", color=colour, label=kind)
    left.set(xlabel="epoch", ylabel="dev perplexity", yscale="log", title="at the best of the rates tried")
    right.set(xlabel="learning rate", xscale="log", yscale="log", title="after the last epoch")
    left.legend()
    right.legend()
    save_figure(figure, path)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Compare the optimisers of chapter 2 on dev perplexity.")
    parser.add_argument("--corpus", default="village", metavar="NAME", help="corpus to train on (default: village)")
    parser.add_argument(
        "--features", default="word1,word2", metavar="NAMES", help="as in train.py (default: word1,word2)"
    )
    parser.add_argument(
        "--epochs", type=int, default=4, metavar="N", help="passes over the training split (default: 4)"
    )
    parser.add_argument(
        "--schedule", default="cosine", choices=("cosine", "constant"), help="how the learning rate falls"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default: 1)")
    parser.add_argument(
        "--factors",
        type=float,
        nargs="+",
        default=[1.0],
        metavar="X",
        help="factors by which each optimiser's learning rate is multiplied",
    )
    parser.add_argument("--out", type=Path, default=Path("optimisers.png"), metavar="FILE", help="file to draw to")
    arguments = parser.parse_args()
    check_most(arguments)
    flags = vars(arguments)
    factors, out = flags.pop("factors"), flags.pop("out")
    settings = Settings(**flags)
    if min(factors) <= 0:
        raise UserError("--factors must be above 0")
    rows = compare(settings, factors)
    if not any(math.isfinite(value) for row in rows for value in row["dev"][-1:]):
        raise UserError("no run has a dev perplexity that can be drawn; choose smaller --factors")
    draw(rows, out)
    print(f"drawn in {out}")


if __name__ == "__main__":
    main()
