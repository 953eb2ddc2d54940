"""The views of lab 8: attention against the true alignment, the same scores made hard or local, links and copies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import dynet as dy
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch08_draw import bars, crosses, matrix
from book.figures.diagrams import frames
from book.figures.plots import drawing
from book.figures.style import BLUE, INK, ORANGE
from chapters.attention.attention_priors import PositionBias
from chapters.attention.attention_variants import one_word
from chapters.attention.local_attention import LocalWindow
from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.nn.softmax import FORBIDDEN
from common.plots.plotting import plt
from common.search.attending import force
from common.search.searches import translate
from common.search.unknown_words import replace_unknown
from common.text.alignment import Links, alignment_figures, links_of
from common.text.pairs import Pair
from common.text.vocab import split_words

CHAPTER = "chapters.attention"

LEAST = 1e-30
"""Weights below count as this one when their logarithm is wanted."""


def attended(model: Any, pairs: Sequence[Pair]) -> list[np.ndarray]:
    """What the model attends to while it reads the targets: for each pair (target words + 1, source words)."""
    return [forced.attention.astype(float) for forced in force(model, *zip(*pairs, strict=True))]


def log_scores(weights: np.ndarray) -> np.ndarray:
    """Scores whose softmax the weights are. What all scores of a step have in common is lost, and says nothing."""
    return np.log(np.maximum(weights, LEAST))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along each row, by DyNet: (steps, source words)."""
    dy.renew_cg()
    weights = np.array(dy.softmax(dy.inputTensor(scores.T)).npvalue(), dtype=float)
    return weights.reshape(scores.T.shape).T


def made_hard(weights: np.ndarray) -> np.ndarray:
    """All weight of each step on the word that has the most (`attention_variants.one_word`): same shape."""
    dy.renew_cg()
    return np.array(
        [np.array(one_word(dy.inputTensor(row[:, None])).npvalue()).ravel() for row in weights], dtype=float
    )


