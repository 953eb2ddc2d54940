"""More views of lab 10: what may come next, exposure, inputs with own words in them, and a little training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from book.figures.plots import drawing, paired_bars
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.labs.views.ch10 import after, batch_of
from chapters.beyond import exposure, mixing, objectives
from common import runtime
from common.errors import UserError
from common.nn.optimiser import make_optimiser
from common.text.pairs import Pair, PairBatch
from common.text.vocab import BEGIN, split_words
from data.pair_truth import PairTruth

PREFIXES = {"reference": "the reference's words", "sampled": "own words, drawn", "greedy": "own words, greedy"}
COLOURS = dict(zip(PREFIXES, (BLUE, ORANGE, GREEN), strict=True))


@drawing(7.0, 3.0)
def may_come_next(axes: Axes, model: Any, truth: PairTruth, pair: Pair, prefix: str, most: int = 7) -> None:
    """The grammar's and the model's next words after a prefix; words that are impossible there in red."""
    words = split_words(prefix)
    true = exposure.as_ids(truth.next_word_probs(pair.source, words), model.vocab)
    if not true:
        raise UserError(f"no translation of {' '.join(pair.source)!r} begins with {prefix!r}")
    own = np.exp(after(model, pair, words))
    truth_probs = np.array([true.get(number, 0.0) for number in range(len(own))])
    candidates = np.argsort(-(own + truth_probs), kind="stable")[:most]
    colours = [BLUE if number in true else RED for number in candidates]
    rows = {"the grammar": (truth_probs[candidates], INK), "the model (red: impossible)": (own[candidates], colours)}
    paired_bars(axes, [model.vocab.words[number] for number in candidates], rows)
    axes.set(xlim=(0, 1), xlabel="probability of the next word")
    axes.set_title(f"impossible in all: {own[truth_probs == 0].sum():.3f}")


def own_translation(model: Any, truth: PairTruth, pair: Pair, kind: str, seed: int, longest: int = 20) -> str:
    """What the model writes word by word, and where the grammar knows no next word any more.

    kind: "sampled" or "greedy", as in `exposure.PREFIXES`.
    """
    rng, words = np.random.default_rng(seed), []
    lines = [f"{'source':12} {' '.join(pair.source)}", f"{'reference':12} {' '.join(pair.target)}"]
    for _ in range(longest):
        number = exposure.PREFIXES[kind](after(model, pair, words), rng)
        possible = exposure.as_ids(truth.next_word_probs(pair.source, words), model.vocab)
        if number not in possible:
            best = sorted(possible, key=possible.get, reverse=True)[:4]
            possible_words = ", ".join(model.vocab.words[word_id] for word_id in best)
            lines.append(f"{model.vocab.words[number]:12} impossible; possible: {possible_words}")
            break
        lines.append(f"{model.vocab.words[number]:12} possible")
        if number in (model.vocab.boundary, model.vocab.unknown):  # behind <unk> the grammar would have to guess
            break
        words.append(model.vocab.words[number])
    return "\n".join(lines)


def survivors(measured: Any) -> np.ndarray:
    """How many sentences the rates of error leave possible before each position, if nothing else ends them: (T,).

    measured: `exposure.Positions`.
    """
    return measured.possible[0] * np.cumprod([1.0, *(1 - measured.error_rate[:-1])])


@drawing(9.6, 3.0, columns=2)
def exposed(left: Axes, right: Axes, by_prefixes: Mapping[str, Any], most: int) -> None:
    """Errors after possible prefixes of each kind, sentences that are still possible, and what the rates of error after
    the reference's words would leave of them. by_prefixes: by the names of `PREFIXES`. most: positions."""
    for name, measured in by_prefixes.items():
        positions = np.arange(1, len(measured.possible) + 1)[:most]
        here = measured.possible[:most] > 0
        left.plot(
            positions[here], measured.error_rate[:most][here], "o-", ms=3, color=COLOURS[name], label=PREFIXES[name]
        )
        right.plot(positions, measured.possible[:most], "o-", ms=3, color=COLOURS[name])
    right.plot(positions, survivors(by_prefixes["reference"])[:most], ":", color=INK, label="by the blue rates alone")
    left.set(xlabel="position", ylabel="most probable word impossible", ylim=(-0.02, 1.02))
    right.set(xlabel="position", ylabel="sentences still possible", ylim=(0, None))
    left.legend(fontsize=8)
    right.legend(fontsize=8)


def what_is_read(model: Any, pair: Pair, own: float, seed: int) -> str:
    """The decoder's inputs of one pair in scheduled sampling, beside the targets; own words are marked."""
    runtime.seed_dynet(seed)
    batch = batch_of(model, [pair])
    inputs = mixing.mixed_inputs(model, batch, own, np.random.default_rng(seed))[:, 0]
    plain, targets = batch.target.inputs[:, 0], batch.target.targets[:, 0]
    lines = [f"  {'reads':14} {'is to write':14}"]
    for place, (read, reference, target) in enumerate(zip(inputs, plain, targets, strict=True)):
        word = model.vocab.words[read] if place else BEGIN
        lines.append(f"{'*' if read != reference else ' '} {word:14} {model.vocab.words[target]:14}")
    return "\n".join([*lines, f"{(inputs != plain).sum()} of {len(inputs)} are not the reference's"])


def go_on(model: Any, settings: Any, batches: Sequence[PairBatch], seed: int) -> None:
    """Train by the objective that the chapter's settings name, one step for each batch, as the chapter's train.py does.

    Without dropout, files, and a schedule of the learning rate.
    """
    runtime.seed_dynet(seed)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip)
    rng = np.random.default_rng(seed)
    optimiser.learning_rate = settings.objective_rate
    for number, batch in enumerate(batches):
        cost = objectives.OBJECTIVES[settings.objective](model, settings, batch, number / len(batches), rng)
        (cost.total * (1 / len(batch.target.indices))).backward()
        optimiser.update()


def mean_cost(model: Any, pairs: Sequence[Pair], number: int, seed: int) -> float:
    """The mean of 1 - BLEU over that many samples for each pair: an estimate of the expected cost."""
    runtime.seed_dynet(seed)
    candidates = objectives.draw_candidates(model, batch_of(model, pairs), number)
    return float(candidates.costs[:, 1:].mean())
