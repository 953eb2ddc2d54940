"""The two ways of each habit that `tools.gains` measures, made ready to run: the course's, and the naive one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import Dropout
from common.nn.recurrent import LSTM
from common.text.batching import Batch
from tools import gains_naive as naive
from tools.bench.decoding import greedy_steps
from tools.bench.rnn_lm import DyNetSide as RecurrentSide
from tools.bench.sentences import LanguageModelSide, SentenceSettings, make_workload
from tools.bench.sides import Workload
from tools.gains_settings import Settings

AttentiveLM = importlib.import_module("chapters.06_attentive_lm.model").AttentiveLM
RecurrentLM = importlib.import_module("chapters.05_rnn_lm.model").RecurrentLM

LAYERS, DROPOUT = 2, 0.5
BATCHES, MIXED_BATCHES = 2, 6
"""Batches in a round, at even distances among all in order of length; more where their order is what is measured."""
MORE_WORDS = 10
"""The vocabulary whose embeddings are updated is so many times that of the other models."""


class Way(NamedTuple):
    """A side with a model, what it does with each batch (the result is a finite number), and the batches of a round.

    tokens: how many a round is said to have.
    """

    side: Any
    do: Callable[[Batch], float]
    work: Workload
    tokens: int


class Decoder:
    """Chapter 8's model, and greedy decoding with it, to the length of the batch's longest sentence.

    all_scores: the scores of all next words are handed over, and NumPy finds the best.
    """

    def __init__(self, settings: Settings, all_scores: bool):
        chapter, words = "08_attention", sentence_settings(settings).words()
        chosen = importlib.import_module(f"chapters.{chapter}.settings").Settings(
            hidden_size=settings.hidden_size, layers=LAYERS
        )
        self.model = importlib.import_module(f"chapters.{chapter}.model").AttentionalModel(words, words, chosen)
        self.searched = SimpleNamespace(advance=self.model.advance) if all_scores else self.model

    def decode(self, batch: Batch) -> float:
        """log P of the words that were found, summed, in nats; the sources are the sentences of the batch."""
        dy.renew_cg()
        steps, rows = batch.inputs.shape
        return greedy_steps(self.searched, self.model.encode(naive.sentences_of(batch)), rows, steps)


def sentence_settings(settings: Settings, batches: int = BATCHES) -> SentenceSettings:
    """The settings that a workload is made from."""
    chosen = {name: getattr(settings, name) for name in ("vocabulary", "batch_size", "seed")}
    return SentenceSettings(**chosen, batches=batches)


@cache  # reading a corpus takes longer than measuring a habit with a small model
def workload(settings: SentenceSettings) -> Workload:
    return make_workload(settings)


def attentive_lm(settings: Settings, model: type = AttentiveLM, layer: type = LSTM) -> LanguageModelSide:
    """Chapter 6's model, single score, or one of its naive ways; the same parameters each time."""
    dy.reset_random_seed(settings.seed)
    words, H = sentence_settings(settings).words(), settings.hidden_size
    made = model(words, H, 0, "single", merge="uniform", init_scale=naive.INIT_SCALE)
    made.layers = [layer(made.collection, H, H, naive.INIT_SCALE) for _ in range(LAYERS)]
    return LanguageModelSide(made)


def recurrent_lm(settings: Settings, dropout: Dropout) -> RecurrentSide:
    """Chapter 5's LSTM; the same parameters each time."""
    dy.reset_random_seed(settings.seed)
    words = sentence_settings(settings).words()
    return RecurrentSide(RecurrentLM(words, "lstm", settings.hidden_size, LAYERS, dropout=dropout))


def trained(side: LanguageModelSide, work: Workload) -> Way:
    return Way(side, side.train_batch, work, work.predictions)


def both_trained(settings: Settings, course: LanguageModelSide, other: LanguageModelSide) -> tuple[Way, Way]:
    """Two sides that train on the same batches."""
    work = workload(sentence_settings(settings))
    return trained(course, work), trained(other, work)


def output(settings: Settings) -> tuple[Way, Way]:
    return both_trained(settings, attentive_lm(settings), attentive_lm(settings, model=naive.OutputByStep))


def input_products(settings: Settings) -> tuple[Way, Way]:
    return both_trained(settings, attentive_lm(settings), attentive_lm(settings, layer=naive.InputByStep))


def gates(settings: Settings) -> tuple[Way, Way]:
    return both_trained(settings, attentive_lm(settings), attentive_lm(settings, layer=naive.GateByGate))


def attention(settings: Settings) -> tuple[Way, Way]:
    return both_trained(settings, attentive_lm(settings), attentive_lm(settings, model=naive.AttentionByStep))


def lengths(settings: Settings) -> tuple[Way, Way]:
    side, rng = attentive_lm(settings), np.random.default_rng(settings.seed)
    alike = workload(sentence_settings(settings, MIXED_BATCHES))
    mixed = Workload(naive.in_random_order(alike.batches, rng), alike.source)
    return trained(side, alike), trained(side, mixed)


def embeddings(settings: Settings) -> tuple[Way, Way]:
    settings = replace(settings, vocabulary=MORE_WORDS * settings.vocabulary)
    work, size = workload(sentence_settings(settings)), (settings.vocabulary, settings.hidden_size)
    sparse, dense = (LanguageModelSide(reader(*size)) for reader in (naive.SparseReader, naive.DenseReader))
    return trained(sparse, work), trained(dense, work)


def masks(settings: Settings) -> tuple[Way, Way]:
    kinds = (Dropout(DROPOUT, "variational"), naive.MaskAStep(DROPOUT, "variational"))
    return both_trained(settings, *(recurrent_lm(settings, dropout) for dropout in kinds))


def decoding(settings: Settings) -> tuple[Way, Way]:
    work, ways = workload(sentence_settings(settings)), []
    for all_scores in (False, True):
        dy.reset_random_seed(settings.seed)
        side = Decoder(settings, all_scores)
        ways.append(Way(side, side.decode, work, work.positions))
    return ways[0], ways[1]


WAYS: dict[str, Callable[[Settings], tuple[Way, Way]]] = {
    "output": output,
    "input": input_products,
    "gates": gates,
    "attention": attention,
    "lengths": lengths,
    "embeddings": embeddings,
    "masks": masks,
    "decoding": decoding,
}
"""Habit -> the course's way and the naive one."""
