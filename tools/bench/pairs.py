"""What the benchmarks of the translation models share: batches of real pairs, and the side that runs on DyNet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from common.errors import UserError
from common.text.corpus import find_corpus
from common.text.pair_batching import PairBatch, make_pair_batches
from common.text.pairs import ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary
from common.training.cli import setting
from tools.bench.sides import BenchSettings, DyNetSide, Workload, choose_batches, training_flops


@dataclass(frozen=True)
class PairSettings(BenchSettings):
    """The flags of every benchmark of a translation model."""

    layers: int = setting(2, "LSTM layers of the decoder, and of the encoder (of either direction)", minimum=1)
    hidden_size: int = setting(512, "size of embeddings and decoder states", minimum=2)
    dropout: float = setting(0.2, "share of connections dropped in training", minimum=0, maximum=0.95)
    corpus: str = setting("", "the pairs: a corpus or a folder; multi30k if installed, or village_pairs, unless given")
    batch_size: int = setting(32, "pairs in a batch", minimum=1)

    def of_model(self) -> dict[str, Any]:
        """The settings that are the model's too, under the chapter's names for them."""
        return {"layers": self.layers, "hidden_size": self.hidden_size, "dropout": self.dropout}

    @property
    def size(self) -> str:
        """How large the model is, for the head of the table."""
        return f"{self.layers} x {self.hidden_size}, dropout {self.dropout}"


@dataclass(frozen=True)
class PairWorkload(Workload):
    """Batches of pairs, and the sizes of the vocabularies, (source, target)."""

    vocabularies: tuple[int, int]

    def flops_per_token(
        self, a_source_word: float, a_sentence: float, a_target_word: float, a_look: float = 0
    ) -> float:
        """Floating-point operations of the matrix products for one real target prediction, forward and backward.

        Given are the multiplications of the forward pass: for each source word, each pair, each target word, and each
        source word that a target word attends to. What is computed on padding is not counted.
        """
        total = 0.0
        for batch in self.batches:
            sources, targets = (mask.sum(axis=0).astype(int) for mask in (batch.source_mask, batch.target.mask))
            total += float((sources * a_source_word + a_sentence + targets * a_target_word).sum())
            total += float((sources * targets).sum() * a_look)
        return training_flops(total) / self.predictions


def make_workload(settings: PairSettings) -> PairWorkload:
    """Of all batches of the training split in order of length `settings.batches` at even distances, then shuffled."""
    corpus, rng = find_pairs(settings), np.random.default_rng(settings.seed)
    vocabularies = vocabularies_of(corpus)
    sides = zip(vocabularies, zip(*corpus.train, strict=True), strict=True)
    sources, targets = ([vocab.encode(sentence) for sentence in side] for vocab, side in sides)
    batches = make_pair_batches(sources, targets, settings.batch_size)
    chosen = choose_batches(batches, settings.batches, rng)
    return PairWorkload(chosen, f"pairs of {corpus.name}", tuple(len(vocab) for vocab in vocabularies))


def find_pairs(settings: PairSettings) -> ParallelCorpus:
    """The requested corpus, or the real one where it is installed, or the embedded one."""
    if settings.corpus:
        return load_pairs(settings.corpus)
    try:
        find_corpus("multi30k", "train.source")
    except UserError:
        return load_pairs("village_pairs")
    return load_pairs("multi30k")


def vocabularies_of(corpus: ParallelCorpus) -> list[Vocabulary]:
    """The words that training would know: source, target."""
    return [Vocabulary.from_sentences(side, 2) for side in zip(*corpus.train, strict=True)]


def sources_of(batch: PairBatch) -> list[list[int]]:
    """The source sentences of a batch, of word ids, without padding."""
    lengths = batch.source_mask.sum(axis=0).astype(int)
    return [column[:length].tolist() for column, length in zip(batch.source.T, lengths, strict=True)]


class TranslationSide(DyNetSide):
    """A translation model, which translates the sources of a batch."""

    def start(self, batch: PairBatch) -> Any:
        import dynet as dy

        dy.renew_cg()
        return self.model.encode(sources_of(batch))
