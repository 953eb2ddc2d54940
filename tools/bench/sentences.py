"""What the benchmarks of the language models share: batches of sentences as PTB gives them, and the side on DyNet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from common.batching import Batch, make_batches
from common.cli import setting
from common.corpus import find_corpus, read_sentences
from common.errors import UserError
from common.vocab import Vocabulary
from tools.bench.decoding import greedy_steps

if TYPE_CHECKING:
    import dynet as dy

TASKS = ("training", "evaluation", "decoding")
LEARNING_RATE, CLIP = 0.1, 5.0
PTB_MEAN, PTB_SPREAD, PTB_LONGEST = 21.1, 10.1, 82
"""Words a sentence in PTB's training split: mean, standard deviation, maximum. A gamma distribution comes close."""


@dataclass(frozen=True)
class SentenceSettings:
    """The flags of every benchmark of a language model."""

    layers: int = setting(2, "LSTM layers", minimum=1)
    hidden_size: int = setting(650, "size of embeddings and states", minimum=1)
    vocabulary: int = setting(10_000, "words that the model knows", minimum=3)
    batch_size: int = setting(32, "sentences in a batch", minimum=1)
    dropout: float = setting(0.5, "share of non-recurrent connections dropped", minimum=0, maximum=0.95)
    batches: int = setting(8, "different batches, spread evenly over the lengths; all of them in each round", minimum=1)
    rounds: int = setting(5, "how often each side runs over the batches, in turn", minimum=1)
    threads: int = setting(1, "threads of PyTorch (and of a DyNet that has threads: the wheel has not)", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1)
    json: str = setting("", "a file to write the figures to")

    @property
    def size(self) -> str:
        """How large the model is, for the head of the table."""
        return f"{self.layers} x {self.hidden_size}, vocabulary {self.vocabulary:,}, dropout {self.dropout}"

    def words(self) -> Vocabulary:
        """The vocabulary of the model: it is of this size, and what its words are called does not matter."""
        return Vocabulary(f"word{number}" for number in range(2, self.vocabulary))


@dataclass(frozen=True)
class Workload:
    """The batches of a round, and where their lengths come from."""

    batches: list[Batch]
    source: str

    @property
    def predictions(self) -> int:
        """Real (unpadded) predictions in a round."""
        return sum(batch.predictions for batch in self.batches)

    @property
    def positions(self) -> int:
        """Predictions in a round, padding included."""
        return sum(batch.mask.size for batch in self.batches)


def make_workload(settings: SentenceSettings) -> Workload:
    """Sentences of PTB's training split where it is installed, otherwise invented ones of such lengths.

    Of all batches in order of length, `settings.batches` are taken at even distances, then shuffled.
    """
    rng = np.random.default_rng(settings.seed)
    try:
        folder = find_corpus("ptb")
    except UserError:
        sentences, source = random_sentences(settings, rng), "random words in sentences as long as PTB's"
    else:
        sentences, source = ptb_sentences(folder, settings), "sentences of PTB"
    batches = sorted(make_batches(sentences, settings.batch_size, rng), key=lambda batch: len(batch.inputs))
    if settings.batches > len(batches):
        raise UserError(f"--batches {settings.batches}: there are only {len(batches)}; ask for fewer or smaller ones")
    places = (np.arange(settings.batches) + 0.5) * len(batches) / settings.batches
    return Workload([batches[int(place)] for place in rng.permutation(places)], source)


def ptb_sentences(folder: Path, settings: SentenceSettings) -> list[list[int]]:
    """PTB as word ids; words beyond the `settings.vocabulary` most frequent become `<unk>`."""
    sentences = read_sentences(folder / "train.txt")
    vocab = Vocabulary(Vocabulary.from_sentences(sentences).words[2 : settings.vocabulary])
    return [vocab.encode(sentence) for sentence in sentences]


def random_sentences(settings: SentenceSettings, rng: np.random.Generator) -> list[list[int]]:
    """Sentences with PTB's distribution of lengths; the k-th word is k times rarer than the first (Zipf)."""
    shape = (PTB_MEAN / PTB_SPREAD) ** 2
    lengths = rng.gamma(shape, PTB_MEAN / shape, size=40 * settings.batches * settings.batch_size)
    lengths = np.clip(np.rint(lengths), 1, PTB_LONGEST).astype(int)
    ranks = np.arange(1, settings.vocabulary)
    words = rng.choice(ranks, size=lengths.sum(), p=(1 / ranks) / (1 / ranks).sum())
    return [sentence.tolist() for sentence in np.split(words, np.cumsum(lengths)[:-1])]


def training_flops(products: float) -> float:
    """Floating-point operations, forward and backward, of so many multiplications in the forward pass.

    A product of (m, k) and (k, n) is 2mkn operations, and the backward pass has two such products for each of the
    forward pass, hence three times.
    """
    return 3 * 2 * products


class LanguageModelSide:
    """A chapter's model: the training steps of its train.py, its log-probabilities, the steps of generating."""

    def __init__(self, model: Any, learning_rate: float = LEARNING_RATE, clip: float = CLIP):
        from common.nn.optimiser import make_optimiser

        self.model = model
        self.optimiser = make_optimiser("sgd", model.collection, clip)
        self.optimiser.learning_rate = learning_rate

    def parameters(self) -> Mapping[str, np.ndarray]:
        """The parameters of the model under the names that its twin knows."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> dy.Expression:
        """The summed loss of a batch in nats, with dropout."""
        return self.model.loss(batch)

    def loss_without_dropout(self, batch: Batch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -self.evaluate_batch(batch)

    def train_batch(self, batch: Batch) -> float:
        """One step of training; the batch's summed loss in nats."""
        import dynet as dy

        dy.renew_cg()
        loss = self.loss(batch)
        value = loss.scalar_value()
        mean_loss = loss * (1 / len(batch.indices))
        mean_loss.backward()
        self.optimiser.update()
        return value

    def evaluate_batch(self, batch: Batch) -> float:
        """log P of all sentences of a batch, summed, in nats, without dropout."""
        return float((self.model.log_probs(batch) * batch.mask).sum(dtype=np.float64))

    def decode_batch(self, batch: Batch) -> float:
        """Generate as many sentences as the batch has, as long as its longest; log P of all words, summed, in nats."""
        steps, rows = batch.targets.shape
        return greedy_steps(self.model, self.model.start(rows), rows, steps)
