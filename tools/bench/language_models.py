"""Benchmarks of the language models of chapters 4 to 6 and 11, on batches as PTB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from common.errors import UserError
from common.text.batching import Batch, make_batches
from common.text.corpus import find_corpus, read_sentences
from common.text.vocab import Vocabulary
from common.training.cli import setting
from tools.bench.decoding import decoded_steps
from tools.bench.sides import DyNetSide, training_flops
from tools.bench.workloads import BenchSettings, Workload, choose_batches

if TYPE_CHECKING:
    import dynet as dy

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


def ptb_sentences(folder: Path, vocabulary: int) -> list[list[int]]:
    """PTB as word ids; words beyond the `vocabulary` most frequent become `<unk>`."""
    sentences = read_sentences(folder / "train.txt")
    vocab = Vocabulary(Vocabulary.from_sentences(sentences).words[2:vocabulary])
    return [vocab.encode(sentence) for sentence in sentences]


def invent_sentences(number: int, vocabulary: int, rng: np.random.Generator) -> list[list[int]]:
    """Sentences with PTB's distribution of lengths; the k-th word is k times rarer than the first (Zipf)."""
    shape = (PTB_MEAN / PTB_SPREAD) ** 2
    lengths = rng.gamma(shape, PTB_MEAN / shape, size=number)
    lengths = np.clip(np.rint(lengths), 1, PTB_LONGEST).astype(int)
    ranks = np.arange(1, vocabulary)
    words = rng.choice(ranks, size=lengths.sum(), p=(1 / ranks) / (1 / ranks).sum())
    return [sentence.tolist() for sentence in np.split(words, np.cumsum(lengths)[:-1])]


class LanguageModelSide(DyNetSide):
    """A language model, which generates as many sentences as a batch has. arguments: further ones of its class."""

    rng = np.random.default_rng(1)
    arguments: Mapping[str, Any] = {}
    Settings = SentenceSettings

    @classmethod
    def make_workload(cls, settings: SentenceSettings) -> Workload:
        """Sentences of PTB's training split where it is installed, otherwise invented ones of such lengths.

        Of all batches in order of length, `settings.batches` are taken at even distances, then shuffled.
        """
        rng = np.random.default_rng(settings.seed)
        try:
            folder = find_corpus("ptb")
        except UserError:
            number, source = 40 * settings.batches * settings.batch_size, "random words in sentences as long as PTB's"
            sentences = invent_sentences(number, settings.vocabulary, rng)
        else:
            sentences, source = ptb_sentences(folder, settings.vocabulary), "sentences of PTB"
        batches = sorted(make_batches(sentences, settings.batch_size, rng), key=lambda batch: len(batch.inputs))
        return Workload(choose_batches(batches, settings.batches, rng), source)

    @classmethod
    def make_reference(cls, settings: SentenceSettings, parameters: Mapping[str, np.ndarray]) -> Any:
        shape = (getattr(settings, name) for name in cls.shape)
        return cls.reference_class()(settings.vocabulary, settings.hidden_size, *shape, settings.dropout)

    @classmethod
    def make_model(cls, settings: SentenceSettings) -> Any:
        shape = {name: getattr(settings, name) for name in (*cls.shape, "hidden_size", "dropout")}
        model_class = getattr(cls.part_of_chapter("model"), cls.model_class)
        return model_class(settings.words(), **shape, **cls.arguments)

    @staticmethod
    def mean_time(workload: Workload) -> float:
        """How long the longest sentence of a prediction's batch is, on average over the predictions."""
        times = [len(batch.inputs) for batch in workload.batches]
        return float(np.average(times, weights=[batch.predictions for batch in workload.batches]))

    @staticmethod
    def lstm_and_output(settings: SentenceSettings) -> int:
        """Multiplications for a word: W_x and W_h of each layer, and the output."""
        return settings.hidden_size * (settings.layers * 8 * settings.hidden_size + settings.vocabulary)

    def start(self, batch: Batch) -> Any:
        return self.model.start(batch.inputs.shape[1])

    def sample_batch(self, batch: Batch) -> float:
        """Words drawn from the model instead of the most probable ones, as many; the sum of log P, in nats."""
        steps, rows = batch.targets.shape
        return decoded_steps(self.model, self.start(batch), rows, steps, self.rng)


