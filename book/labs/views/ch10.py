"""The views of lab 10: shares, risk and gradients of candidates; words and sentences drawn by noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np
from matplotlib.axes import Axes

from book.explorer.next_words import distributions
from book.figures import plots
from book.figures.ch10 import estimates
from book.figures.plots import drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.beyond import objectives, rewards as scores, sampling
from common import runtime
from common.errors import UserError
from common.search.translation import Conditional
from common.text.batching import make_batch, pad
from common.text.pairs import Pair, PairBatch
from common.text.vocab import split_words

# --- candidates and what pushes them


class Pushes(NamedTuple):
    """shares: Q of each candidate, (n,). risk: their sum with the costs. by_risk, by_reinforce: the gradients of either
    objective by the candidates' log-probabilities, (n,)."""

    shares: np.ndarray
    risk: float
    by_risk: np.ndarray
    by_reinforce: np.ndarray


def by_log_probs(function: Callable[[dy.Expression], dy.Expression], log_probs: np.ndarray) -> tuple[float, np.ndarray]:
    """The value of an expression of log-probabilities, and its gradient by them."""
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(len(log_probs), init=dy.NumpyInitializer(log_probs))
    dy.renew_cg()
    expression = function(dy.reshape(parameter.expr(True), (len(log_probs),), 1))
    value = expression.scalar_value()
    expression.backward()
    return value, parameter.grad_as_array().astype(np.float64)


def pushes(log_probs: np.ndarray, costs: np.ndarray, alpha: float, counted: np.ndarray | None = None) -> Pushes:
    """By the chapter's code. log_probs in nats, costs, and counted, which of them are candidates of the risk: (n,).

    REINFORCE takes all of them for its samples.
    """
    mask = (np.ones(len(costs), dtype=bool) if counted is None else counted)[None]
    number = mask.size
    dy.renew_cg()
    copies = dy.concatenate_to_batch([dy.inputTensor(log_probs)] * number)  # Q(c): what is expected if only c costs 1
    shares = objectives.expected_cost(copies, np.eye(number), np.repeat(mask, number, axis=0), alpha).npvalue()
    risk, by_risk = by_log_probs(lambda logs: objectives.expected_cost(logs, costs[None], mask, alpha), log_probs)
    advantages = objectives.against_others(costs[None])
    _, by_reinforce = by_log_probs(lambda logs: objectives.policy_loss(logs, advantages), log_probs)
    return Pushes(np.array(shares, dtype=float).ravel(), risk, by_risk, by_reinforce)


@drawing(10.4, 3.2, columns=2)
def three_candidates(
    left: Axes, right: Axes, probabilities: Sequence[float], alpha: float, divided: bool = False
) -> None:
    """The lesson's three candidates with other probabilities: shares, and where a step of descent pushes log P.

    divided: the gradient of the risk divided by alpha, as it is compared with REINFORCE's.
    """
    if not min(probabilities) > 0 or sum(probabilities) > 1 + 1e-9:
        raise UserError(
            f"give three probabilities above 0 with a sum of at most 1; these sum to {sum(probabilities):.2f}"
        )
    if divided and not alpha:
        raise UserError("alpha is 0, by which nothing can be divided; choose a small number above 0")
    lesson = namespace("10")
    costs, names = lesson["cost"], lesson["names"]
    slopes = pushes(np.log(probabilities), costs, alpha)
    grouped(left, names, {"P": (probabilities, INK), "Q": (slopes.shares, BLUE), "cost": (costs, PURPLE)})
    left.set(ylim=(0, 1.1), title=f"risk {slopes.risk:.3f}")
    label, by_risk = ("risk / α", slopes.by_risk / alpha) if divided else ("risk", slopes.by_risk)
    grouped(right, names, {label: (-by_risk, GREEN), "REINFORCE": (-slopes.by_reinforce, ORANGE)})
    right.axhline(0, color=INK, lw=0.8)
    right.margins(y=0.2)
    right.set_title("log P is pushed up")


def grouped(axes: Any, names: Sequence[str], rows: Mapping[str, tuple[Sequence[float], str]]) -> None:
    """Bars side by side for each name: label -> numbers and colour; the numbers stand at the bars."""
    width = 0.8 / len(rows)
    for bars in plots.grouped(axes, names, rows, width, 0.9 * width):
        axes.bar_label(bars, fmt="%.3f", fontsize=7, color=INK, padding=2)
    axes.tick_params(axis="x", labelsize=8)
    axes.legend(fontsize=8)


def bleu_lines(text: str, reference: Sequence[str]) -> str:
    """Sentence BLEU of a text and what it is made of: matches and n-grams, with what smoothing adds from 2 on."""
    words = split_words(text)
    lines = []
    for n in range(1, scores.LONGEST + 1):
        ours = scores.ngrams(words, n)
        matches = ours & scores.ngrams(reference, n)
        added = int(n > 1)
        shared = ", ".join(" ".join(ngram) for ngram in matches)
        lines.append(f"n = {n}   {matches.total() + added} / {ours.total() + added}   {shared}")
    value = scores.sentence_bleu(words, reference)
    return "\n".join([*lines, f"{len(words)} words for {len(reference)}", f"BLEU {value:.3f}, cost {1 - value:.3f}"])


