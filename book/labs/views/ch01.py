"""Lab 1: mixtures of n-gram models, EM, discounts, next words and surprise, on the village."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.counted import next_word, village
from book.figures.ch01_data import corpus, em_path, mixed_perplexity, trained
from book.figures.plots import drawing, note, paired_bars, pointer
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from chapters.ngram_lm import counts, methods, smoothing, tuning
from common.errors import UserError
from common.evaluation.perplexity import Evaluation, evaluate, sentence_log_probs
from common.plots.plotting import plt
from common.text.vocab import counted, split_words
from data.oracle import next_word_probs

SPLITS = ("train", "dev", "test")
GRID = np.array([0.002, 0.01, 0.03, *np.linspace(0.06, 0.98, 24)])


@cache
def ids(split: str) -> list[list[int]]:
    """The sentences of a split as numbers of words."""
    return [village()[0].encode(sentence) for sentence in getattr(corpus(), split)]


@cache
def opinions(split: str) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """What unigrams, bigrams and trigrams give each prediction, where their history was seen, and order zero."""
    vocab, levels, *_ = village()
    zero = smoothing.order_zero(len(vocab), False)
    likelihoods, seen, _ = tuning.own_likelihoods(vocab, levels[:3], ids(split))
    return likelihoods, seen, zero[counts.join(ids(split))[1]]


@cache
def em_weights() -> tuple[float, float, float]:
    """The alphas of orders 1, 2 and 3 that EM finds on dev."""
    vocab, levels, *_ = village()
    return tuple(tuning.tune_weights(vocab, levels[:3], smoothing.order_zero(len(vocab), False), ids("dev")))


def mixture(split: str, alpha2: float, alpha3: float) -> np.ndarray:
    """P(word) of each prediction (Neubig 2017, Eq. 10), (N,); the alpha of order 1 is EM's."""
    likelihoods, seen, probs = opinions(split)
    for alpha, own, here in zip((em_weights()[0], alpha2, alpha3), likelihoods, seen, strict=True):
        probs = np.where(here, (1 - alpha) * own + alpha * probs, probs)
    return probs


def perplexity(split: str, alpha2: float, alpha3: float) -> float:
    """Perplexity of the mixture of three orders on a split; infinite where a prediction is impossible."""
    with np.errstate(divide="ignore"):
        mean = -np.log(mixture(split, alpha2, alpha3)).mean()
    return math.exp(mean) if np.isfinite(mean) else math.inf


@cache
def landscape() -> np.ndarray:
    """Perplexity on dev over the grid of alphas: (alpha3, alpha2)."""
    return np.array([[perplexity("dev", alpha2, alpha3) for alpha2 in GRID] for alpha3 in GRID])


@drawing(8.4, 3.5, columns=2, width_ratios=(3, 2))
def weights(left: Axes, right: Axes, alpha2: float, alpha3: float) -> None:
    """Where the weights stand in the landscape of dev, EM's optimum, and the perplexities of the three splits."""
    lines = left.contour(GRID, GRID, landscape(), levels=[33, 35, 38, 42, 50, 60, 80, 120], cmap="viridis")
    left.clabel(lines, fontsize=7)
    _, best2, best3 = em_weights()
    left.plot(best2, best3, "*", color=ORANGE, markersize=13, label=f"EM: α₂ = {best2:.3f}, α₃ = {best3:.3f}")
    left.plot(alpha2, alpha3, "o", color=RED, label=f"here: α₂ = {alpha2:.3f}, α₃ = {alpha3:.3f}")
    left.set(xlabel="α₂, passed on to the unigrams", ylabel="α₃, passed on to the bigrams", title="perplexity on dev",
             xlim=(0, 1), ylim=(0, 1))  # fmt: skip
    left.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.22))
    perplexities = [perplexity(split, alpha2, alpha3) for split in SPLITS]
    right.bar(SPLITS, [value if math.isfinite(value) else 0 for value in perplexities], color=[INK, BLUE, GREEN])
    for place, value in enumerate(perplexities):
        text = f"{value:.2f}" if math.isfinite(value) else "infinite"
        note(right, text, (place, value if math.isfinite(value) else 0))
    for place, split in enumerate(SPLITS):
        best = perplexity(split, best2, best3)
        right.plot([place - 0.4, place + 0.4], [best, best], color=ORANGE, linewidth=2)
    right.set(title="perplexity, here and at EM's weights (line)")
    right.margins(y=0.15)


@drawing(6, 3.2)
def em(axes: Axes, start: float, rounds: int) -> None:
    """Rounds of EM down the curve of dev, from any weight."""
    alphas = np.linspace(0.005, 0.995, 100)
    path = em_path(start, rounds)
    axes.plot(alphas, [mixed_perplexity("dev", alpha) for alpha in alphas], color=BLUE)
    axes.plot(path, [mixed_perplexity("dev", alpha) for alpha in path], "o-", color=ORANGE, linewidth=0.8)
    pointer(axes, f"round {rounds}: α = {path[-1]:.4f}", (path[-1], mixed_perplexity("dev", path[-1])), (30, 40))
    axes.set(xlabel="α, the weight of the unigrams", ylabel="perplexity on dev", xlim=(0, 1), ylim=(25, 110))


