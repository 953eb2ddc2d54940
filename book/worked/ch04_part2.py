"""The worked examples of part 2 of chapter 4: one pair with two negative samples, and how often words are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from chapters.feedforward_lm import negative_sampling as sampling
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary

CHAPTER = "04_feedforward_lm"

V = np.array([0.5, 0.2])
"""The input vector of *reads*."""
U = {"letter": np.array([0.4, -0.3]), "cow": np.array([0.6, 0.1]), "the": np.array([-0.2, 0.8])}
"""Output vectors: of the context word, which is first, and of two negative samples."""
RATE = 1.0
DRAWN = ("the", "reads", "letter", "whip")
WINDOW = 2
SENTENCE = "mira reads the old letter .".split()


def step() -> tuple[float, np.ndarray, np.ndarray]:
    """The loss of the pair, and its gradients: of the input vector (2,) and of the three output vectors (3, 2)."""
    loss, of_v, of_u = sampling.loss_and_gradients(V[None], np.array(list(U.values()))[None])
    return loss, of_v[0], of_u[0]


def after() -> tuple[np.ndarray, np.ndarray]:
    """The vectors after a step of plain gradient descent, (2,) and (3, 2)."""
    _, of_v, of_u = step()
    return V - RATE * of_v, np.array(list(U.values())) - RATE * of_u


def one_pair() -> Iterator[float]:
    """Each output vector, its score, sigmoid, loss and the derivative by the score; then all losses and the step."""
    yield from V
    for place, u in enumerate(U.values()):
        score = u @ V
        p = 1 / (1 + np.exp(-score))
        yield from (*u, score, p, -np.log(p if place == 0 else 1 - p), p - (place == 0))
    loss, of_v, _ = step()
    yield loss
    yield from of_v
    yield RATE
    v, u = after()
    yield from v
    yield from u @ v


@cache
def counts() -> dict[str, int]:
    """How often each word of the vocabulary stands in the village's train."""
    train = load_corpus("village").train
    vocab = Vocabulary.from_sentences(train, sampling.SkipGramSettings().min_count)
    found = np.bincount(np.concatenate([vocab.encode(sentence) for sentence in train]), minlength=len(vocab))
    return dict(zip(vocab.words, found.tolist(), strict=True))


def shares() -> dict[str, tuple[float, float]]:
    """For each of DRAWN its share of the text and the probability that a sample is this word, in percent."""
    noise, all_counts = sampling.noise(np.array(list(counts().values()))), counts()
    places, total = {word: place for place, word in enumerate(all_counts)}, sum(all_counts.values())
    return {word: (100 * all_counts[word] / total, 100 * noise[places[word]]) for word in DRAWN}


def drawing() -> Iterator[float]:
    """For each of DRAWN its count, its share of the text and of the samples in percent, and the second by the first."""
    for word, (share, drawn) in shares().items():
        yield from (counts()[word], share, drawn, drawn / share)


def parameters() -> Iterator[float]:
    """The vocabulary, the size of a vector, and all numbers of both matrices."""
    size = sampling.SkipGramSettings().embedding_size
    yield from (len(counts()), size, 2 * len(counts()) * size)