def made_local(weights: np.ndarray, places: Sequence[float], window: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights of each step within a window around its place, by the chapter's `LocalWindow`, and the bells.

    weights: (steps, source words). places: counted from 1, one for each step. window: D.
    """
    steps, words = weights.shape
    collection = dy.ParameterCollection()
    layer = LocalWindow(collection, 1, 1, window, 0.1)
    layer.W.set_value([[1.0]])
    local, bells = np.zeros((steps, words)), np.zeros((steps, words))
    for step, place in enumerate(places):
        share = min(max(place / words, 1e-4), 1 - 1e-4)  # the network's sigmoid reaches neither 0 nor 1
        layer.v.set_value([[math.log(share / (1 - share)) / math.tanh(1.0)]])
        dy.renew_cg()
        seen = layer.window_for(dy.inputTensor([1.0]), dy.inputTensor([[float(words)]]), words)
        scores = dy.inputTensor(log_scores(weights[step])[:, None])
        local[step] = np.array(dy.cmult(dy.softmax(scores + seen.outside), seen.gaussian).npvalue()).ravel()
        bells[step] = np.array(seen.gaussian.npvalue()).ravel()
    return local, bells


def biased(weights: np.ndarray, strength: float, pace: float) -> np.ndarray:
    """The weights when words far from the diagonal lose score, as the chapter's `PositionBias` does."""
    collection = dy.ParameterCollection()  # a parameter does not outlive it
    bias = PositionBias(collection, pace)
    bias.strength.set_value([[strength]])
    dy.renew_cg()
    added = [np.array(bias.scores(weights.shape[1], step).npvalue()).ravel() for step in range(len(weights))]
    return softmax(log_scores(weights) + np.array(added))


def sharpened(weights: np.ndarray, sharpness: float) -> np.ndarray:
    """The weights when all scores are multiplied by a number."""
    return softmax(np.maximum(log_scores(weights) * sharpness, FORBIDDEN))


def links_above(weights: np.ndarray, threshold: float) -> Links:
    """A link for every weight above the threshold; the last row, that of `</s>`, has none."""
    rows, columns = np.nonzero(weights[:-1] > threshold)
    return {(int(i), int(j)) for j, i in zip(rows, columns, strict=True)}


def error_line(links: Sequence[Links], true: Sequence[Links]) -> str:
    """Error rate, precision and recall in one line."""
    rates = alignment_figures(links, true)
    return " ".join(f"{name} {rates[key]:.3f}" for name, key in
                    (("AER", "error_rate"), ("precision", "precision"), ("recall", "recall")))  # fmt: skip


def maps(weights: Mapping[str, np.ndarray], pair: Pair, true: Links) -> Figure:
    """Matrices of one pair side by side: frames around true links, crosses on found links that are not true."""
    figure, panels = plt.subplots(1, len(weights), figsize=(3.6 * len(weights), 3.6), sharey=True, squeeze=False)
    for axes, (name, rows) in zip(panels[0], weights.items(), strict=True):
        matrix(axes, rows, pair.source, pair.target)
        frames(axes, true)
        links = links_of(rows)
        crosses(axes, links - true)
        axes.set_title(f"{name}\n{error_line([links], [true])}", fontsize=8)
    return figure


def three_ways(weights: np.ndarray, pair: Pair, step: int, place: float, window: int) -> Figure:
    """One step, counted from 1, of the same scores: soft, hard, and local around a place, counted from 1."""
    if not 1 <= step <= len(weights):
        raise UserError(f"step {step}: this target has steps 1 to {len(weights)}")
    row = weights[[step - 1]]
    place = min(place, len(pair.source))  # never behind the source, as the network's own place
    local, bell = made_local(row, [place], window)
    ways = {"soft": row[0], "hard": made_hard(row)[0], "local": local[0]}
    figure, panels = plt.subplots(1, 3, figsize=(9.6, 2.8), sharey=True)
    for axes, (name, values) in zip(panels, ways.items(), strict=True):
        bars(axes, pair.source, values, [BLUE if weight == values.max() else INK for weight in values], 2)
        axes.tick_params(axis="x", rotation=90)
        axes.set(title=f"{name} (sum {values.sum():.2f})", ylim=(0, 1.12))
    inside = [j for j in range(len(pair.source)) if abs(j + 1 - place) < window]
    panels[2].plot(inside, bell[0, inside], "--o", color=ORANGE, markersize=3, linewidth=1)
    panels[0].set(ylabel=f"to write {[*pair.target, '</s>'][step - 1]}")
    return figure


@drawing(6.6, 2.9)
def thresholds(axes: Axes, weights: Sequence[np.ndarray], true: Sequence[Links], threshold: float) -> None:
    """Precision, recall and error rate of links above a threshold, over all thresholds; a line at the chosen one."""
    places = np.round(np.linspace(0.02, 0.98, 25), 4)
    rows = [alignment_figures([links_above(matrix, place) for matrix in weights], true) for place in places]
    for key, colour in (("precision", INK), ("recall", ORANGE), ("error_rate", BLUE)):
        axes.plot(places, [figures[key] for figures in rows], color=colour, label=key.replace("_", " "))
    axes.axvline(threshold, color=INK, linestyle=":", linewidth=1)
    axes.set(xlabel="a link for every weight above", ylim=(0, 1.02))
    axes.set_title(error_line([links_above(matrix, threshold) for matrix in weights], true))
    axes.legend(fontsize=8)


def same_start(model: Any, other: Any) -> None:
    """Give `other` all numbers of `model` that go by the same name; what only `other` has stays."""
    ours, theirs = DynetParameters(model), DynetParameters(other)
    values = dict(zip(ours.names(), ours.arrays(), strict=True))
    own = zip(theirs.names(), theirs.arrays(), strict=True)
    theirs.set_arrays([values.get(name, array) for name, array in own])


def translated(model: Any, text: str) -> str:
    """A translation by greedy search, what each word attended to most, and the translation with words copied."""
    source = split_words(text)
    if not 1 <= len(source) <= 20:
        raise UserError(f"give a sentence of 1 to 20 words; this one has {len(source)}")
    (hypothesis,) = translate(model, [source])[0]
    rows = zip([*hypothesis.words, "</s>"], hypothesis.attention, strict=False)
    lines = [f"{word:14} {source[int(row.argmax())]:14} {row.max():.2f}" for word, row in rows]
    return "\n".join([" ".join(hypothesis.words), *lines, "copied: " + " ".join(replace_unknown(hypothesis, source))])
