"""How far back does an attentive language model look? `python -m tools.attention_by_distance RUN ...`.

For runs of chapter 6, over the predictions of a split that have something to attend to: which share of the attention
goes to the state after `<s>`, and to the others by how many words back they are; beside it the share that they would
get if all states got the same. And how many states the attention is on: exp of its entropy, on average, beside the
number of states there are. Of several runs, the mean and the standard deviation.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError, exits_cleanly
from common.programs.chapters import load_run
from common.text.batching import make_batches
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import BEGIN
from common.training import cli
from tools.metrics import spread

CHAPTER = "06_attentive_lm"
BACK = (1, 2, 3, 4, 7, 13, 25)
"""The least distance of each group."""
GROUPS = (BEGIN, *(f"{a} back" if b == a + 1 else f"{a} to {b - 1} back" for a, b in pairwise(BACK)), "25 or more")
STATES = "states"


def groups_of(predictions: int) -> np.ndarray:
    """The number in GROUPS of each state, for each prediction of a sentence: (T, T), a column a prediction."""
    back = np.arange(predictions) - np.arange(predictions)[:, None]
    group = np.array([bisect_right(BACK, distance) for distance in range(predictions)])[np.maximum(back, 0)]
    group[0] = 0
    return group


def shares(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Of one sentence, weights (T, T), a column a prediction: the weight on each group, and the exp of the entropy.

    Both summed over the predictions from the second on; the first has nothing to attend to.
    """
    group, seen = groups_of(len(weights)), np.triu(np.ones_like(weights, dtype=bool), 1)
    entropy = -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=0)[1:]
    return np.bincount(group[seen], weights[seen], minlength=len(GROUPS)), float(np.exp(entropy).sum())


def even(predictions: int) -> np.ndarray:
    """The weights of an attention that is the same on all states, (T, T), a column a prediction."""
    before = np.triu(np.ones((predictions, predictions)), 1)
    return before / np.maximum(before.sum(axis=0), 1)


def measure(model: Any, lines: Sequence[Sentence]) -> dict[str, tuple[float, float]]:
    """By group, and for the number of states: the mean of the model, and that of an even attention."""
    encoded = [model.vocab.encode(line) for line in lines]
    sums, number = np.zeros((2, len(GROUPS) + 1)), 0
    for batch in make_batches(encoded, 64):
        weights = model.attention(batch.inputs)
        for column, index in enumerate(batch.indices):
            length = len(encoded[index]) + 1
            for row, of_sentence in enumerate((weights[:length, :length, column], even(length))):
                on_groups, states = shares(of_sentence)
                sums[row] += (*on_groups, states)
            number += length - 1
    names = (*GROUPS, STATES)
    return {name: (float(a), float(b)) for name, a, b in zip(names, *(sums / number), strict=True) if b}


def table(runs: Sequence[dict[str, tuple[float, float]]]) -> str:
    rows = [f"{'':16}{'attention':>20}{'even':>10}"]
    for name, (_, if_even) in runs[0].items():
        digits = 2 if name == STATES else 3
        rows.append(f"{name:16}{spread([run[name][0] for run in runs], digits):>20}{if_even:10.{digits}f}")
    return "\n".join(rows)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.attention_by_distance",
        description=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="runs of chapter 6 that attend")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="which text (default: test)")
    arguments = parser.parse_args()
    found, corpus, lines = [], "", []
    for run in arguments.runs:
        model, settings = load_run(run, CHAPTER)
        if settings.score == "none":
            raise UserError(f"{run}: trained with --score none, so there is no attention; choose another run")
        if settings.memory_states:
            raise UserError(f"{run}: attends to earlier sentences, too; choose a run without --memory-states")
        if not found:
            corpus, lines = settings.corpus, getattr(load_corpus(settings.corpus), arguments.split)
        if settings.corpus != corpus:
            raise UserError(
                f"{run}: trained on {settings.corpus}, the first run on {corpus}; choose runs on one corpus"
            )
        found.append(measure(model, lines))
    print(table(found))


if __name__ == "__main__":
    main()
