"""What can be read off a state with one straight cut: linear classifiers (probes) on the states of a trained model.

Letters in the shapes: N examples, H numbers of a state, T words of a sentence. NumPy, float64; losses in nats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.softmax import embed
from common.text.batching import pad
from common.text.vocab import Vocabulary
from data.agreement import Agreeing
from data.village_lexicon import MEN, WOMEN

from .model import RecurrentLM

BATCH = 64
STEPS, ENOUGH, TINY = 100, 1e-6, 1e-10
"""The most steps of Newton's method, the largest number of a gradient that ends it, and what counts as nothing."""
GENDERS = {**dict.fromkeys(WOMEN.split(), True), **dict.fromkeys(MEN.split(), False)}

PROPERTIES: dict[str, Callable[[Agreeing], bool | None]] = {
    "number": lambda one: one.singular,
    "gender": lambda one: GENDERS.get(one.sentence[one.subject]),
}
"""What is asked of a state: whether the subject is singular; whether it is a woman (not a man). None: not asked."""
ZONES: dict[str, Callable[[Agreeing], range]] = {
    "before": lambda one: range(one.subject, one.verb),
    "after": lambda one: range(one.verb, len(one.sentence)),
}
"""The words after which a state is asked: from the subject to the last word before its verb; from the verb on."""


class Places(NamedTuple):
    """Where states are asked. All are (N,): the sentence, the word just read, how many words after the zone began it
    stands, and the answer, 1 or 0."""

    sentence: np.ndarray
    word: np.ndarray
    distance: np.ndarray
    label: np.ndarray


class Probe(NamedTuple):
    """P(label = 1 | x) = sigmoid(w . (x - mean) / spread + b). mean, spread, w: (H,); b: a number."""

    mean: np.ndarray
    spread: np.ndarray
    w: np.ndarray
    b: float

    def scores(self, x: np.ndarray) -> np.ndarray:
        """The argument of the sigmoid: (N, H) -> (N,). Above 0 the answer is 1."""
        return (x - self.mean) / self.spread @ self.w + self.b

    @property
    def normal(self) -> np.ndarray:
        """The gradient of the score with respect to x, (H,): at right angles to the plane where the score is 0."""
        return self.w / self.spread


def places(examples: Sequence[Agreeing], question: str, zone: str) -> Places:
    """Every place of a zone in those of the sentences of which the property `asked` can be asked."""
    rows = [
        (number, word, word - ZONES[zone](example)[0], label)
        for number, example in enumerate(examples)
        if (label := PROPERTIES[question](example)) is not None
        for word in ZONES[zone](example)
    ]
    return Places(*np.array(rows, dtype=int).reshape(-1, 4).T)


def states(model: RecurrentLM, sentences: Sequence[Sequence[str]]) -> dict[str, list[np.ndarray]]:
    """The top layer's state after each word: for "h", and "c" where there is a cell, one (T, H) a sentence."""
    columns: dict[str, list[np.ndarray]] = {}
    for begin in range(0, len(sentences), BATCH):
        ids = [model.vocab.encode(sentence) for sentence in sentences[begin : begin + BATCH]]
        inputs, _ = pad([[Vocabulary.boundary, *words] for words in ids])
        for part, values in batch_states(model, inputs).items():
            columns.setdefault(part, []).extend(values[1 : len(words) + 1, at] for at, words in enumerate(ids))
    return columns


def batch_states(model: RecurrentLM, inputs: np.ndarray) -> dict[str, np.ndarray]:
    """The same of a batch of word ids (T, B), padding included: (T, B, H)."""
    dy.renew_cg()
    now: Any = model.stack.first_states
    through_time = []
    for words in inputs:
        _, now = model.stack.step(embed(model.embedding, words.tolist()), now)
        through_time.append(now[-1])
    parts = zip("hc", zip(*through_time, strict=True), strict=False)  # a state is (hidden,) or (hidden, cell)
    size = (model.stack.layers[-1].hidden_size, inputs.shape[1])
    return {name: np.array([vector.npvalue().reshape(size, order="F").T for vector in steps]) for name, steps in parts}


def at(values: Sequence[np.ndarray], where: Places) -> np.ndarray:
    """The states at these places, (N, H)."""
    return np.array([values[number][word] for number, word in zip(where.sentence, where.word, strict=True)], float)


def loss_of(parameters: np.ndarray, x: np.ndarray, labels: np.ndarray, penalty: float) -> float:
    """The loss of logistic regression in nats, summed, with `penalty` / 2 times the square of w.

    parameters: w and below it b, (H + 1,). x: (N, H) and a last column of ones; labels: 1 or 0, (N,).
    """
    scores = x @ parameters
    return float(np.logaddexp(0, scores).sum() - labels @ scores + 0.5 * penalty * parameters[:-1] @ parameters[:-1])


def slopes(parameters: np.ndarray, x: np.ndarray, labels: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of this loss, X^T (p - y) and the penalty's, (H + 1,), and its Hessian, (H + 1, H + 1)."""
    p = 0.5 * (1 + np.tanh(x @ parameters / 2))
    penalties = np.append(np.full(len(parameters) - 1, penalty), 0.0)
    return x.T @ (p - labels) + penalties * parameters, (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalties)


def fit(x: np.ndarray, labels: np.ndarray, penalty: float = 1.0) -> Probe:
    """The probe with the smallest loss, by Newton's method; a step that does not lower the loss is halved.

    x: (N, H), of which each number is first given the mean 0 and the standard deviation 1; labels: 1 or 0, (N,).
    """
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-8
    x, parameters = np.column_stack([(x - mean) / spread, np.ones(len(x))]), np.zeros(x.shape[1] + 1)
    for _ in range(STEPS):
        gradient, hessian = slopes(parameters, x, labels, penalty)
        if np.abs(gradient).max() < ENOUGH:
            break
        step = np.linalg.solve(hessian + TINY * np.eye(len(hessian)), gradient)
        loss = loss_of(parameters, x, labels, penalty)
        while loss_of(parameters - step, x, labels, penalty) > loss and np.abs(step).max() > TINY:
            step = step / 2
        parameters = parameters - step
    return Probe(mean, spread, parameters[:-1], float(parameters[-1]))


def shuffled(where: Places, rng: np.random.Generator) -> np.ndarray:
    """Labels (N,) that mean nothing: each sentence gets the label of another one, at all of its places."""
    sentences, first = np.unique(where.sentence, return_index=True)
    labels = rng.permutation(where.label[first])
    return labels[np.searchsorted(sentences, where.sentence)]


def mirrored(probe: Probe, x: np.ndarray) -> np.ndarray:
    """States (N, H) on the other side of the probe's plane, as far from it: their scores change the sign, no more.

    A probe that weighs no unit has no plane, and the states stay where they are: so it is where all states are one.
    """
    square = probe.normal @ probe.normal
    return x - np.outer(2 * probe.scores(x) / square, probe.normal) if square else x


def exchanged(x: np.ndarray, labels: np.ndarray, means: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """States (N, H) moved by the way from the mean of their own label to that of the other one.

    labels: 1 or 0, (N,); means: of the states with label 0 and of those with 1, (H,) each.
    """
    return x + np.outer(1 - 2 * labels, means[1] - means[0])


def elsewhere(x: np.ndarray, moved: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """States (N, H) moved as far as to `moved`, each in a direction of its own that is drawn at random."""
    directions = rng.normal(size=x.shape)
    lengths = np.linalg.norm(moved - x, axis=1) / np.linalg.norm(directions, axis=1)
    return x + directions * lengths[:, None]
