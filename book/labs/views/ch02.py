"""Lab 2: scores that add up, the softmax and its gradient, minibatches, optimisers, and features on and off."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures import ch02_data as data
from book.figures.ch02 import bowl
from book.figures.ch02_record import Text, contributions, fitting, settings
from book.figures.plots import drawing, grouped, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.errors import UserError
from common.plots.plotting import plt
from common.text.vocab import split_words
from data.oracle import next_word_probs

SENTENCES = 1200
SPEC = "word1,word2,class1,bag"
PARTS = ("b", *SPEC.split(","))
COLOURS = dict(zip(PARTS, (INK, BLUE, GREEN, PURPLE, ORANGE), strict=True))
EATERS, VERBS = ("farmers", "cows"), ("eat", "grow")
HAY = np.array([[0.1, 0.8], [0.8, 0.1]]) / np.array([[0.9, 0.9], [0.9, 0.2]])
"""P(hay | hay or steak) in truth: farmers, cows by eat, grow. 0.8 is high, 0.1 is low, as in the lesson."""


@cache
def trained():
    """The chapter's model of the first sentences of the village, trained for two epochs: model, text, losses."""
    text = Text(SENTENCES)
    options = settings.Settings(features=SPEC, classes=30, epochs=2)
    learner = text.learner(options, text.features(options))
    meters = list(fitting.fit(learner, options, text.ids))
    return learner.model, text, meters


def parts(history: str) -> dict[str, np.ndarray]:
    """What b and each template of features add to the scores of all words after a history, (V,) each."""
    words = split_words(history)
    if not words:
        raise UserError("the history is empty; type at least one word")
    return contributions(trained()[0], words)


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(s) / sum of exp(s), in float64."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def probs(history: str, on: tuple[str, ...]) -> np.ndarray:
    """P(next word) where only these parts are added up, (V,)."""
    votes = parts(history)
    return softmax(sum((votes[name] for name in on), np.zeros(len(votes["b"]))))


def candidates(history: str, on: tuple[str, ...], number: int = 5) -> list[str]:
    """The words that model and grammar find most probable, the model's first; those the model knows."""
    order, vocab = np.argsort(-probs(history, on), kind="stable"), trained()[1].vocab
    truth = next_word_probs(split_words(history))
    best = [vocab.words[word_id] for word_id in order[:number]]
    true = [word for word in sorted(truth, key=lambda word: -truth[word]) if word in vocab][:number]
    return list(dict.fromkeys([*best, *true]))


def features(history: str, b: bool, word1: bool, word2: bool, class1: bool, bag: bool) -> Figure:
    """Scores stacked up from the parts that are on, their softmax, and the grammar's own probabilities."""
    on = tuple(name for name, here in zip(PARTS, (b, word1, word2, class1, bag), strict=True) if here)
    names, by_part = candidates(history, on), parts(history)
    places = [trained()[1].vocab.ids[name] for name in names]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 0.32 * len(names) + 1.2), sharey=True)
    above, below = np.zeros(len(names)), np.zeros(len(names))
    for name in on:
        votes = (by_part[name] - by_part[name].mean())[places]
        start = np.where(votes >= 0, above, below)
        left.barh(range(len(names)), votes, 0.7, left=start, color=COLOURS[name], label=name)
        above, below = above + np.maximum(votes, 0), below + np.minimum(votes, 0)
    left.plot(above + below, range(len(names)), "k|", markersize=13, markeredgewidth=2, label="sum")
    left.axvline(0, color=INK, linewidth=0.6)
    left.set_yticks(range(len(names)), names)
    left.invert_yaxis()
    left.set(xlabel="score, less the mean of all words")
    left.set_title(f"votes after “{history}”", parse_math=False)
    left.legend(fontsize=7)
    truth = next_word_probs(split_words(history))
    rows = np.arange(len(names))
    right.barh(rows - 0.2, probs(history, on)[places], 0.38, color=BLUE, label="softmax")
    right.barh(rows + 0.2, [truth.get(name, 0) for name in names], 0.38, color=GREEN, label="grammar")
    right.set(title="probability", xlim=(0, 1))
    right.legend(fontsize=7)
    return figure


@drawing(7.4, 2.5, columns=2)
def four_scores(
    left: Axes, right: Axes, giggles: float, feeds: float, ponies: float, stop: float, constant: float
) -> None:
    """Scores as bars, and their softmax."""
    scores = np.array([giggles, feeds, ponies, stop]) + constant
    for axes, values, title in ((left, scores, "score"), (right, softmax(scores), "softmax")):
        axes.bar(namespace("02")["words"], values, color=BLUE if axes is left else GREEN)
        for place, value in enumerate(values):
            note(axes, f"{value:.3f}", (place, max(value, 0)))
        axes.set(title=title)
        axes.margins(y=0.2)


