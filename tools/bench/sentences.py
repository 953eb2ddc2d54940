"""What the benchmarks of the language models share: batches of sentences as PTB gives them, and the side on DyNet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError
from common.text.batching import Batch, make_batches
from common.text.corpus import find_corpus, read_sentences
from common.text.vocab import Vocabulary
from common.training.cli import setting
from tools.bench.decoding import decoded_steps
from tools.bench.sides import BenchSettings, DyNetSide, Workload, choose_batches

PTB_MEAN, PTB_SPREAD, PTB_LONGEST = 21.1, 10.1, 82
"""Words a sentence in PTB's training split: mean, standard deviation, maximum. A gamma distribution comes close."""


@dataclass(frozen=True)
class SentenceSettings(BenchSettings):
    """The flags of every benchmark of a language model."""

    layers: int = setting(2, "LSTM layers", minimum=1)
    hidden_size: int = setting(650, "size of embeddings and states", minimum=1)
    vocabulary: int = setting(10_000, "words that the model knows", minimum=3)
    batch_size: int = setting(32, "sentences in a batch", minimum=1)
    dropout: float = setting(0.5, "share of non-recurrent connections dropped", minimum=0, maximum=0.95)
    generate: str = setting("greedy", "how decoding chooses the next word", choices=("greedy", "sampled"))

    @property
    def methods(self) -> dict[str, str]:
        """What a side does with a batch, where it is not what `rounds.METHODS` says."""
        return {"decoding": "sample_batch"} if self.generate == "sampled" else {}

    @property
    def size(self) -> str:
        """How large the model is, for the head of the table."""
        return f"{self.layers} x {self.hidden_size}, vocabulary {self.vocabulary:,}, dropout {self.dropout}"

    def words(self) -> Vocabulary:
        """The vocabulary of the model: it is of this size, and what its words are called does not matter."""
        return Vocabulary(f"word{number}" for number in range(2, self.vocabulary))


def make_workload(settings: SentenceSettings) -> Workload:
    """Sentences of PTB's training split where it is installed, otherwise invented ones of such lengths.

    Of all batches in order of length, `settings.batches` are taken at even distances, then shuffled.
    """
    rng = np.random.default_rng(settings.seed)
    sentences, source = find_sentences(settings, rng)
    batches = sorted(make_batches(sentences, settings.batch_size, rng), key=lambda batch: len(batch.inputs))
    return Workload(choose_batches(batches, settings.batches, rng), source)


def find_sentences(settings: SentenceSettings, rng: np.random.Generator) -> tuple[list[list[int]], str]:
    """The sentences, as word ids, and what they are."""
    try:
        folder = find_corpus("ptb")
    except UserError:
        return random_sentences(settings, rng), "random words in sentences as long as PTB's"
    return ptb_sentences(folder, settings), "sentences of PTB"


def ptb_sentences(folder: Path, settings: SentenceSettings) -> list[list[int]]:
    """PTB as word ids; words beyond the `settings.vocabulary` most frequent become `<unk>`."""
    sentences = read_sentences(folder / "train.txt")
    vocab = Vocabulary(Vocabulary.from_sentences(sentences).words[2 : settings.vocabulary])
    return [vocab.encode(sentence) for sentence in sentences]


def random_sentences(settings: SentenceSettings, rng: np.random.Generator) -> list[list[int]]:
    """Enough to choose the batches from."""
    return invent_sentences(40 * settings.batches * settings.batch_size, settings.vocabulary, rng)


def invent_sentences(number: int, vocabulary: int, rng: np.random.Generator) -> list[list[int]]:
    """Sentences with PTB's distribution of lengths; the k-th word is k times rarer than the first (Zipf)."""
    shape = (PTB_MEAN / PTB_SPREAD) ** 2
    lengths = rng.gamma(shape, PTB_MEAN / shape, size=number)
    lengths = np.clip(np.rint(lengths), 1, PTB_LONGEST).astype(int)
    ranks = np.arange(1, vocabulary)
    words = rng.choice(ranks, size=lengths.sum(), p=(1 / ranks) / (1 / ranks).sum())
    return [sentence.tolist() for sentence in np.split(words, np.cumsum(lengths)[:-1])]


class LanguageModelSide(DyNetSide):
    """A language model, which generates as many sentences as a batch has."""

    rng = np.random.default_rng(1)

    def start(self, batch: Batch) -> Any:
        return self.model.start(batch.inputs.shape[1])

    def sample_batch(self, batch: Batch) -> float:
        """Words drawn from the model instead of the most probable ones, as many; the sum of log P, in nats."""
        steps, rows = batch.targets.shape
        return decoded_steps(self.model, self.start(batch), rows, steps, self.rng)
