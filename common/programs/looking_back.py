"""visualize.py of a language model that attends to its own past: which sentences, and where their maps go."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError
from common.programs.arguments import check_most, names_of
from common.programs.chapters import load_run
from common.search.sampling import sample
from common.text.corpus import read_sentences, stream_sentences
from common.training import cli
from common.training.past_runs import latest_run

MOST_WORDS = 80

Runs = Mapping[str, tuple[Any, Any]]
"""By the name of a run, its model and its settings."""


def run_program(
    chapter: str,
    description: str,
    draw: Callable[[Runs, Sequence[str], Path], None],
    check: Callable[[Any], str],
    most_runs: int = 1,
) -> None:
    """Read the command line and draw the attention of a chapter's models for each sentence.

    draw: makes the picture of a sentence in a file. check: of settings, says why their model has no attention to draw,
    or nothing. most_runs: that one picture shows.
    """
    parser = cli.OneLineParser(description=description)
    several = "; for several, their maps are side by side" if most_runs > 1 else ""
    parser.add_argument(
        "--run",
        action="append",
        metavar="DIR",
        type=Path,
        help=f"folder of a run (default: this chapter's latest){several}",
    )
    parser.add_argument("--sentence", action="append", metavar="TEXT", help="a tokenised sentence; may be repeated")
    parser.add_argument("--file", metavar="FILE", help="one sentence per line")
    parser.add_argument(
        "--number", type=int, default=4, metavar="N", help="sentences to sample if none is given (default: 4)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write (default: attention/ in the run's folder)"
    )
    arguments = parser.parse_args()
    check_most(arguments)
    folders = arguments.run or [latest_run(chapter, holding="model.npz")]
    names = names_of(folders)
    if len(folders) > most_runs:
        raise UserError(f"--run: give at most {most_runs}")
    sentences = []
    for text in arguments.sentence or []:
        sentences += stream_sentences(io.BytesIO(text.encode("utf-8", "surrogateescape")), "--sentence")
    if arguments.file:
        sentences += read_sentences(arguments.file)
    if arguments.sentence and not sentences:
        raise UserError("--sentence: give at least one word")
    if any(len(sentence) > MOST_WORDS for sentence in sentences):
        raise UserError(f"a sentence of more than {MOST_WORDS} words is too long to draw; give a part of it")
    if arguments.number < 1 or arguments.seed < 0:
        raise UserError("--number must be at least 1, --seed at least 0")

    runs = {}
    for name, folder in zip(names, folders, strict=True):
        model, settings = runs[name] = load_run(folder, chapter)
        if problem := check(settings):
            raise UserError(f"{folder}: {problem}; choose another --run")
    if not sentences:
        model, _ = runs[names[0]]
        samples = sample(model, arguments.number, np.random.default_rng(arguments.seed), MOST_WORDS)
        sentences = [sampled.words for sampled in samples if sampled.words]
    for number, sentence in enumerate(sentences, start=1):
        path = (arguments.out or folders[0] / "attention") / f"{number:02}.png"
        draw(runs, sentence, path)
        print(f"{path}: {' '.join(sentence)}")
