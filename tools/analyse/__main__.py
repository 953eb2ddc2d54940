"""Which predictions of a trained model are good, and what does it look at? One analysis of finished runs at a time.

phenomenon  perplexity by what decides a word, on test, beside the oracle (runs on the embedded corpora)
length      BLEU of translations by the length of the source
frequency   words of translations, by how often training has them
distance    attention of chapter 6, by how far back a state is
attention   attention and gates of chapter 9, on test, by what decides a word
head        where each head of chapter 11 attends, and what the model loses without it
evenness    how even the attention of chapter 6 is, and whether its two scores attend alike
gain        on which words one system gains over another (chapters 4 to 6): by frequency and by distance
recurrence  perplexity on names that come back in a later sentence (chapters 5 and 6 on village_paragraphs)
build       what another machine or build of DyNet changes, beside what another seed changes

The last four compare systems: --system NAME RUN ... --system NAME RUN ..., where a system is a kind of model and its
runs are trainings with several seeds; for the last one, the same trainings with another build. The others take RUN ...
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from common.errors import OneLineParser, UserError, exits_cleanly

from . import attention, builds, evenness, gains, heads, phenomena, recurrence, translations

ANALYSES: dict[str, Callable[[argparse.Namespace], str]] = {
    "phenomenon": phenomena.by_phenomenon,
    "length": translations.by_length,
    "frequency": translations.by_frequency,
    "distance": attention.by_distance,
    "attention": attention.by_phenomenon,
    "head": heads.by_head,
    "evenness": evenness.by_evenness,
    "gain": gains.by_gain,
    "recurrence": recurrence.by_recurrence,
    "build": builds.by_build,
}
TAKES = {
    **{name: {"runs", "corpus"} for name in ("phenomenon", "attention")},
    **{name: {"runs", "split"} for name in ("length", "frequency", "distance")},
    "head": {"runs"},
    **{name: {"system", "split", "cache", "record"} for name in ("gain", "recurrence")},
    "evenness": {"system", "split", "record"},
    "build": {"system"},
}
"""The arguments of each analysis; the first one is required."""


def make_parser() -> OneLineParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = OneLineParser(prog="python -m tools.analyse", description=__doc__, formatter_class=raw)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="folder of a finished run")
    parser.add_argument("--by", choices=ANALYSES, required=True, help="the analysis")
    parser.add_argument("--corpus", default="", metavar="NAME", help="corpus of the runs (default: the first run's)")
    parser.add_argument("--split", choices=("dev", "test"), default="", help="split to analyse (default: test)")
    bundle = {"nargs": "+", "action": "append", "default": [], "metavar": ("NAME", "RUN")}
    parser.add_argument("--system", "--build", help="a system, or a build, and its runs", **bundle)
    cache = "lay the neural cache of chapter 5, tuned on dev, over the runs of this system"
    parser.add_argument("--cache", action="append", default=[], metavar="NAME", help=cache)
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the numbers to FILE as JSON")
    return parser


def check(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for arguments that the analysis does not take, and where it has no runs."""
    takes = TAKES[arguments.by]
    for name in ("runs", "system", "corpus", "split", "cache", "record"):
        if getattr(arguments, name) and name not in takes:
            flag = "RUN" if name == "runs" else f"--{name}"
            raise UserError(f"{flag}: not for --by {arguments.by}; leave it out")
    if not arguments.runs and not arguments.system:
        needed = "RUN ..." if "runs" in takes else "--system NAME RUN ... --system NAME RUN ..."
        raise UserError(f"--by {arguments.by} needs finished runs: {needed}")


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    check(arguments)
    arguments.split = arguments.split or "test"
    print(ANALYSES[arguments.by](arguments))


if __name__ == "__main__":
    main()
