"""The views of lab 7: what a search keeps and prunes, what the reference would score, how translations are judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.explorer.beam_trees import Tree, grow
from book.explorer.next_words import distributions
from book.figures.beams import Candidate, steps_of
from book.figures.ch07_search import draw_tree
from book.figures.diagrams import canvas
from book.figures.plots import bars, drawing
from book.figures.style import BLUE, INK, ORANGE
from book.lessons.cells import namespace
from common.errors import UserError
from common.search.decoding import Hypothesis
from common.search.length_prior import LengthPrior, length_score
from common.search.searches import Decoding
from common.search.translation import Conditional, target_log_probs
from common.text.pairs import Pair
from common.text.vocab import BEGIN, BOUNDARY, UNKNOWN

COLUMNS, ROWS = 9, 6
"""Columns and rows of a tree that are drawn at most."""


def search_tree(
    model: Any, source: Sequence[str], size: int, length: str = "none", prior: LengthPrior | None = None
) -> Tree:
    """The search of `common.search`, step by step. length: a name of `LENGTH_SCORES`, which acts in the beam."""
    score = None if length == "none" else length_score(length, len(source), prior)
    return grow(Conditional(model, [source]), size, Decoding().most_words(len(source)), score, ROWS)


def reference_log_prob(model: Any, pair: Pair) -> float:
    """log P of the reference by teacher forcing, in nats."""
    return float(target_log_probs(model, [pair])[0].sum())


def verdict(model: Any, pair: Pair, size: int, length: str = "none", prior: LengthPrior | None = None) -> str:
    """What was found, the reference, both scores, and what that says of search and model."""
    judge = length_score(length, len(pair.source), prior)
    hypotheses = search_tree(model, pair.source, size, length, prior).hypotheses
    rows = [(" ".join(words) or "(nothing)", log_prob, judge(log_prob, len(words)))
            for words, log_prob in ((hypothesis.words, hypothesis.log_prob) for hypothesis in hypotheses)]  # fmt: skip
    own = reference_log_prob(model, pair)
    reference = judge(own, len(pair.target))
    lines = [f"{'log P':>8} {'score':>8}", *(f"{log_prob:8.2f} {value:8.2f}  {text}" for text, log_prob, value in rows)]
    lines.append(f"{own:8.2f} {reference:8.2f}  {' '.join(pair.target)}  (the reference)")
    if hypotheses[0].words == list(pair.target):
        return "\n".join([*lines, "The reference was found."])
    if reference > rows[0][2]:
        return "\n".join([*lines, "A search error: the reference has the higher score."])
    return "\n".join([*lines, "The model prefers what was found: no search error is shown."])


def tree(model: Any, pair: Pair, size: int, length: str = "none", prior: LengthPrior | None = None) -> Figure:
    """The search as a tree: solid boxes stay, dashed ones are pruned, green ones end; * is how the reference begins."""
    steps = steps_of(search_tree(model, pair.source, size, length, prior))[:COLUMNS]
    right = (*pair.target, BOUNDARY)
    columns = []
    for step in steps:
        survivors = [candidate for candidate in step if candidate.kept][: ROWS - 1]
        pruned = [candidate for candidate in step if not candidate.kept][: min(2, ROWS - len(survivors))]
        columns.append(sorted(survivors + pruned, key=lambda candidate: -candidate.log_prob))
    prefixes = {()} | {candidate.words for column in columns for candidate in column if candidate.kept}
    columns = [[candidate for candidate in column if candidate.words[:-1] in prefixes] for column in columns]
    rows = max(map(len, columns))
    figure, axes = canvas(1.3 + 1.95 * len(columns), rows * 0.78, 0.66)

    def label(candidate: Candidate) -> str:
        mark = "*" if candidate.words == right[: len(candidate.words)] else ""
        return f"{candidate.words[-1]}{mark}\n{candidate.log_prob:.2f}"

    draw_tree(axes, columns, label, 1.95, 0.78)
    return figure


def best_by_length(model: Any, source: Sequence[str], size: int = 30) -> dict[int, Hypothesis]:
    """The most probable sentence of each length that a wide beam finds."""
    best: dict[int, Hypothesis] = {}
    for hypothesis in search_tree(model, source, size).hypotheses:
        if hypothesis.finished and len(hypothesis.words) not in best:
            best[len(hypothesis.words)] = hypothesis
    return dict(sorted(best.items()))


def lengths(model: Any, source: Sequence[str], prior: LengthPrior, size: int = 30) -> str:
    """The three scores of the best sentence of each length; a star at the highest of each."""
    best = best_by_length(model, source, size)
    kinds = {kind: length_score(kind, len(source), prior) for kind in ("none", "normalise", "prior")}
    log_probs = {words: hypothesis.log_prob for words, hypothesis in best.items()}
    table = {kind: [score(log_probs[words], words) for words in best] for kind, score in kinds.items()}
    lines = ["words" + "".join(f"{kind:>12}" for kind in kinds)]
    for row, (words, hypothesis) in enumerate(best.items()):
        cells = "".join(
            f"{values[row]:11.2f}" + ("*" if values[row] == max(values) else " ") for values in table.values()
        )
        lines.append(f"{words:5}{cells}  {' '.join(hypothesis.words)}")
    return "\n".join(lines)


class Guess(NamedTuple):
    """One step of the decoder: the word read, the most probable next word, the right one, and what both get."""

    read: str
    best: str
    p_best: float
    right: str
    p_right: float


def teacher_forcing(model: Any, pair: Pair) -> list[Guess]:
    """What the decoder would say at each step while it reads the reference."""
    rows = np.exp(distributions(Conditional(model, [pair.source]), pair.target))
    steps = []
    for read, right, probs in zip([BEGIN, *pair.target], [*pair.target, BOUNDARY], rows, strict=True):
        (target,) = model.vocab.encode([right])
        steps.append(Guess(read, model.vocab.words[probs.argmax()], float(probs.max()), right, float(probs[target])))
    return steps


def influence(model: Any, pair: Pair) -> np.ndarray:
    """By how many nats log P of the reference falls when each source word in turn is replaced by `<unk>`: (|F|,)."""
    changed = [
        Pair([*pair.source[:place], UNKNOWN, *pair.source[place + 1 :]], pair.target)
        for place in range(len(pair.source))
    ]
    costs = [float(log_probs.sum()) for log_probs in target_log_probs(model, [pair, *changed])]
    return costs[0] - np.array(costs[1:])


@drawing(7.0, 2.5)
def influence_bars(axes: Axes, model: Any, pair: Pair) -> None:
    """A bar for each source word: what its loss costs the reference."""
    bars(axes, pair.source, influence(model, pair), BLUE)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(ylabel="nats that it costs", title=" ".join(pair.target))


def mixed(members: Sequence[Sequence[float]], shares: Sequence[float], of_logs: bool = False) -> np.ndarray:
    """The weighted mean of distributions (members, words), or of their logarithms, renormalised: (words,)."""
    rows, weights = np.array(members, dtype=float), np.array(shares, dtype=float)
    if weights.sum() <= 0:
        raise UserError("give at least one member a share above 0")
    weights /= weights.sum()
    if not of_logs:
        return weights @ rows
    product = np.exp(weights @ np.log(np.maximum(rows, 1e-12)))
    return product / product.sum()


@drawing(7.6, 2.8)
def mixture(axes: Axes, words: Sequence[str], members: Sequence[Sequence[float]], shares: Sequence[float]) -> None:
    """Members (grey) and both means of them, for a few words."""
    places = np.arange(len(words))
    for number, row in enumerate(members):
        axes.bar(places - 0.32 + 0.13 * number, row, 0.12, color=INK, alpha=0.35 + 0.25 * number)
    for shift, of_logs, colour, name in ((0.12, False, BLUE, "mean of P"), (0.26, True, ORANGE, "mean of log P")):
        axes.bar(places + shift, mixed(members, shares, of_logs), 0.13, color=colour, label=name)
    axes.set_xticks(places, words)
    axes.set(ylabel="P(first word)")
    axes.legend(fontsize=8)


def bleu_by_hand(translation: str, reference: str) -> str:
    """The counts of each order, the penalty, and BLEU of one sentence, without smoothing."""
    ours, theirs, ngrams = translation.split(), reference.split(), namespace("07")["ngrams"]
    if len(ours) < 4:
        raise UserError("give a translation of 4 words or more")
    totals = [ngrams(ours, n) for n in range(1, 5)]
    matched = [(total & ngrams(theirs, n)).total() for n, total in enumerate(totals, start=1)]
    lines = [f"n = {n + 1}: {matched[n]} of {total.total()}" for n, total in enumerate(totals)]
    penalty = min(1, np.exp(1 - len(theirs) / len(ours)))
    precisions = [match / total.total() for match, total in zip(matched, totals, strict=True)]
    value = 100 * penalty * np.prod(precisions) ** (1 / 4)
    return "\n".join([*lines, f"brevity penalty {penalty:.3f}", f"BLEU {value:.2f}"])