@dataclass(frozen=True)
class FeedForwardSettings(SentenceSettings):
    """The flags of the benchmark: a model as wide as the recurrent ones, with the full softmax."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(650, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.5, "share of embeddings and hidden units dropped", minimum=0, maximum=0.95)
    order: int = setting(5, "n: predict from the n-1 words before", minimum=2, maximum=50)


class FeedForward(LanguageModelSide):
    """Chapter 4's model with a full softmax."""

    name, chapter, Settings, model_class = "feedforward_lm", "04_feedforward_lm", FeedForwardSettings, "FeedForwardLM"
    description, shape = "feed-forward LM, order {order}, full softmax", ("layers", "order")

    @classmethod
    def flops_per_token(cls, settings: FeedForwardSettings, workload: Workload) -> float:
        H = settings.hidden_size
        products = settings.order - 1 + settings.layers - 1  # what reads the embeddings, and the layers above it
        return training_flops(products * H * H + H * settings.vocabulary)

    def loss(self, batch: Batch) -> dy.Expression:
        return self.model.loss(batch, np.random.default_rng())  # the full softmax draws no samples


class Recurrent(LanguageModelSide):
    """Chapter 5's model of tied LSTMs: the medium model of Zaremba et al. (2014), unless the flags say otherwise."""

    name, chapter, description, model_class = "rnn_lm", "05_rnn_lm", "recurrent LM, LSTM, tied", "RecurrentLM"

    @classmethod
    def flops_per_token(cls, settings: SentenceSettings, workload: Workload) -> float:
        return training_flops(cls.lstm_and_output(settings))

    def loss(self, batch: Batch) -> dy.Expression:
        loss, _ = self.model.loss(batch)
        return loss


@dataclass(frozen=True)
class AttentiveSettings(SentenceSettings):
    """The flags of the benchmark; the model is the paper's for PTB unless they say otherwise."""

    score: str = setting("single", "attention score", choices=("single", "combined", "none"))


class Attentive(LanguageModelSide):
    """Chapter 6's model."""

    name, chapter, Settings, model_class = "attentive_lm", "06_attentive_lm", AttentiveSettings, "AttentiveLM"
    arguments = {"init_scale": 0.05, "merge_init": "uniform"}
    description, shape = "attentive LM, score {score}", ("layers", "score")

    @classmethod
    def flops_per_token(cls, settings: AttentiveSettings, workload: Workload) -> float:
        H = settings.hidden_size
        mean_time = cls.mean_time(workload)
        of_score = {
            "none": H * H,  # W_c
            "single": H * H + H + H * mean_time + 2 * H * H,  # W_s, v_s, context, W_c
            "combined": 2 * H * H + H * mean_time + H * mean_time + 2 * H * H,  # W_s and W_q, v_s, context, W_c
        }
        return training_flops(cls.lstm_and_output(settings) + of_score[settings.score])


@dataclass(frozen=True)
class TransformerSettings(SentenceSettings):
    """The flags of the benchmark; the model is as wide as a medium LSTM unless they say otherwise."""

    layers: int = setting(2, "blocks", minimum=1)
    hidden_size: int = setting(640, "size of embeddings and of what goes from block to block", minimum=1)
    dropout: float = setting(0.5, "share of embeddings and of what each part of a block adds", minimum=0, maximum=0.95)
    heads: int = setting(8, "attention heads of a block", minimum=1, maximum=1_000)
    inner_size: int = setting(4, "units of a block's network, in hidden sizes", minimum=1, maximum=100)


class Transformer(LanguageModelSide):
    """Chapter 11's model with sinusoidal positions, and norms before the parts of its blocks."""

    name, chapter, Settings, model_class = "transformer", "11_transformer", TransformerSettings, "TransformerLM"
    description, shape = "Transformer LM, {heads} heads, inner size {inner_size}", ("layers", "heads", "inner_size")

    @classmethod
    def flops_per_token(cls, settings: TransformerSettings, workload: Workload) -> float:
        H = settings.hidden_size
        mean_time = cls.mean_time(workload)
        of_block = 4 * H * H + 2 * H * mean_time + 2 * settings.inner_size * H * H
        return training_flops(settings.layers * of_block + H * settings.vocabulary)
