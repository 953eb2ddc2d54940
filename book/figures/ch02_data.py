"""What the figures of chapter 2 show, computed by the chapter's own code; what is trained is in ch02_record.py."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from book.counted import village
from chapters.loglinear_lm import features, model, optimisers, settings as settings, sparse, toy
from common.runtime import epoch_rng
from common.text.batching import make_batches

BOWL = (((0,), 0.8, 0.85), ((0, 1), 0.4, 0.1), ((1,), 0.3, 0.05))
"""Two features, two words: contexts by their active features, P(first word) there, and how frequent they are."""
BEGIN = (-2.5, 3.5)
RATES = {"sgd": 4.0, "momentum": 0.6, "adagrad": 1.2, "adam": 0.3}
FEW_STEPS = (0.5, 4.0, 20.0)
"""Learning rates that are too small, suitable and too large for SGD in the bowl."""


def positions(contexts: list[tuple[int, ...]]) -> sparse.Groups:
    """Contexts as groups of active features, each with the value 1."""
    width = max(len(active) for active in contexts)
    ids = np.array([[*active, *[0] * (width - len(active))] for active in contexts])
    values = np.array([[1.0] * len(active) + [0.0] * (width - len(active)) for active in contexts])
    return sparse.by_position(features.Active(ids, values))


class Walk(NamedTuple):
    """Where an optimiser was, (steps + 1, 2), and the loss there in nats."""

    path: np.ndarray
    losses: np.ndarray


def bowl(point: np.ndarray) -> tuple[float, np.ndarray]:
    """The expected loss and its gradient by dl/ds, (contexts, 2), where the log-odds of the features are `point`."""
    W = np.stack([np.asarray(point), np.zeros(2)], axis=1)
    target = np.array([[p, 1 - p] for _, p, _ in BOWL])
    often = np.array([share for *_, share in BOWL])[:, None]
    log_p = model.log_softmax(scores(W))
    return float(-(often * target * log_p).sum()), often * (np.exp(log_p) - target)


def scores(W: np.ndarray) -> np.ndarray:
    """The scores of the two words in every context: W (2 features, 2 words) -> (contexts, 2)."""
    return np.array([W[list(active)].sum(axis=0) for active, *_ in BOWL])


def walk(kind: str, rate: float, steps: int) -> Walk:
    """Follow an optimiser of the chapter through the bowl. The second word's scores stay zero, as b does."""
    own = SimpleNamespace(W=np.stack([np.array(BEGIN), np.zeros(2)], axis=1), b=np.zeros(2))
    optimiser = optimisers.OPTIMISERS[kind](own, 1e-8)
    contexts = positions([active for active, *_ in BOWL])
    path, losses = [own.W[:, 0].copy()], [bowl(own.W[:, 0])[0]]
    for _ in range(steps):
        by_score = bowl(own.W[:, 0])[1]
        by_score[:, 1] = 0
        optimiser.update(model.gradients(contexts, by_score)._replace(b=np.zeros(2)), rate)
        path.append(own.W[:, 0].copy())
        losses.append(bowl(own.W[:, 0])[0])
    return Walk(np.round(path, 4), np.round(losses, 4))


@cache
def surface() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The log-odds of either feature, and the loss on their grid, (second, first)."""
    first, second = np.linspace(-3, 5, 60), np.linspace(-3.4, 4.2, 60)
    return first, second, np.round([[bowl(np.array([x, y]))[0] for x in first] for y in second], 6)


def corrected_means(steps: int, size: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Adam's mean of gradients that are all of one size: as it is remembered, and corrected for its start at zero."""
    own = SimpleNamespace(W=np.zeros((1, 1)), b=np.zeros(1))
    optimiser = optimisers.Adam(own, optimisers.Adam.epsilon)
    means = []
    for _ in range(steps):
        optimiser.step(0, [0], np.full((1, 1), size), np.float32(0))
        means.append(float(optimiser.mean[0][0, 0]))
    counts = np.arange(1, steps + 1)
    return np.round(means, 4), np.round(np.array(means) / (1 - optimisers.Adam.beta1**counts), 4)


def sentence_gradients(words: tuple[str, ...]) -> np.ndarray:
    """The gradient of the loss of each sentence of train by the base scores of some words, all parameters being zero.

    Then all words are equally likely, so it is predictions / V - occurrences: (sentences, words).
    """
    vocab, _, train, _ = village()
    counts = np.array([[sentence.count(vocab.ids[word]) for word in words] for sentence in train])
    lengths = np.array([len(sentence) + 1 for sentence in train])
    return lengths[:, None] / len(vocab) - counts


def minibatch_gradients(words: tuple[str, ...], size: int, number: int) -> np.ndarray:
    """The mean gradient of so many random minibatches of this size: (number, words)."""
    gradients = sentence_gradients(words)
    rows = np.random.default_rng(size).integers(0, len(gradients), (number, size))
    return np.round(gradients[rows].mean(axis=1), 4)


def touched(batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each word is the word before, and the share of an epoch's minibatches that touch its row of `word1`.

    Both (V,), frequent words first.
    """
    vocab, _, train, _ = village()
    hits, counts = np.zeros(len(vocab)), np.zeros(len(vocab))
    batches = make_batches(train, batch_size, epoch_rng(1, 1))
    for batch in batches:
        occurrences = np.bincount(batch.inputs[batch.mask > 0], minlength=len(vocab))
        counts += occurrences
        hits += occurrences > 0
    order = np.argsort(-counts, kind="stable")
    return counts[order], hits[order] / len(batches)


def toy_table() -> dict[str, dict[tuple[str, ...], dict[str, float]]]:
    """The four contexts of Figure 6: the truth, and the best that single words and that pairs can do."""
    table = {"truth": toy.FIGURE_6}
    for spec in ("word1,word2", "pair21"):
        fit = toy.best_fit(toy.FIGURE_6, spec)
        table[spec] = {context: toy.probabilities(fit, context) for context in toy.FIGURE_6}
    return table
