"""The worked examples of chapter 4's output layers, on the three sentences of chapter 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import dynet as dy
import numpy as np

from book.counted import TEXT
from common.nn import class_softmax, hierarchical_softmax, sampled_softmax

COUNTED = ("</s>", ".", "the", "giggles", "girl", "feeds", "ponies", "son")
"""The words of the three sentences, frequent ones first."""


@cache
def counts() -> np.ndarray:
    """How often the three sentences predict each word of `COUNTED`."""
    said = [word for one in TEXT for word in [*one, "</s>"]]
    return np.array([said.count(word) for word in COUNTED], float)


def shares() -> np.ndarray:
    return counts() / counts().sum()


@cache
def classes(number: int = 3) -> list[np.ndarray]:
    return class_softmax.word_classes(np.log(shares()), number, class_softmax.equal_frequency)


def class_layer():
    """The class-based softmax of the example before training: weights of almost nothing, biases from the counts."""
    collection, init = dy.ParameterCollection(), dy.ConstInitializer(0)
    return class_softmax.ClassSoftmax(collection, 1, classes(), np.log(shares()), init)


def class_probs() -> tuple[np.ndarray, list[np.ndarray]]:
    """P(class), and for each class P(word | class), of the class-based softmax before training."""
    dy.renew_cg()
    layer, hidden = class_layer(), dy.inputVector([0.0])
    first = np.exp(dy.log_softmax(layer.class_scores(hidden)).npvalue().ravel())
    second = [np.exp(dy.log_softmax(layer.word_scores(hidden, n)).npvalue().ravel()) for n in range(len(classes()))]
    return first, second


def two_steps() -> Iterator[float]:
    """The classes of the eight words, and P(girl) in two steps."""
    total = int(counts().sum())
    first, second = class_probs()
    for number, members in enumerate(classes(), start=1):
        yield from (number, len(members), counts()[members].sum(), total, first[number - 1])
    word = COUNTED.index("girl")
    number = next(place for place, members in enumerate(classes()) if word in members)
    place = classes()[number].tolist().index(word)
    within = counts()[classes()[number]].sum()
    yield from (within, total, counts()[word], within, first[number] * second[number][place])
    yield from (len(classes()), len(classes()[number]), len(classes()) + len(classes()[number]), len(COUNTED))


@cache
def tree():
    return hierarchical_softmax.HuffmanTree(shares())


def below(node: int) -> list[int]:
    """The left and the right subtree of an inner node; inner nodes count on from the words."""
    above, turn = tree().parent[:-1], tree().turn[:-1]
    return [int(np.flatnonzero((above == node) & (turn == side))[0]) for side in (-1, 1)]


def joins() -> list[tuple[float, float, float]]:
    """The counts of the two subtrees that each step of the construction joins, and their sum."""
    mass, found = counts().tolist(), []
    for node in range(len(COUNTED), 2 * len(COUNTED) - 1):
        left, right = below(node)
        mass.append(mass[left] + mass[right])
        found.append((mass[left], mass[right], mass[node]))
    return found


def huffman() -> Iterator[float]:
    """Every join, the length of every path, the expected one, and the entropy in bits."""
    for left, right, both in joins():
        yield from (left, right, both)
    lengths = tree().real.sum(axis=1)
    yield from (value for pair in zip(counts(), lengths, strict=True) for value in pair)
    total = counts().sum()
    yield from ((counts() * lengths).sum(), total, (shares() * lengths).sum())
    yield -(shares() * np.log2(shares())).sum()


# --- the sum over the vocabulary, estimated from a few words

SCORES = {"</s>": -2.0, ".": 0.5, "the": -1.5, "giggles": 2.0, "girl": -1.0, "feeds": 1.8, "ponies": -1.0, "son": -1.2}
"""What a network might say after *the girl*."""
SAMPLES, SEED, COMES = 4, 22, COUNTED.index("feeds")


COLLECTION = dy.ParameterCollection()
"""Parameters live as long as the collection that they are in, so it must outlive a layer."""


@cache
def sampled_layer():
    W = COLLECTION.add_lookup_parameters((len(COUNTED), 1), init=dy.ConstInitializer(0))
    start = np.array([SCORES[word] for word in COUNTED])
    return sampled_softmax.SampledSoftmax(COLLECTION, W, start, sampled_softmax.Proposal(np.log(shares()), SAMPLES))


def sampled_loss(seed: int = SEED) -> float:
    """The loss of *feeds* by the chapter's sampled softmax."""
    dy.renew_cg()
    hidden = dy.inputVector([0.0])
    return sampled_layer().loss(hidden, np.array([COMES]), np.random.default_rng(seed)).scalar_value()


