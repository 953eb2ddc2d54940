"""What the figures of chapter 4 show, computed by the chapter's own output layers, or recorded of a trained model."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from book.counted import village
from book.figures.recorded import recorded
from chapters.feedforward_lm import embeddings, neighbours, settings
from common.nn import class_softmax, hierarchical_softmax, sampled_softmax
from common.training.start_bias import log_frequencies

CHAPTER = "04_feedforward_lm"
SIZES = (100, 300, 1000, 3000, 10000, 30000)
"""Vocabularies, from a toy to a newspaper."""
SAMPLES = (1, 4, 16, 64, 256, 1024)
DRAWS = 2000


@cache
def of_models() -> dict:
    return recorded(CHAPTER)


def mapped(group: str, kind: str) -> list[str]:
    """The verbs or nouns of a kind, in the order of their places on the maps."""
    vocab = village()[0]
    return [vocab.words[word] for word in neighbours.known(embeddings.village_groups()[group], vocab)[kind]]


def zipf(words: int) -> np.ndarray:
    """The share of each word in a text whose r-th most frequent word has a frequency of 1/r, (V,)."""
    shares = 1 / np.arange(1, words + 1)
    return shares / shares.sum()


def scores_per_word() -> dict[str, list[float]]:
    """How many scores each output layer computes for the loss of one word, on average over a text, by `SIZES`."""
    scores = {"full": [], "sampled": [], "class": [], "hierarchical": []}
    for V in SIZES:
        shares = zipf(V)
        scores["full"].append(V)
        scores["sampled"].append(1 + settings.Settings().samples)
        members = class_softmax.word_classes(np.log(shares), round(math.sqrt(V)), class_softmax.equal_frequency)
        within = sum(shares[words].sum() * len(words) for words in members)
        scores["class"].append(len(members) + float(within))
        scores["hierarchical"].append(float(shares @ hierarchical_softmax.HuffmanTree(shares).real.sum(axis=1)))
    return scores


@cache
def estimates(samples: int) -> tuple[np.ndarray, np.ndarray]:
    """For `DRAWS` draws: ln of the estimated Z, and the push on all other words than the one that came, 1 - its share.

    The scores are the trained network's log-probabilities, so the true Z is 1.
    """
    vocab, _, train, _ = village()
    unigram = log_frequencies(train, len(vocab))
    proposal = sampled_softmax.Proposal(unigram, samples)
    exps = np.exp(np.array(of_models()["log-probabilities"]))
    came, rng = comes(), np.random.default_rng(samples)
    logs, pushes = [], []
    for _ in range(DRAWS):
        words, times = proposal.draw(rng)
        weights = np.where(words == came, 0, times * exps[words] / np.exp(proposal.log_expected[words]))
        Z = exps[came] + weights.sum()
        logs.append(math.log(Z))
        pushes.append(1 - exps[came] / Z)
    return np.array(logs), np.array(pushes)


def comes() -> int:
    """The id of the word that came, in the example of the unseen history."""
    return village()[0].ids["letter"]
