"""Perplexity on the words that one phenomenon decides (data/README.md), beside the oracle, the best on average.

The grammar of an embedded corpus knows for each word of the test split what decides it: local order, agreement, a name
that comes back or is to be copied, free choice and so on. In translation, words that a model does not know, most of
them names, are a row of their own: what they cost says more about the spelling than about the model. A model of pieces
(--subwords) knows them all, and gives a word the product of its pieces' probabilities.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from common.evaluation.pieces import log_probs_of_words
from common.programs.chapters import load_run
from common.search.translation import TranslationModel, target_log_probs
from common.text.corpus import Sentence, load_corpus
from common.text.pairs import Pair, load_pairs
from common.text.subwords import PairSplitter, require_words
from common.text.vocab import Vocabulary
from data.pair_truth import PairTruth
from data.pairs import truth_of
from data.phenomena import by_label, phenomena_table
from tools.tables import aligned

from .systems import corpus_of, legend

VILLAGE = "village"
UNKNOWN_LABEL = "<unk>"


def model_log_probs(folder: Path, sentences: Sequence[Sentence]) -> list[np.ndarray]:
    """What the language model of a run gives each word, in nats, unknown words spelt uniformly."""
    model, settings = load_run(folder)
    if settings.corpus != VILLAGE:
        raise UserError(f"{folder}: trained on {settings.corpus}; this table is about {VILLAGE}")
    return sentence_log_probs(model, sentences, "uniform")


def labels_of_pairs(truth: PairTruth, pairs: Sequence[Pair], vocab: Vocabulary | None) -> list[list[str]]:
    """What decides each target word, and `</s>`; `<unk>` for words that are not in the vocabulary (None: all are)."""
    return [
        [
            label if vocab is None or word in vocab else UNKNOWN_LABEL
            for label, word in zip(truth.phenomena(*pair), pair.target, strict=True)
        ]
        + ["</s>"]
        for pair in pairs
    ]


def run_of(folder: Path, corpus: str) -> tuple[TranslationModel, Any]:
    """The model and the settings of a run on this corpus. Raises `UserError` for another."""
    model, settings = load_run(folder)
    if settings.corpus != corpus:
        raise UserError(f"{folder}: trained on {settings.corpus}; this table is about {corpus}, see --corpus")
    return model, settings


def model_of(folder: Path, corpus: str) -> TranslationModel:
    """The model of words of a run on this corpus. Raises `UserError` for a model of pieces."""
    model, settings = run_of(folder, corpus)
    require_words(settings, folder)
    return model


def model_and_splitter(folder: Path, corpus: str) -> tuple[TranslationModel, PairSplitter | None]:
    """The model of a run on this corpus, and what cuts words into pieces where it is a model of pieces."""
    model, settings = run_of(folder, corpus)
    return model, PairSplitter.of_run(folder, settings, model)


def pair_log_probs(model: TranslationModel, splitter: PairSplitter | None, pairs: Sequence[Pair]) -> list[np.ndarray]:
    """For each pair the log-probabilities of its target words and `</s>`, in nats."""
    if splitter is None:
        return target_log_probs(model, pairs, "token")
    pieces = splitter.pairs(pairs)
    log_probs = target_log_probs(model, pieces, "token")
    return [log_probs_of_words(pair.target, row) for pair, row in zip(pieces, log_probs, strict=True)]


def known_words(vocab: Vocabulary) -> list[str]:
    """Without those that a model which copies has numbered beyond its own."""
    return vocab.words[: len(vocab)]


def pair_table(labels: Sequence[Sequence[str]], columns: Mapping[str, Sequence[np.ndarray]]) -> str:
    """Perplexity by phenomenon, the frequent ones first. columns: a model's name -> log-probabilities of each pair."""
    perplexities = [by_label(labels, log_probs) for log_probs in columns.values()]
    rows = [["decided by", "words", *(f"[{number}]" for number in range(1, len(columns) + 1))]]
    for label, (words, _) in sorted(perplexities[0].items(), key=lambda item: -item[1][0]):
        rows.append([label, f"{words:,}", *(f"{column[label][1]:.2f}" for column in perplexities)])
    return "\n".join([aligned(rows), *legend(columns)])


def by_phenomenon(arguments: argparse.Namespace) -> str:
    corpus_name = arguments.corpus or corpus_of(arguments.runs[0])
    if corpus_name == VILLAGE:
        sentences = load_corpus(VILLAGE).test
        return phenomena_table(sentences, {str(run): model_log_probs(run, sentences) for run in arguments.runs})
    corpus = load_pairs(corpus_name)
    truth, pairs = truth_of(corpus.name, corpus.facts), corpus.test
    models = {str(run): model_and_splitter(run, corpus_name) for run in arguments.runs}
    vocabs = [model.vocab for model, splitter in models.values() if splitter is None]
    if any(known_words(vocab) != known_words(vocabs[0]) for vocab in vocabs):
        raise UserError("the models have different vocabularies; compare those trained with one --min-count")
    oracle = [truth.token_log_probs(*pair) for pair in pairs]
    columns = {name: pair_log_probs(*model, pairs) for name, model in models.items()}
    return pair_table(labels_of_pairs(truth, pairs, vocabs[0] if vocabs else None), {"oracle": oracle, **columns})