def drawn() -> tuple[np.ndarray, np.ndarray]:
    return sampled_layer().proposal.draw(np.random.default_rng(SEED))


def estimate() -> Iterator[float]:
    """Z in full, four words drawn, and what they make of it."""
    exps = np.exp([SCORES[word] for word in COUNTED])
    for word in COUNTED:
        yield from (SCORES[word], exps[COUNTED.index(word)])
    Z = exps.sum()
    yield from (Z, Z, SCORES["feeds"], math.log(Z) - SCORES["feeds"])
    words, times = drawn()
    yield SAMPLES
    terms = []
    for word, often in zip(words, times, strict=True):
        terms.append(0.0 if word == COMES else often * exps[word] / (SAMPLES * shares()[word]))
        yield from (often, SAMPLES, shares()[word], terms[-1])
    guess = exps[COMES] + sum(terms)
    yield from (exps[COMES], sum(terms), guess)
    yield from (guess, SCORES["feeds"], sampled_loss())


# --- noise-contrastive estimation

TRIED = (0.25, 0.5, 0.75)
"""exp(score) of *feeds* after *the girl*, with Z = 1: too small, right, too large."""


class Expected(sampled_softmax.Proposal):
    """Draws every word as often as is to be expected, K Q(w) times: so a loss becomes its expectation."""

    def draw(self, rng: np.random.Generator | None) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(self.log_expected)), np.exp(self.log_expected)


def following(*history: str) -> np.ndarray:
    """P of each word of `COUNTED` after these words in the three sentences."""
    n = len(history)
    came = [one[at + n] for one in TEXT for at in range(len(one) - n) if tuple(one[at : at + n]) == history]
    return np.array([came.count(word) / len(came) for word in COUNTED])


def objective_slope(exp_score: float) -> float:
    """dJ / ds of *feeds* after *the girl* by the chapter's NCE, in expectation over the text and the noise."""
    start = np.log(shares())
    start[COMES] = math.log(exp_score)
    collection = dy.ParameterCollection()
    W = collection.add_lookup_parameters((len(COUNTED), 1), init=dy.ConstInitializer(0))
    layer = sampled_softmax.NCESoftmax(collection, W, start, Expected(np.log(shares()), SAMPLES))
    dy.renew_cg()
    hidden, P = dy.inputVector([0.0]), following("the", "girl")
    loss = dy.esum([layer.loss(hidden, np.array([word]), None) * float(P[word]) for word in np.flatnonzero(P)])
    loss.forward()
    loss.backward()
    return -float(layer.b.grad_as_array()[COMES])


def contrast() -> Iterator[float]:
    """The pushes of text and noise on the score of *feeds*, for three scores."""
    P, expected = following("the", "girl")[COMES], SAMPLES * shares()[COMES]
    came = sum(tuple(one[:2]) == ("the", "girl") for one in TEXT)
    yield from (P * came, came, P, SAMPLES, shares()[COMES], expected, 1)
    for tried in TRIED:
        says = tried / (tried + expected)
        up, down = P * (1 - says), expected * says
        yield from (tried, tried / expected, says, P, 1 - says, up, expected, says, down, objective_slope(tried))