@drawing(8.0, 2.8)
def spread(axes: Axes, samples: int, level: float) -> None:
    """REINFORCE's estimates of one slope for the three candidates, with and without a baseline.

    samples: for each estimate. level: added to all costs.
    """
    by_baseline = {name: estimates(baseline, samples, level) for name, baseline in objectives.BASELINES.items()}
    widest = max(np.abs(values).max() for values in by_baseline.values())
    for (name, values), colour in zip(by_baseline.items(), (GREEN, RED), strict=True):
        label = f"{name}: mean {values.mean():.3f}, standard deviation {values.std():.3f}"
        axes.hist(values, 41, range=(-widest, widest), histtype="step", color=colour, label=label)
    axes.set(xlabel="estimate", ylabel="of 4,000")
    axes.figure.legend(fontsize=8, title="baseline", loc="outside upper center", ncols=2)


# --- a real model


def batch_of(model: Any, pairs: Sequence[Pair]) -> PairBatch:
    """The pairs, as the model reads them."""
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    return PairBatch(*pad(sources), make_batch(targets, range(len(pairs))))


def after(model: Any, pair: Pair, prefix: Sequence[str]) -> np.ndarray:
    """log P(next word | source, prefix) of the model, (V,), in nats."""
    return distributions(Conditional(model, [pair.source]), prefix)[-1]


@drawing(9.0, 3.0)
def one_draw(axes: Axes, vocab: Any, log_probs: np.ndarray, seed: int, most: int = 6) -> None:
    """Log-probabilities of the likeliest words, Gumbel noise, and their sum, whose largest is drawn among all words."""
    noise = np.random.default_rng(seed).gumbel(size=log_probs.shape)
    total = log_probs + noise
    winner = int(total.argmax())
    words = list(dict.fromkeys([*np.argsort(-log_probs, kind="stable")[:most].tolist(), winner]))
    rows = {"log p": (log_probs, BLUE), "noise": (noise, ORANGE), "sum": (total, GREEN)}
    names = [vocab.words[number] for number in words]
    grouped(axes, names, {name: (values[words], colour) for name, (values, colour) in rows.items()})
    axes.axhline(0, color=INK, lw=0.8)
    axes.set_title(f"drawn: {vocab.words[winner]}")


def draws(log_probs: np.ndarray, number: int, seed: int) -> np.ndarray:
    """How often each word is drawn by the chapter's `draw_words` in that many draws: (V,)."""
    runtime.seed_dynet(seed)
    dy.renew_cg()
    rows = dy.inputTensor(np.repeat(log_probs[:, None], number, axis=1), batched=True)
    return np.bincount(sampling.draw_words(rows), minlength=len(log_probs))


@drawing(9.0, 2.8)
def drawn_often(axes: Axes, vocab: Any, log_probs: np.ndarray, number: int, seed: int, most: int = 8) -> None:
    """Shares of the draws beside the probabilities, for the likeliest words."""
    shares = draws(log_probs, number, seed) / number
    words = np.argsort(-log_probs, kind="stable")[:most]
    rows = {"p": (np.exp(log_probs[words]), INK), f"share of {number} draws": (shares[words], GREEN)}
    grouped(axes, [vocab.words[word_id] for word_id in words], rows)
    axes.set_ylim(0, 1.1)


class Samples(NamedTuple):
    """Samples for one source. texts: without `</s>`; one that was cut ends in "...". log_probs in nats, costs, and
    whether each is the first of its kind: (k,)."""

    texts: list[str]
    log_probs: np.ndarray
    costs: np.ndarray
    first: np.ndarray


def samples_of(model: Any, pair: Pair, number: int, seed: int) -> Samples:
    """Drawn by the chapter's code, and judged by it."""
    runtime.seed_dynet(seed)
    drawn_samples = objectives.draw_candidates(model, batch_of(model, [pair]), number)
    log_probs = np.array(objectives.candidate_log_probs(model, drawn_samples).npvalue(), dtype=float).ravel()
    every = sampling.references_of(drawn_samples.batch)
    ends = ["" if sample[-1] == model.vocab.boundary else " ..." for sample in every]
    texts = [" ".join(model.vocab.decode(sample)) + end for sample, end in zip(every, ends, strict=True)]
    return Samples(texts[1:], log_probs[1:], drawn_samples.costs[0, 1:], drawn_samples.first_sample[0, 1:])


def sample_lines(samples: Samples, alpha: float) -> str:
    """Each different sample once, cheapest first: how often it was drawn, what it costs, and the two gradients.

    REINFORCE's is summed over equal samples.
    """
    result = pushes(samples.log_probs, samples.costs, alpha, samples.first)
    lines = [f"{'times':>5}{'ln P':>8}{'cost':>7}{'Q':>7}{'risk':>9}{'REINFORCE':>11}"]
    for index in sorted(np.flatnonzero(samples.first), key=lambda place: samples.costs[place]):
        equal = [place for place, text in enumerate(samples.texts) if text == samples.texts[index]]
        figures = f"{len(equal):5}{samples.log_probs[index]:8.2f}{samples.costs[index]:7.3f}{result.shares[index]:7.3f}"
        pushed = f"{result.by_risk[index]:9.4f}{result.by_reinforce[equal].sum():11.4f}"
        lines.append(f"{figures}{pushed}  {samples.texts[index]}")
    return "\n".join([*lines, f"risk {result.risk:.3f}, mean cost {samples.costs.mean():.3f}"])
