"""The worked examples of part 2 of chapter 5: four states of two numbers, probes on them, and a state that is moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from book.figures.recorded import recorded
from common.chapters import chapter_module

CHAPTER, RECORD = "05_rnn_lm", "figures/recorded_part2.json"
probing = chapter_module(CHAPTER, "probing")

STATES = np.array([[0.8, 0.1], [-0.6, -0.3], [0.3, 0.7], [-0.1, -0.6]])
"""After *the girl*, *the girls*, *the cat near the barns* and *the cats near the barn*."""
SINGULAR = np.array([1, 0, 1, 0])
FIRST = np.array([2.0, -1.0])
"""The weights of the first probe; it has no bias."""
PENALTY = 1.0
OTHER = np.array([0.2, 1.0])
"""Those of the probe by which a state is moved."""
FORMS = {"waits": np.array([1.0, 0.0]), "wait": np.array([-1.0, 0.0])}
"""Rows of the softmax, without biases."""
MOVED = 2
"""Which of the states is moved."""
CELLS = ("rnn", "lstm", "gru")


def plain_probe(w: np.ndarray) -> probing.Probe:
    """A probe that asks the numbers as they are."""
    return probing.Probe(np.zeros(2), np.ones(2), w, 0.0)


def reading() -> Iterator[float]:
    """The first probe on each state: its score, P(singular), the loss; all losses, and the gradient of w and b."""
    yield from FIRST
    scores = plain_probe(FIRST).scores(STATES)
    for state, score, label in zip(STATES, scores, SINGULAR, strict=True):
        p = 1 / (1 + np.exp(-score))
        yield from (*state, score, p, -np.log(p if label else 1 - p))
    x, parameters = np.column_stack([STATES, np.ones(4)]), np.append(FIRST, 0.0)
    yield probing.loss_of(parameters, x, SINGULAR, 0.0)
    yield from probing.slopes(parameters, x, SINGULAR, 0.0)[0]


def fitted() -> tuple[np.ndarray, float, np.ndarray]:
    """The fitted probe: the weights of the two numbers as they are, its bias, and its scores of the four states."""
    found = probing.fit(STATES, SINGULAR, PENALTY)
    return found.normal, found.b - found.mean @ found.normal, found.scores(STATES)


def fitting() -> Iterator[float]:
    """The fitted probe's weights, bias and scores."""
    normal, bias, scores = fitted()
    yield from (PENALTY, *normal, bias, *scores)


def means() -> tuple[np.ndarray, np.ndarray]:
    """Of the states with a plural subject, and of those with a singular one, (2,) each."""
    return STATES[SINGULAR == 0].mean(axis=0), STATES[SINGULAR == 1].mean(axis=0)


def moves() -> list[np.ndarray]:
    """The state as it is, mirrored in the plane of the other probe, and with the means exchanged, (2,) each."""
    state = STATES[MOVED : MOVED + 1]
    mirrored = probing.mirrored(plain_probe(OTHER), state)
    return [one[0] for one in (state, mirrored, probing.exchanged(state, SINGULAR[MOVED : MOVED + 1], means()))]


def moving() -> Iterator[float]:
    """The other probe, the two rows, the means; then of each moved state itself, its score and those of the forms."""
    yield from OTHER
    for row in FORMS.values():
        yield from row
    plural, singular = means()
    yield from (*singular, *plural)
    for state in moves():
        yield from (*state, plain_probe(OTHER).scores(state[None])[0], *(row @ state for row in FORMS.values()))


def accuracy(question: str, cell: str, kind: str) -> np.ndarray:
    """Recorded shares of right answers in percent by distance, the mean over the seeds, (FAR + 1,)."""
    return 100 * np.mean(recorded(CHAPTER, RECORD)["accuracy"][question][cell][kind], axis=0)


def by_distance(question: str, kinds: Sequence[tuple[str, str]]) -> Iterator[float]:
    """The distances, and for each cell and kind of vector the accuracy at each of them."""
    count = len(recorded(CHAPTER, RECORD)["majority"][question])
    yield from range(count)
    for cell, kind in kinds:
        yield from accuracy(question, cell, kind)
    yield from (100 * one for one in recorded(CHAPTER, RECORD)["majority"][question])


def number() -> Iterator[float]:
    """The number of the subject, before its verb."""
    yield from by_distance(
        "number before",
        [*((cell, "state") for cell in CELLS), ("lstm", "untrained"), ("lstm", "word"), ("lstm", "shuffled")],
    )
