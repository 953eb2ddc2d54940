"""`python -m data oracle`: the truth about the corpora of this project."""

from __future__ import annotations

import argparse

from common.text.corpus import SPLITS
from data.oracle import print_oracle
from data.pairs import TRUTHS, print_pair_oracle
from data.paragraph_files import NAME as PARAGRAPHS, print_oracle as print_paragraph_oracle

TEXTS = {"village": print_oracle, PARAGRAPHS: print_paragraph_oracle}
"""What prints the truth about each corpus for language models."""


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    """Declare `python -m data oracle`."""
    parser = subparsers.add_parser(
        "oracle", help="the perplexity of the true distribution on a corpus: the best on average over texts"
    )
    parser.add_argument("corpus", nargs="?", choices=(*TEXTS, *TRUTHS), default="village", help="(default: village)")
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=SPLITS, help="splits to evaluate (default: all)")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out `oracle` as the command line says."""
    if arguments.corpus in TRUTHS:
        print_pair_oracle(arguments.corpus, arguments.splits)
    else:
        TEXTS[arguments.corpus](arguments.splits)