def one_step(rate: float, came: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """One step of SGD on the lesson's example: probabilities and loss before and after."""
    lesson = namespace("02")
    number, s = lesson["words"].index(came), lesson["s"]
    before = softmax(s)
    after = softmax(s - 3 * rate * (before - np.eye(4)[number]))  # three columns move
    return before, after, -float(np.log(before[number])), -float(np.log(after[number]))


@drawing(8, 2.8, columns=2)
def step(left: Axes, right: Axes, rate: float, came: str) -> None:
    """What one step does to the four probabilities, and the loss after a step by its length."""
    before, after, loss_before, loss_after = one_step(rate, came)
    grouped(left, namespace("02")["words"], {"before": (before, INK), "after": (after, BLUE)}, 0.4, 0.38)
    left.set(title=f"{came!r} came; loss {loss_before:.3f}, then {loss_after:.3f}", ylim=(0, 1))
    left.legend(fontsize=8)
    rates = np.linspace(0, 6, 61)
    right.plot(rates, [one_step(float(length), came)[3] for length in rates], color=BLUE)
    right.plot(rate, loss_after, "o", color=RED)
    right.set(xlabel="learning rate η", ylabel="loss after the step, nats")


@drawing(4.4, 3.2)
def minibatches(axes: Axes, size: int) -> None:
    """Gradients by two base scores from 200 minibatches of this size, and of all sentences (the cross)."""
    words = ("the", "a")
    gradients = data.minibatch_gradients(words, size, 200)
    axes.scatter(*gradients.T, s=10, color=BLUE, alpha=0.5)
    axes.plot(*data.sentence_gradients(words).mean(axis=0), "+", color=RED, markersize=14, markeredgewidth=2)
    axes.set(xlabel="gradient by the score of “the”", ylabel="by that of “a”", xlim=(-4, 0.5), ylim=(-2.5, 0.5))
    axes.set(title=f"{size} sentences: standard deviation {gradients[:, 0].std():.3f}")


@drawing(8.6, 3.2, columns=2)
def walk(left: Axes, right: Axes, kind: str, factor: float, steps: int) -> None:
    """The way of an optimiser in the lesson's bowl, its usual learning rate times a factor."""
    rate = data.RATES[kind] * factor
    walked = data.walk(kind, rate, steps)
    least = bowl(left)
    left.plot(*walked.path.T, "o-", color=ORANGE, markersize=3.5, linewidth=1)
    left.set(xlim=(-3, 5), ylim=(-3.4, 4.2), title=f"{kind}, η = {rate:g}", xlabel="frequent feature", ylabel="rare")
    right.plot(walked.losses, "o-", color=ORANGE, markersize=3)
    right.axhline(least, color=INK, linestyle="--", linewidth=0.8)
    right.set(xlabel="step", ylabel="loss, nats", title=f"after {steps} steps: {walked.losses[-1]:.4f}")


def sums_loss(farmers: float, cows: float, eat: float, grow: float) -> tuple[np.ndarray, float]:
    """P(hay | hay or steak) by adding two votes, (2, 2), and its mean loss in nats against the truth."""
    scores = np.array([[farmers], [cows]]) + np.array([[eat, grow]])
    probabilities = 1 / (1 + np.exp(-scores))
    return probabilities, float(-(HAY * np.log(probabilities) + (1 - HAY) * np.log(1 - probabilities)).mean())


@drawing(6.4, 2.7)
def sums(axes: Axes, farmers: float, cows: float, eat: float, grow: float) -> None:
    """Four votes for hay against steak, and what their sums make of the four contexts."""
    probabilities, loss = sums_loss(farmers, cows, eat, grow)
    least = float(-(HAY * np.log(HAY) + (1 - HAY) * np.log(1 - HAY)).mean())
    names = [f"{who} {does}" for who in EATERS for does in VERBS]
    rows = {"sum of two votes": (probabilities.ravel(), ORANGE), "truth": (HAY.ravel(), GREEN)}
    grouped(axes, names, rows, 0.4, 0.38)
    axes.set(ylabel="P(hay), of hay and steak", ylim=(0, 1.1), title=f"loss {loss:.3f}, the least possible {least:.3f}")
    axes.legend(fontsize=8, loc="upper right")
