"""Online, minibatch and batch training of one model, side by side (Neubig 2017, section 6.5).

python chapters/05_rnn_lm/compare_batching.py

Each batch size gets the same CPU time on the same sentences. An update follows the mean gradient of its sentences. The
largest size is all of them (batch training); their gradients are accumulated piece by piece. Evaluation is not timed.
"""

import argparse
import runpy
import time
from dataclasses import dataclass, field
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy
import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import evaluate
from common.nn.optimiser import make_optimiser
from common.plots.plotting import plt, save_figure
from common.programs.arguments import check_most
from common.text.batching import make_batches
from common.text.corpus import load_corpus
from common.text.dividing import in_parts
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.runs import runs_root
from common.training.start_bias import log_frequencies

from .model import RecurrentLM
from .settings import CHAPTER

PIECE = 128
"""Sentences that are computed together where an update needs more."""


@dataclass
class Course:
    """How a training run went: at every check the CPU seconds, the passes over the sentences and the dev perplexity."""

    updates: int = 0
    predictions: int = 0
    checks: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def tokens_per_second(self) -> float:
        return self.predictions / self.checks[-1][0]

    @property
    def largest_rise(self) -> float:
        """The most by which the dev perplexity rose from one check to the next, relatively."""
        perplexities = [perplexity for _, _, perplexity in self.checks]
        return max([0.0, *(after / before - 1 for before, after in zip(perplexities, perplexities[1:], strict=False))])

    def at_pass(self, passes: float) -> float:
        """The dev perplexity at the first check after so many passes; NaN where there is none."""
        return next((perplexity for _, done, perplexity in self.checks if done >= passes - 1e-9), float("nan"))


def pieces(ids: list[list[int]], size: int, rng: np.random.Generator) -> list[list]:
    """The batches of one pass, in groups: the gradients of a group are accumulated for one update."""
    return [in_parts(batch, PIECE) for batch in make_batches(ids, size, rng)]


def train(
    model: RecurrentLM, ids: list[list[int]], dev: list[list[str]], size: int, arguments: argparse.Namespace
) -> Course:
    """Train until the time is up and the first pass is done; about 20 checks."""
    course, rng, seconds, passes = Course(), np.random.default_rng(arguments.seed), 0.0, 0
    optimiser = make_optimiser(arguments.optimiser, model.collection, clip=5.0)
    optimiser.learning_rate = arguments.learning_rate
    done = 0
    while seconds < arguments.seconds or passes < 1:
        for group in pieces(ids, size, rng):
            started = time.process_time()
            sentences = sum(len(batch.indices) for batch in group)
            for batch in group:
                dy.renew_cg()
                loss = model.loss(batch)[0] * (1 / sentences)
                loss.forward()
                loss.backward()
                course.predictions += batch.predictions
            optimiser.update()
            seconds += time.process_time() - started
            course.updates, done = course.updates + 1, done + sentences
            last = course.checks[-1][0] if course.checks else 0.0
            time_is_up = seconds > arguments.seconds and passes >= 1
            if time_is_up or seconds - last > arguments.seconds / 20 or done % len(ids) == 0:
                result = evaluate(model, dev, "token")
                course.checks.append((seconds, done / len(ids), result.perplexity))
            if time_is_up:
                break
        passes += 1
    return course


def draw(courses: dict[str, Course], path: Path) -> None:
    """Dev perplexity over CPU seconds and over passes."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for name, course in courses.items():
        seconds, passes, perplexities = zip(*course.checks, strict=True)
        for panel, values in zip(panels, (seconds, passes), strict=True):
            panel.plot(values, perplexities, ".-", label=name)
    panels[0].set(xlabel="CPU seconds", ylabel="dev perplexity", yscale="log")
    panels[1].set(xlabel="passes over the sentences")
    panels[1].legend(title="sentences an update")
    save_figure(figure, path)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1, 8, 32, 128, 0], metavar="N", help="0: all sentences"
    )
    parser.add_argument("--sentences", type=int, default=1000, metavar="N", help="training sentences (default: 1000)")
    parser.add_argument("--seconds", type=float, default=6, metavar="X", help="CPU time for each size (default: 6)")
    parser.add_argument(
        "--optimiser", choices=("sgd", "adam"), default="sgd", help="how parameters are updated (default: sgd)"
    )
    parser.add_argument("--learning-rate", type=float, default=0.3, metavar="X", help="constant (default: 0.3)")
    parser.add_argument(
        "--corpus", default="village", metavar="NAME", help="corpus of the sentences (default: village)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default: 1)")
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.sizes) < 0 or min(arguments.sentences, arguments.seed) < 1:
        raise UserError("--sizes must be at least 0, --sentences and --seed at least 1")
    if min(arguments.seconds, arguments.learning_rate) <= 0:
        raise UserError("--seconds and --learning-rate must be more than 0")

    corpus = load_corpus(arguments.corpus)
    vocab = Vocabulary.from_sentences(corpus.train, 2)
    ids, dev = [vocab.encode(sentence) for sentence in corpus.train[: arguments.sentences]], corpus.dev[:100]
    print(f"{'sentences':>10}{'tokens/s':>10}{'updates':>9}{'passes':>8}   dev perplexity after    largest rise")
    print(f"{'an update':>10}{'':27}   {'one pass':>10}{f'{arguments.seconds:g} s':>10}    between checks")
    courses = {}
    for size in arguments.sizes:
        dy.reset_random_seed(arguments.seed)
        model = RecurrentLM(vocab, log_frequencies(ids, len(vocab)), hidden_size=128, dropout=0.0)
        course = courses[str(size or "all")] = train(model, ids, dev, size or len(ids), arguments)
        print(
            f"{size or 'all':>10}{course.tokens_per_second:10,.0f}{course.updates:9,}{course.checks[-1][1]:8.1f}"
            f"   {course.at_pass(1):10.2f}{course.checks[-1][2]:10.2f}{course.largest_rise:18.1%}",
            flush=True,
        )
    path = runs_root() / CHAPTER / "compare_batching.png"
    draw(courses, path)
    print(f"drawn in {path}")


if __name__ == "__main__":
    main()
