"""Benchmarks of the translation models of chapters 7 to 9, on real pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from common.errors import UserError
from common.text.corpus import find_corpus
from common.text.pairs import PairBatch, ParallelCorpus, load_pairs, make_pair_batches
from common.text.vocab import Vocabulary
from common.training.cli import setting
from tools.bench.sides import DyNetSide, training_flops
from tools.bench.workloads import BenchSettings, Workload, choose_batches


@dataclass(frozen=True)
class PairSettings(BenchSettings):
    """The flags of every benchmark of a translation model."""

    layers: int = setting(2, "LSTM layers of the decoder, and of the encoder (of either direction)", minimum=1)
    hidden_size: int = setting(512, "size of embeddings and decoder states", minimum=2)
    dropout: float = setting(0.2, "share of connections dropped in training", minimum=0, maximum=0.95)
    corpus: str = setting("", "the pairs: a corpus or a folder; multi30k if installed, or village_pairs, unless given")
    batch_size: int = setting(32, "pairs in a batch", minimum=1)

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
    """A translation model with the chapter's defaults, which translates the sources of a batch."""

    Settings = PairSettings

    @classmethod
    def make_workload(cls, settings: PairSettings) -> PairWorkload:
        """Of all batches of the training split in order of length `settings.batches` at even distances, shuffled."""
        corpus, rng = find_pairs(settings), np.random.default_rng(settings.seed)
        vocabularies = vocabularies_of(corpus)
        sides = zip(vocabularies, zip(*corpus.train, strict=True), strict=True)
        sources, targets = ([vocab.encode(sentence) for sentence in side] for vocab, side in sides)
        batches = make_pair_batches(sources, targets, settings.batch_size)
        batches_of_round = choose_batches(batches, settings.batches, rng)
        return PairWorkload(batches_of_round, f"pairs of {corpus.name}", tuple(len(vocab) for vocab in vocabularies))

    @classmethod
    def make_model(cls, settings: PairSettings) -> Any:
        arguments = {name: getattr(settings, name) for name in (*cls.shape, "hidden_size", "dropout")}
        chapter_settings = cls.part_of_chapter("settings").Settings(**arguments)
        vocabularies = vocabularies_of(find_pairs(settings))
        return getattr(cls.part_of_chapter("model"), cls.model_class).from_settings(chapter_settings, *vocabularies)

    @classmethod
    def make_reference(cls, settings: PairSettings, parameters: Mapping[str, np.ndarray]) -> Any:
        return cls.reference_class().like(parameters, settings.layers, settings.dropout)

    def start(self, batch: PairBatch) -> Any:
        import dynet as dy

        dy.renew_cg()
        return self.model.encode(sources_of(batch))


class EncoderDecoder(TranslationSide):
    """Chapter 7's model with its default encoder."""

    name, chapter, model_class = "encoder_decoder", "07_encoder_decoder", "EncoderDecoder"
    description = "encoder-decoder, reversed source"

    @classmethod
    def flops_per_token(cls, settings: PairSettings, workload: PairWorkload) -> float:
        lstm = settings.layers * 8 * settings.hidden_size**2
        output = settings.hidden_size * workload.vocabularies[1]
        return workload.flops_per_token(a_source_word=lstm, a_sentence=0, a_target_word=lstm + output, a_look=0)


class AttendingSide(TranslationSide):
    """A bidirectional encoder, MLP scores, and a decoder of contexts, as in chapters 8 and 9."""

    @staticmethod
    def attending_flops(settings: PairSettings, workload: PairWorkload, attentions: int, a_target_word: float) -> float:
        """Of a model that attends to the source in so many ways.

        a_target_word: multiplications for a target word, without the decoder's LSTM and the attention to the source.
        """
        H, layers, half = settings.hidden_size, settings.layers, settings.hidden_size // 2
        one_direction = 4 * half * (H + half) + (layers - 1) * 4 * half * 2 * half
        decoder = 4 * H * (2 + attentions) * H + (layers - 1) * 8 * H * H
        return workload.flops_per_token(
            a_source_word=2 * one_direction + attentions * H * H,  # and its keys
            a_sentence=layers * H * H,  # the bridge
            a_target_word=decoder + a_target_word,
            a_look=attentions * 2 * H,  # a score and a share of the context
        )


class Attention(AttendingSide):
    """Chapter 8's model with its default attention."""

    name, chapter, model_class = "attention", "08_attention", "AttentionalModel"
    description = "attention, MLP score"

    @classmethod
    def flops_per_token(cls, settings: PairSettings, workload: PairWorkload) -> float:
        H = settings.hidden_size
        query, output = H * H, 2 * H * H + H * workload.vocabularies[1]
        return cls.attending_flops(settings, workload, attentions=1, a_target_word=query + output)


@dataclass(frozen=True)
class WordAttentionSettings(PairSettings):
    """The flags of the benchmark: a two-layer model as in the poster's tables, unless they say otherwise."""

    variant: str = setting("gates", "which of the chapter's models", choices=("rnnsearch", "word", "gates"))


class WordAttention(AttendingSide):
    """One of chapter 9's models."""

    name, chapter, Settings = "word_attention", "09_word_attention", WordAttentionSettings
    description, shape = "word attention, variant {variant}", ("layers", "variant")
    model_class = "WordAttentionModel"

    @classmethod
    def flops_per_token(cls, settings: WordAttentionSettings, workload: PairWorkload) -> float:
        H, attentions = settings.hidden_size, 1 if settings.variant == "rnnsearch" else 2
        query = attentions * 2 * H * H
        gate = 4 * H * H if settings.variant == "gates" else 0
        output = (2 + attentions) * H * H + H * workload.vocabularies[1]
        return cls.attending_flops(settings, workload, attentions, a_target_word=query + gate + output)
