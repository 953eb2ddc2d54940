"""What every language model's generate.py does: sample sentences, or score sentences that it is given."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from common.errors import OneLineParser, UserError
from common.evaluation.perplexity import (
    UNKNOWN_KINDS,
    LanguageModel,
    check_unknown_words,
    sentence_log_probs,
    summarise,
)
from common.programs.arguments import check_most, device_arguments, stream_input, windows
from common.programs.chapters import load_run
from common.search.ensemble import Ensemble
from common.search.sampling import sample
from common.text.corpus import Sentence
from common.text.vocab import BOUNDARY, UNKNOWN, counted
from common.training.past_runs import latest_run

SAMPLED_AT_ONCE = 64
"""Sentences sampled side by side."""

SCORED_AT_ONCE = 1000
"""Sentences between two outputs when scoring."""

NAMED = 10
"""Words that are listed where the model gives some the probability 0."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of generate.py."""
    parser.add_argument("--score", metavar="FILE", help="score the sentences of FILE (- is standard input) instead")
    parser.add_argument("--unk", choices=UNKNOWN_KINDS, help="how unknown words are charged (default: as in training)")
    parser.add_argument("--number", type=int, default=10, metavar="N", help="sentences to sample (default: 10)")
    parser.add_argument("--max-words", type=int, default=100, metavar="N", help="cut samples at N words (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    device_arguments(parser)


def run_program(chapter: str, kind: str) -> None:
    """All of a generate.py: its flags, the runs that they name or the latest, and `generate`.

    kind: of model, for --help. Of several runs the probabilities are averaged.
    """
    parser = OneLineParser(description=f"Sample sentences from a trained {kind}, or score text.")
    parser.add_argument(
        "--run",
        action="append",
        type=Path,
        metavar="DIR",
        help="folder of a run (default: this chapter's latest); for several, the mean of their probabilities is used",
    )
    add_arguments(parser)
    arguments = parser.parse_args()
    check(arguments)
    loaded = [load_run(folder, chapter) for folder in arguments.run or [latest_run(chapter, holding="model.npz")]]
    models = [model for model, _ in loaded]
    generate(models[0] if len(models) == 1 else Ensemble(models), loaded[0][1].unk, arguments)


def check(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for flags that make no sense, before anything is loaded."""
    check_most(arguments)
    if min(arguments.number, arguments.max_words) < 1 or arguments.seed < 0:
        raise UserError("--number and --max-words must be at least 1, --seed at least 0")


def generate(model: LanguageModel, unk: str, arguments: argparse.Namespace) -> None:
    """Sample or score as the flags say. Standard output: sentences, or one log-probability per line; else on stderr."""
    if arguments.score is None:
        rng = np.random.default_rng(arguments.seed)
        for start in range(0, arguments.number, SAMPLED_AT_ONCE):
            number = min(SAMPLED_AT_ONCE, arguments.number - start)
            for hypothesis in sample(model, number, rng, arguments.max_words):  # type: ignore[arg-type]  # no select
                print(" ".join(hypothesis.words) + ("" if hypothesis.finished else " ..."))
    else:
        score(model, stream_input(arguments.score), arguments.unk or unk)


def score(model: LanguageModel, sentences: Iterable[Sentence], unk: str) -> None:
    """Print log P of each sentence, `</s>` included, in nats, one per line; the perplexity of all on stderr.

    What is printed has been forgotten before the next sentences are read, so that any number of them can be scored.
    """
    result: Any = None
    impossible, listed_words = 0, []
    progress = tqdm(unit="sentence", leave=False, disable=None)
    for part in windows(sentences, SCORED_AT_ONCE):
        check_unknown_words(part, model.vocab, unk, "the input", result.sentences + 1 if result else 1)
        log_probs = sentence_log_probs(model, part, unk)
        progress.update(len(part))
        progress.clear()
        print("\n".join(f"{sentence.sum():.6f}" for sentence in log_probs), flush=True)
        evaluation = summarise(model.vocab, part, log_probs, unk)
        result = result + evaluation if result else evaluation
        words = impossible_words(part, log_probs)
        impossible, listed_words = impossible + len(words), list(dict.fromkeys([*listed_words, *words]))[: NAMED + 1]
    progress.close()
    print(
        f"{counted(result.sentences, 'sentence')}, {counted(result.predictions, 'prediction')}, "
        f"{counted(result.unknown, 'unknown word')} (--unk {unk}): perplexity {result.perplexity:.2f}; "
        f"log-likelihood {result.log_prob:.2f}, of which unknown words {result.unknown_log_prob:.2f}",
        file=sys.stderr,
    )
    if impossible:
        listed = ", ".join([*listed_words[:NAMED], *["..."] * (len(listed_words) > NAMED)])
        print(
            f"the perplexity is infinite: {counted(impossible, 'prediction')} with the probability 0: {listed}; "
            f"leave these words out, or use a smoothed model that has {UNKNOWN}",
            file=sys.stderr,
        )


def impossible_words(sentences: Sequence[Sentence], log_probs: Sequence[np.ndarray]) -> list[str]:
    """The words, and `</s>`, whose log-probability, as in `sentence_log_probs`, is that of 0, in their order."""
    pairs = zip(sentences, log_probs, strict=True)
    return [[*sentence, BOUNDARY][place] for sentence, row in pairs for place in np.flatnonzero(row == -np.inf)]
