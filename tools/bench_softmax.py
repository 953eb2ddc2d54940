"""How fast the softmaxes of chapter 4 train and how far they get: `python -m tools.bench_softmax --help`.

For each size of vocabulary, all of them train in turn on the same stream of invented text, round after round, each
until it has used its share of processor time. The perplexity in the end is exact for all, and the true one is known.
"""

from __future__ import annotations

import importlib
import math
import statistics
import time
from dataclasses import asdict, dataclass

import numpy as np

from common import runtime
from common.errors import UserError, exits_cleanly
from common.files import write_json
from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.cli import setting
from tools.zipf_text import ZipfText

CHAPTER = "04_feedforward_lm"
TEST_SEED = 0
"""The batches of the stream have the seeds 1, 2, 3, ..."""


@dataclass(frozen=True)
class Settings:
    """The flags of the benchmark."""

    vocabularies: str = setting("1000,10000,100000", "sizes of vocabulary, separated by commas")
    softmaxes: str = setting("full,class,hierarchical,sampled,nce", "which of them, separated by commas")
    seconds: float = setting(20.0, "processor time that each trains, at each size", minimum=0.01)
    rounds: int = setting(4, "in how many parts, in turn", minimum=1)
    order: int = setting(3, "order of the model", minimum=2)
    hidden_size: int = setting(128, "size of embeddings and of the hidden layer", minimum=1)
    batch_size: int = setting(20, "sentences in a batch, of 20 words on average", minimum=1)
    samples: int = setting(256, "words drawn a batch for sampled and nce", minimum=1)
    learning_rate: float = setting(0.004, "of Adam, constant", minimum=1e-9)
    test_sentences: int = setting(500, "sentences that the perplexity is taken on", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1)
    json: str = setting("", "a file to write the figures to")


class Contestant:
    """A model with one of the softmaxes, how much it has trained, and how fast it was in each round."""

    def __init__(self, softmax: str, vocabulary: int, unigram: np.ndarray, settings: Settings):
        import dynet as dy

        from common.nn.optimiser import make_optimiser

        chapter = importlib.import_module(f"chapters.{CHAPTER}.settings")
        chosen = {name: getattr(settings, name) for name in ("order", "hidden_size", "samples")}
        vocab = Vocabulary(f"w{number}" for number in range(2, vocabulary))
        self.softmax, self.dy, self.rng = softmax, dy, np.random.default_rng(settings.seed)
        self.model = importlib.import_module(f"chapters.{CHAPTER}.model").FeedForwardLM(
            vocab, chapter.Settings(softmax=softmax, dropout=0.0, **chosen), unigram
        )
        self.optimiser = make_optimiser("adam", self.model.collection, clip=5.0)
        self.optimiser.learning_rate = settings.learning_rate
        self.batches, self.predictions, self.seconds = 0, 0, 0.0
        self.speeds: list[float] = []

    def train_until(self, seconds: float, text: ZipfText, batch_size: int) -> None:
        """Go on along the stream until that much processor time has been used in all; drawing text does not count."""
        predictions, before = self.predictions, self.seconds
        while self.seconds < seconds:
            self.batches += 1
            batch = batch_of(text, batch_size, self.batches)
            started = time.process_time()
            self.train_on(batch)
            self.seconds += time.process_time() - started
            self.predictions += batch.predictions
        if self.predictions > predictions:
            self.speeds.append((self.predictions - predictions) / (self.seconds - before))

    def train_on(self, batch: Batch) -> None:
        self.dy.renew_cg()
        loss = self.model.loss(batch, self.rng)
        if not math.isfinite(loss.scalar_value()):
            raise UserError(f"{self.softmax}: the loss is not finite; try a smaller --learning-rate")
        mean_loss = loss * (1 / len(batch.indices))
        mean_loss.backward()
        self.optimiser.update()

    def figures(self, test: Batch) -> dict:
        """What came of it."""
        speeds = {"median": statistics.median(self.speeds), "min": min(self.speeds), "max": max(self.speeds)}
        log_probs = self.model.log_probs(test)
        perplexity = math.exp(-float((log_probs * test.mask).sum()) / test.predictions)
        return {"tokens_per_second": speeds, "predictions": self.predictions, "perplexity": perplexity}


def batch_of(text: ZipfText, sentences: int, seed: int) -> Batch:
    return make_batch(text.sentences(sentences, seed), range(sentences))


def measure(vocabulary: int, settings: Settings) -> dict:
    """All softmaxes at one size of vocabulary: their figures, and those of the truth and of the unigram model."""
    text = ZipfText(vocabulary, settings.seed)
    unigram = text.unigram()
    contestants = [Contestant(name, vocabulary, unigram, settings) for name in names(settings.softmaxes)]
    for number in range(1, settings.rounds + 1):
        for contestant in contestants:
            contestant.train_until(settings.seconds * number / settings.rounds, text, settings.batch_size)
    sentences = text.sentences(settings.test_sentences, TEST_SEED)
    truth = np.concatenate([text.log_probs(sentence) for sentence in sentences])
    counting = np.concatenate([unigram[[*sentence, Vocabulary.boundary]] for sentence in sentences])
    test = make_batch(sentences, range(len(sentences)))
    return {
        "truth": math.exp(-truth.mean()),
        "unigram": math.exp(-counting.mean()),
        "softmaxes": {contestant.softmax: contestant.figures(test) for contestant in contestants},
    }


def names(text: str) -> list[str]:
    """The softmaxes of --softmaxes. Raises `UserError` for one that is not there."""
    known = importlib.import_module(f"chapters.{CHAPTER}.settings").SOFTMAXES
    for name in text.split(","):
        if name not in known:
            raise UserError(f"--softmaxes {text}: no softmax {name!r}; choose from {', '.join(known)}")
    return text.split(",")


def sizes(text: str) -> list[int]:
    """The numbers of --vocabularies. Raises `UserError` for one that is not a number or too small."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 100:
        raise UserError(f"--vocabularies {text}: give whole numbers from 100 on, separated by commas")
    return found


def show(vocabulary: int, result: dict) -> str:
    """The figures of one size as a table."""
    lines = [
        f"{vocabulary:,} words; perplexity of the truth {result['truth']:.1f}, of the unigram {result['unigram']:.1f}",
        f"{'':14}{'tokens/s':>10}{'min':>9}{'max':>9}{'tokens trained':>16}{'perplexity':>12}",
    ]
    for name, figures in result["softmaxes"].items():
        speed = figures["tokens_per_second"]
        lines.append(
            f"{name:14}{speed['median']:10,.0f}{speed['min']:9,.0f}{speed['max']:9,.0f}"
            f"{figures['predictions']:16,}{figures['perplexity']:12.1f}"
        )
    return "\n".join([*lines, ""])


@exits_cleanly
def main() -> None:
    parser = cli.make_parser("Measure the softmaxes of chapter 4: tokens a second of processor time.", Settings)
    parser.prog = "python -m tools.bench_softmax"
    settings = Settings(**vars(parser.parse_args()))
    cli.check_ranges(settings)
    vocabularies = sizes(settings.vocabularies)
    names(settings.softmaxes)
    runtime.seed_dynet(settings.seed)
    results = {}
    for vocabulary in vocabularies:
        results[vocabulary] = measure(vocabulary, settings)
        print(show(vocabulary, results[vocabulary]), flush=True)
    if settings.json:
        write_json(
            settings.json, {"settings": asdict(settings), "versions": runtime.versions(), "vocabularies": results}
        )


if __name__ == "__main__":
    main()
