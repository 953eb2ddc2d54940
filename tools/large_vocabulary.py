"""What an epoch costs with a large vocabulary: `python -m tools.large_vocabulary --chapters 4 6 --softmaxes sampled`.

Invented sentences as long and as many as those of PTB's training split; their k-th word is k times rarer than the first
(Zipf). Some batches of an epoch are trained on and some sentences evaluated, as train.py does it with its default
settings; from their processor time follows that of the epoch.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import dynet as dy
import numpy as np

from common import runtime
from common.chapters import chapter_module
from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.perplexity import evaluate
from common.nn.optimiser import make_optimiser
from common.nn.parameters import DynetParameters
from common.programs.arguments import check_most
from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from common.training.checkpoint import CombinedParameters, save_parameters
from common.training.start_bias import log_frequencies
from tools.bench.language_models import invent_sentences

T = TypeVar("T")
SENTENCES, DEV_SENTENCES = 42_068, 3_370
"""In PTB's training and dev split."""
CHAPTERS = {4: "04_feedforward_lm", 5: "05_rnn_lm", 6: "06_attentive_lm"}
WARM_UP = 2
"""Batches that are not counted: the first ones take memory."""


@dataclass
class Cost:
    """Processor seconds of an epoch's parts, and how many predictions of training were measured."""

    training: float
    evaluation: float
    measured: int
    checkpoint: float | None = None

    def line(self, chapter: int, softmax: str) -> str:
        """A row of the table, times in minutes."""
        checkpoint = "" if self.checkpoint is None else f"{self.checkpoint / 60:.1f}"
        parts = f"{self.training / 60:.1f} | {self.evaluation / 60:.1f} | {checkpoint}"
        return f"| {chapter}, {softmax} | {parts} | {self.measured:,} |"


def make_model(chapter: int, vocab: Vocabulary, softmax: str, unigram: np.ndarray) -> tuple[Any, Any]:
    """The model that train.py makes with --softmax and the defaults, and its settings."""
    module = chapter_module(CHAPTERS[chapter], "model" if chapter == 4 else "variants")
    settings = chapter_module(CHAPTERS[chapter], "settings").Settings(softmax=softmax)
    if chapter == 4:
        return module.FeedForwardLM.from_settings(settings, vocab, unigram), settings
    return module.make_model(vocab, settings, unigram), settings


def measure(chapter: int, softmax: str, words: int, batches: int, seed: int, checkpoint: bool) -> Cost:
    """The cost of an epoch, by so many of its batches."""
    rng = np.random.default_rng(seed)
    runtime.seed_dynet(seed)
    train = invent_sentences(SENTENCES, words, rng)
    vocab = Vocabulary(f"word{number}" for number in range(2, words))
    model, settings = make_model(chapter, vocab, softmax, log_frequencies(train, words))
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    optimiser.learning_rate = settings.learning_rate
    batches_of_training = make_batches(train, settings.batch_size, rng)[: WARM_UP + batches]
    for batch in batches_of_training[:WARM_UP]:
        step(model, optimiser, batch, rng)
    _, training = timed(lambda: [step(model, optimiser, batch, rng) for batch in batches_of_training[WARM_UP:]])
    trained_on = sum(batch.predictions for batch in batches_of_training[WARM_UP:])
    dev = [vocab.decode(sentence) for sentence in invent_sentences(64, words, rng)]
    result, evaluation = timed(lambda: evaluate(model, dev, "token"))
    predictions = sum(map(len, train)) + len(train)
    cost = Cost(
        training / trained_on * predictions,
        evaluation / result.predictions * predictions / len(train) * DEV_SENTENCES,
        trained_on,
    )
    if checkpoint:
        with tempfile.TemporaryDirectory() as folder:
            parameters = CombinedParameters([DynetParameters(model), optimiser])
            _, cost.checkpoint = timed(lambda: save_parameters(Path(folder) / "checkpoint.npz", parameters, {}))
    return cost


def step(model: Any, optimiser: Any, batch: Any, rng: np.random.Generator) -> None:
    """What train.py does with a batch. Raises `UserError` for a loss that is not finite."""
    dy.renew_cg()
    loss = model.loss(batch, rng=rng)
    loss = loss[0] if isinstance(loss, tuple) else loss
    if not math.isfinite(loss.scalar_value()):
        raise UserError("the loss is not finite")
    (loss * (1 / len(batch.indices))).backward()
    optimiser.update()


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """What an action returns, and the processor seconds that it took."""
    started = time.process_time()
    result = action()
    return result, time.process_time() - started


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description="Measure the time of an epoch with a large vocabulary.")
    parser.add_argument(
        "--chapters",
        type=int,
        nargs="+",
        choices=CHAPTERS,
        default=list(CHAPTERS),
        help="chapters to measure (default: 4, 5 and 6)",
    )
    parser.add_argument("--softmaxes", nargs="+", default=["hierarchical", "sampled"], help="choices of --softmax")
    parser.add_argument(
        "--words", type=int, default=200_000, metavar="N", help="words in the vocabulary (default: 200000)"
    )
    parser.add_argument("--batches", type=int, default=50, metavar="N", help="batches to train on (default: 50)")
    parser.add_argument("--checkpoint", action="store_true", help="also write a checkpoint, which takes long")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.words < 10 or min(arguments.batches, arguments.seed) < 1:
        raise UserError("--words must be at least 10, --batches and --seed at least 1")
    print("| minutes of an epoch: chapter, --softmax | training | evaluation | checkpoint | predictions measured |")
    print("|---|---|---|---|---|")
    sizes = (arguments.words, arguments.batches, arguments.seed)
    for chapter in arguments.chapters:
        for softmax in arguments.softmaxes:
            cost = measure(chapter, softmax, *sizes, arguments.checkpoint)
            print(cost.line(chapter, softmax), flush=True)


if __name__ == "__main__":
    main()
