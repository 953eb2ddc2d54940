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
    """The alpha of each order, from 1 up (Neubig 2017, Eq. 10), that suit sentences of word ids best."""
    one_class = [np.zeros(number, dtype=np.int64) for number in numbers_of_histories(levels)]
    weights = tune_weights_by_class(vocab, levels, order_zero, sentences, one_class)
    return [float(alphas[0]) for alphas in weights]


def numbers_of_histories(levels: Sequence[Level]) -> list[int]:
    """For each order how many histories it has: the n-grams of the level below, and for order 1 the empty one."""
    return [1, *(len(level.keys) for level in levels[:-1])]


def tune_weights_by_class(
    vocab: Vocabulary,
    levels: Sequence[Level],
    order_zero: np.ndarray,
    sentences: Sequence[Sequence[int]],
    classes: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """For each order the alpha of each class of histories, (classes,), that suit sentences of word ids best.

    classes: for each order the class of each history, (histories,), from 0 up. One prediction more is counted for
    either choice in each class, so that no weight is 0: what dev never needed, test may.
    """
    likelihoods, seen, histories = own_likelihoods(vocab, levels, sentences)
    kinds = [np.append(of_all, 0)[history] for of_all, history in zip(classes, histories, strict=True)]
    below = order_zero[join(sentences)[1]]
    weights = [np.full(of_all.max(initial=0) + 1, 0.5) for of_all in classes]
    for _ in range(ROUNDS):
        passed = []  # for each order, P(passed on | the order was reached, the word that came)
        lower = below
        for alphas, kind, own, here in zip(weights, kinds, likelihoods, seen, strict=True):
            alpha = alphas[kind]
            mixed = np.where(here, (1 - alpha) * own + alpha * lower, lower)
            passed.append(np.where(here, alpha * np.divide(lower, mixed, out=np.zeros_like(mixed), where=mixed > 0), 1))
            lower = mixed
        before, reached = weights, np.ones(len(below))
        weights = list(before)
        for order in reversed(range(len(levels))):
            here = seen[order]
            weights[order] = mean_by_class(kinds[order][here], passed[order][here], reached[here], before[order])
            reached = reached * passed[order]
        if max(np.abs(new - old).max() for new, old in zip(weights, before, strict=True)) < CLOSE_ENOUGH:
            break
    return weights


def mean_by_class(kinds: np.ndarray, passed: np.ndarray, reached: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The new alphas of an order, in the shape of those before; the others are (predictions,)."""
    number = len(before)
    return (1 + np.bincount(kinds, reached * passed, number)) / (2 + np.bincount(kinds, reached, number))


def own_likelihoods(
    vocab: Vocabulary, levels: Sequence[Level], sentences: Sequence[Sequence[int]]
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """For each order the maximum-likelihood probability of each prediction, whether anything ever followed its history,
    and the number of that history; all (predictions,)."""
    inputs, targets = join(sentences)
    model = interpolate(vocab, levels, np.zeros(len(vocab)), maximum_likelihood)
    contexts = model.contexts(inputs)
    likelihoods = [np.exp(model.log_probabilities[0][targets])]
    seen = [np.ones(len(targets), dtype=bool)]
    histories = [np.zeros(len(targets), dtype=np.int64)]
    for order in range(2, len(levels) + 1):
        context = contexts[order - 2]
        ngram = model.find(order, context, targets)
        own = np.exp(model.log_probabilities[order - 1][ngram])
        likelihoods.append(np.where(ngram == NOWHERE, 0.0, own))
        followed = np.append(np.bincount(levels[order - 1].contexts, minlength=len(levels[order - 2].keys)) > 0, False)
        seen.append(followed[context])
        histories.append(context)
    return likelihoods, seen, histories


def tune_weight(first: np.ndarray, second: np.ndarray) -> float:
    """The alpha of (1 - alpha) first + alpha second (Neubig 2017, Eq. 9) that makes the words most likely.

    first, second: what two models give the words of a text, (predictions,). A word that neither gives anything says
    nothing about alpha.
    """
    first, second = first[first + second > 0], second[first + second > 0]
    alpha = 0.5
    for _ in range(ROUNDS):
        before = alpha
        alpha = float((1 + (alpha * second / ((1 - alpha) * first + alpha * second)).sum()) / (2 + len(first)))
        if abs(alpha - before) < CLOSE_ENOUGH:
            break
    return alpha
