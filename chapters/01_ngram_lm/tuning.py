"""Choosing the weights of an interpolation: as likely as possible on text that was not counted.

Each weight is the probability of a hidden choice: take the n-gram's own estimate, or pass on to the next shorter one?
Expectation-maximisation computes for every prediction the posterior probability of each choice, given the word that
came, and sets the weights to the mean posteriors; it repeats this until they converge (Jelinek and Mercer 1980).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.vocab import Vocabulary

from .counts import NOWHERE, Level, join
from .smoothing import interpolate, maximum_likelihood

ROUNDS = 200
CLOSE_ENOUGH = 1e-6


def tune_weights(
    vocab: Vocabulary, levels: Sequence[Level], order_zero: np.ndarray, sentences: Sequence[Sequence[int]]
) -> list[float]:
    """The alpha of each order, from 1 up (Neubig 2017, Eq. 10), that suit sentences of word ids best.

    One prediction more is counted for either choice, so that no weight is 0: what dev never needed, test may.
    """
    likelihoods, known = own_likelihoods(vocab, levels, sentences)
    below = order_zero[join(sentences)[1]]
    weights = np.full(len(levels), 0.5)
    for _ in range(ROUNDS):
        passed = []  # for each order, P(passed on | the order was reached, the word that came)
        lower = below
        for alpha, own, here in zip(weights, likelihoods, known, strict=True):
            mixed = np.where(here, (1 - alpha) * own + alpha * lower, lower)
            passed.append(np.where(here, alpha * np.divide(lower, mixed, out=np.zeros_like(mixed), where=mixed > 0), 1))
            lower = mixed
        before, reached = weights, np.ones(len(below))
        weights = np.empty_like(before)
        for order in reversed(range(len(levels))):
            here = known[order]
            weights[order] = (1 + (reached * passed[order])[here].sum()) / (2 + reached[here].sum())
            reached = reached * passed[order]
        if np.abs(weights - before).max() < CLOSE_ENOUGH:
            break
    return weights.tolist()


def own_likelihoods(
    vocab: Vocabulary, levels: Sequence[Level], sentences: Sequence[Sequence[int]]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """For each order the maximum-likelihood probability of each prediction, and whether its context was ever seen."""
    inputs, targets = join(sentences)
    model = interpolate(vocab, levels, np.zeros(len(vocab)), maximum_likelihood)
    contexts = model.contexts(inputs)
    likelihoods = [np.exp(model.log_probabilities[0][targets])]
    known = [np.ones(len(targets), dtype=bool)]
    for order in range(2, len(levels) + 1):
        context = contexts[order - 2]
        ngram = model.find(order, context, targets)
        own = np.exp(model.log_probabilities[order - 1][ngram])
        likelihoods.append(np.where(ngram == NOWHERE, 0.0, own))
        followed = np.append(np.bincount(levels[order - 1].contexts, minlength=len(levels[order - 2].keys)) > 0, False)
        known.append(followed[context])
    return likelihoods, known


def tune_weight(first: np.ndarray, second: np.ndarray) -> float:
    """The alpha of (1 - alpha) first + alpha second (Neubig 2017, Eq. 9) that makes the words most likely.

    first, second: what two models give the words of a text, (predictions,).
    """
    alpha = 0.5
    for _ in range(ROUNDS):
        before = alpha
        alpha = float((1 + (alpha * second / ((1 - alpha) * first + alpha * second)).sum()) / (2 + len(first)))
        if abs(alpha - before) < CLOSE_ENOUGH:
            break
    return alpha