def discounted(amount: float):
    """The bigram model of the village that subtracts one amount, above 0 and below 1, from every bigram's count."""
    vocab, levels, *_ = village()

    def estimate(order: int, level, contexts: int) -> tuple[np.ndarray, np.ndarray]:
        discounts = smoothing.estimate_discounts(level.counts, 1) if order == 1 else (amount,) * 3
        return smoothing.subtract(level, contexts, discounts)

    return smoothing.interpolate(vocab, levels[:2], smoothing.order_zero(len(vocab), False), estimate)


@cache
def discount_curve() -> tuple[np.ndarray, list[float]]:
    amounts = np.array([0.02, 0.05, 0.1, *np.linspace(0.2, 0.95, 9)])
    return amounts, [of(discounted(float(amount))).perplexity for amount in amounts]


def of(model, split: str = "dev") -> Evaluation:
    """The chapter's evaluation, `<unk>` counted as a word."""
    return evaluate(model, getattr(corpus(), split), "token")


@drawing(8.4, 3, columns=2)
def discount(left: Axes, right: Axes, amount: float, word: str) -> None:
    """What is left of the counts after a word, what the other words get, and the perplexity on dev."""
    vocab, levels, *_ = village()
    if word not in vocab:
        raise UserError(f"{word!r} is not in the vocabulary; try hen, mira, the or until")
    here = levels[1].contexts == vocab.ids[word]
    seen = levels[1].counts[here].sum()
    order = np.argsort(-levels[1].counts[here])[:6]
    names = [vocab.words[key % len(vocab)] for key in levels[1].keys[here][order]]
    left.bar(names, levels[1].counts[here][order] / seen, color=INK, alpha=0.4)
    left.bar(names, (levels[1].counts[here][order] - amount) / seen, color=BLUE)
    left.bar("back-off\nmass", amount * here.sum() / seen, color=ORANGE)
    left.set(title=f"after {word!r}: {counted(seen, 'time')}, {counted(here.sum(), 'different word')}")
    left.tick_params(axis="x", labelrotation=30)
    right.plot(*discount_curve(), color=BLUE)
    right.plot(amount, of(discounted(amount)).perplexity, "o", color=RED)
    own = smoothing.estimate_discounts(levels[1].counts, 1)[0]
    right.axvline(own, color=ORANGE, linestyle="--")
    right.set(xlabel=f"D; dashed: n₁ / (n₁ + 2 n₂) = {own:.2f}", ylabel="perplexity on dev")


def next_probs(history: str, method: str, order: int) -> np.ndarray:
    """P(next word) of a model of the village after these words of a sentence, (V,)."""
    return next_word(method, split_words(history), order)


def next_words(history: str, method: str, order: int) -> Figure:
    """The eight most probable next words of a model, beside the grammar's own probabilities."""
    vocab = village()[0]
    probs, truth = next_probs(history, method, order), next_word_probs(split_words(history))
    best = np.argsort(-probs, kind="stable")[:8]
    names = [vocab.words[number] for number in best] + sorted(truth, key=truth.get, reverse=True)[:3]
    names = list(dict.fromkeys(names))
    figure, axes = plt.subplots(figsize=(7, 0.3 * len(names) + 0.9))
    rows = {"model": (probs[vocab.encode(names)], BLUE), "grammar": ([truth.get(name, 0) for name in names], GREEN)}
    paired_bars(axes, names, rows)
    remark = "" if truth else " (the grammar cannot say this)"
    axes.set(xlabel="probability")
    axes.set_title(f"after: {history}{remark}", parse_math=False)
    return figure


def surprises(sentence: str, method: str, order: int) -> np.ndarray:
    """-ln P of each word of a sentence and of `</s>`, in nats, (n + 1,)."""
    return -sentence_log_probs(trained(method, order), [split_words(sentence)])[0]


def surprise(sentence: str, method: str, order: int) -> Figure:
    """What each word of a sentence costs, and the perplexity of the sentence."""
    costs = surprises(sentence, method, order)
    finite = np.where(np.isfinite(costs), costs, 0)
    names = [*split_words(sentence), "</s>"]
    familiar = [word in village()[0] for word in names]
    figure, axes = plt.subplots(figsize=(max(5, 0.6 * len(names)), 2.8))
    axes.bar(range(len(names)), finite, color=[BLUE if in_vocabulary else RED for in_vocabulary in familiar])
    for place, value in enumerate(costs):
        label = f"{value:.1f}" if np.isfinite(value) else "∞"
        note(axes, label, (place, finite[place]), fontsize=8)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", parse_math=False)
    axes.set(ylabel="surprise, nats", title=f"perplexity {math.exp(costs.mean()):.1f} (red: not in the vocabulary)")
    axes.margins(y=0.15)
    return figure


METHODS = [name for name in methods.METHODS if name != "maximum-likelihood"]
