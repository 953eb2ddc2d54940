"""What the benchmarks of the translation models share: batches of real pairs, and the side that runs on DyNet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from common.batching import PairBatch, make_pair_batches
from common.cli import setting
from common.corpus import find_corpus
from common.errors import UserError
from common.pairs import load_pairs
from common.vocab import Vocabulary
from tools.bench.decoding import greedy_steps

if TYPE_CHECKING:
    import dynet as dy

    from common.nn.recurrent import RecurrentLayer

TASKS = ("training", "evaluation", "decoding")
LEARNING_RATE, CLIP = 0.1, 5.0


@dataclass(frozen=True)
class PairSettings:
    """The flags of every benchmark of a translation model."""

    layers: int = setting(2, "LSTM layers of the decoder, and of the encoder (of either direction)", minimum=1)
    hidden_size: int = setting(512, "size of embeddings and decoder states", minimum=2)
    dropout: float = setting(0.2, "share of connections dropped in training", minimum=0, maximum=0.95)
    corpus: str = setting("", "the pairs: a corpus or a folder; multi30k if installed, or village_pairs, unless given")
    batch_size: int = setting(32, "pairs in a batch", minimum=1)
    batches: int = setting(8, "different batches, spread evenly over the lengths; all of them in each round", minimum=1)
    rounds: int = setting(5, "how often each side runs over the batches, in turn", minimum=1)
    threads: int = setting(1, "threads of PyTorch (and of a DyNet that has threads: the wheel has not)", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1)
    json: str = setting("", "a file to write the figures to")

    def of_model(self) -> dict[str, Any]:
        """The settings that are the model's too, under the chapter's names for them."""
        return {"layers": self.layers, "hidden_size": self.hidden_size, "dropout": self.dropout}

    @property
    def size(self) -> str:
        """How large the model is, for the head of the table."""
        return f"{self.layers} x {self.hidden_size}, dropout {self.dropout}"


@dataclass(frozen=True)
class Workload:
    """The batches of a round, where they come from, and the sizes of the vocabularies, (source, target)."""

    batches: list[PairBatch]
    source: str
    vocabularies: tuple[int, int]

    @property
    def predictions(self) -> int:
        """Real (unpadded) target predictions in a round."""
        return sum(batch.target.predictions for batch in self.batches)

    @property
    def positions(self) -> int:
        """Target predictions in a round, padding included."""
        return sum(batch.target.mask.size for batch in self.batches)

    def flops_per_token(
        self, a_source_word: float, a_sentence: float, a_target_word: float, a_look: float = 0
    ) -> float:
        """Floating-point operations of the matrix products for one real target prediction, forward and backward.

        Given are the multiplications of the forward pass: for each source word, each pair, each target word, and each
        source word that a target word looks at. Three times these, as a product has two more in the backward pass;
        what is computed on padding is not counted.
        """
        total = 0.0
        for batch in self.batches:
            sources, targets = (mask.sum(axis=0).astype(int) for mask in (batch.source_mask, batch.target.mask))
            total += float((sources * a_source_word + a_sentence + targets * a_target_word).sum())
            total += float((sources * targets).sum() * a_look)
        return 3 * 2 * total / self.predictions


def make_workload(settings: PairSettings) -> Workload:
    """Of all batches of the training split in order of length `settings.batches` at even distances, then shuffled."""
    corpus, rng = load_pairs(corpus_of(settings)), np.random.default_rng(settings.seed)
    vocabularies = vocabularies_of(settings)
    sides = zip(vocabularies, zip(*corpus.train, strict=True), strict=True)
    sources, targets = ([vocab.encode(sentence) for sentence in side] for vocab, side in sides)
    batches = make_pair_batches(sources, targets, settings.batch_size)
    if settings.batches > len(batches):
        raise UserError(f"--batches {settings.batches}: there are only {len(batches)}; ask for fewer or smaller ones")
    places = (np.arange(settings.batches) + 0.5) * len(batches) / settings.batches
    chosen = [batches[int(place)] for place in rng.permutation(places)]
    return Workload(chosen, f"pairs of {corpus.name}", tuple(len(vocab) for vocab in vocabularies))


def corpus_of(settings: PairSettings) -> str:
    """The corpus that was asked for, or the real one where it is installed, or the embedded one."""
    if settings.corpus:
        return settings.corpus
    try:
        find_corpus("multi30k", "train.source")
    except UserError:
        return "village_pairs"
    return "multi30k"


def vocabularies_of(settings: PairSettings) -> list[Vocabulary]:
    """The words that training would know: source, target."""
    return [Vocabulary.from_sentences(side, 2) for side in zip(*load_pairs(corpus_of(settings)).train, strict=True)]


def sources_of(batch: PairBatch) -> list[list[int]]:
    """The source sentences of a batch, of word ids, without padding."""
    lengths = batch.source_mask.sum(axis=0).astype(int)
    return [column[:length].tolist() for column, length in zip(batch.source.T, lengths, strict=True)]


def of_layers(name: str, layers: Iterable[RecurrentLayer]) -> dict[str, dy.Parameters]:
    """The parameters of recurrent layers, as name0_W_x and so on."""
    parts = ("W_x", "W_h", "b")
    return {f"{name}{number}_{part}": getattr(layer, part) for number, layer in enumerate(layers) for part in parts}


class DyNetSide:
    """A chapter's model: the training steps of its train.py, its log-probabilities, the steps of greedy search."""

    def __init__(
        self,
        model: Any,
        parameters_of: Callable[[Any], Mapping[str, dy.Parameters]],
        learning_rate: float = LEARNING_RATE,
        clip: float = CLIP,
    ):
        """parameters_of: the model's parameters under the names that the twin knows."""
        from common.nn.optimiser import make_optimiser

        self.model, self.parameters_of = model, parameters_of
        self.optimiser = make_optimiser("sgd", model.collection, clip)
        self.optimiser.learning_rate = learning_rate

    def parameters(self) -> dict[str, np.ndarray]:
        """The model's parameters as arrays."""
        return {name: parameter.as_array() for name, parameter in self.parameters_of(self.model).items()}

    def loss_without_dropout(self, batch: PairBatch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -self.evaluate_batch(batch)

    def train_batch(self, batch: PairBatch) -> float:
        """One step of training; the batch's summed loss in nats."""
        import dynet as dy

        dy.renew_cg()
        loss = self.model.loss(batch)
        value = loss.scalar_value()
        mean_loss = loss * (1 / len(batch.target.indices))
        mean_loss.backward()
        self.optimiser.update()
        return value

    def evaluate_batch(self, batch: PairBatch) -> float:
        """The sum of log P of all target words of a batch, in nats, without dropout."""
        return float((self.model.log_probs(batch) * batch.target.mask).sum(dtype=np.float64))

    def decode_batch(self, batch: PairBatch) -> float:
        """The most probable next word, as many times as the batch's longest target has; the sum of log P, in nats."""
        import dynet as dy

        dy.renew_cg()
        sources = sources_of(batch)
        return greedy_steps(self.model, self.model.encode(sources), len(sources), len(batch.target.inputs))
