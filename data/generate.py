"""Write the corpora of this project: text drawn from a grammar with a fixed seed, and the truth about it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from common.errors import UserError
from common.files import write_lines
from common.text.vocab import counted
from data import tongues
from data.floors import FLOOR_SENTENCES
from data.larger_village import write_larger_village
from data.oracle import SEED, VILLAGE_DIR, village_truth, write_truth
from data.pairs import SIZES, TRUTHS, write_more_pairs, write_pairs
from data.paragraph_files import NAME as PARAGRAPHS, write_paragraphs
from data.village_grammar import START
from data.village_phrases import village

VILLAGE = "village"


def village_sentences(seed: int) -> Iterator[list[str]]:
    """Independent sentences of the village, without end."""
    return iter(village.sampler(START, seed), None)


def village_splits() -> dict[str, list[list[str]]]:
    """The three splits as committed: independent samples, nothing removed, so that the truth about them is exact."""
    sentences = village_sentences(SEED)
    return {split: [next(sentences) for _ in range(size)] for split, size in SIZES.items()}


def write_sentences(path: Path, sentences: Iterable[list[str]]) -> None:
    """One tokenised sentence per line, each written as it comes: there may be more of them than memory holds."""
    write_lines(path, map(" ".join, sentences))


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    """Declare `python -m data generate`."""
    parser = subparsers.add_parser("generate", help="generate the corpora of this project again, or more of one")
    parser.add_argument(
        "corpus", nargs="?", choices=tuple(WRITERS), help="the corpus (default: all, each in its place)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder to write one corpus to: the village if none is named"
    )
    parser.add_argument(
        "--sentences", type=int, metavar="N", help="write one file sample.txt with N sentences of the village"
    )
    parser.add_argument(
        "--pairs",
        type=int,
        metavar="N",
        help="for a corpus of pairs: N other training pairs; dev and test stay the same",
    )
    parser.add_argument(
        "--train", type=int, metavar="N", help="for the village: N other training sentences; dev and test stay the same"
    )
    parser.add_argument(
        "--names",
        type=int,
        metavar="N",
        help="for the village: N other names (an even number), all equally likely, in all splits",
    )
    parser.add_argument(
        "--directions",
        nargs="+",
        metavar="FROM-TO",
        help=f"for {tongues.NAME}: directions to train, such as english-veldran",
    )
    parser.add_argument("--seed", type=int, help="of what --sentences, --pairs, --train or --names draw (default: 1)")
    parser.add_argument("--text-only", action="store_true", help="leave out oracle.json, which takes most of the time")
    parser.set_defaults(func=generate)


def generate(arguments: argparse.Namespace) -> None:
    """Write the splits and `oracle.json` of one corpus or of each; or, with `--sentences`, `sample.txt`; or, with
    `--pairs`, `--train`, `--names` or `--directions`, a corpus with another train split."""
    larger = arguments.train is not None or arguments.names is not None
    if arguments.seed is not None and arguments.sentences is None and arguments.pairs is None and not larger:
        raise UserError(
            f"--seed {arguments.seed}: only with --sentences, --pairs, --train or --names; a corpus itself is fixed"
        )
    arguments.seed = 1 if arguments.seed is None else arguments.seed
    if larger:
        generate_larger_village(arguments)
        return
    for name, write in (("directions", generate_tongues), ("pairs", generate_pairs), ("sentences", generate_sample)):
        if getattr(arguments, name) is not None:
            write(arguments)
            return
    corpus = arguments.corpus or (VILLAGE if arguments.out else None)
    for name in [corpus] if corpus else WRITERS:
        folder = arguments.out or VILLAGE_DIR.with_name(name)
        WRITERS[name](folder, with_truth=not arguments.text_only)
        print(f"wrote {name} to {folder}")


def write_village(folder: Path, with_truth: bool) -> None:
    """Write `train.txt`, `dev.txt`, `test.txt` and, with the truth, `oracle.json`."""
    splits = village_splits()
    for split, sentences in splits.items():
        write_sentences(folder / f"{split}.txt", sentences)
    write_truth(folder, village_truth(splits, FLOOR_SENTENCES) if with_truth else None)


WRITERS: dict[str, Callable[..., None]] = {
    VILLAGE: write_village,
    PARAGRAPHS: write_paragraphs,
    **{name: partial(write_pairs, name=name) for name in TRUTHS},
    tongues.NAME: tongues.write_tongues,
}
"""By the name of a corpus: what writes it into a folder, as committed."""


def generate_sample(arguments: argparse.Namespace) -> None:
    """Write the requested number of village sentences."""
    if arguments.corpus not in (None, VILLAGE):
        raise UserError(f"--sentences is for the village, not for {arguments.corpus}")
    if arguments.sentences < 1:
        raise UserError(f"--sentences {arguments.sentences}: must be at least 1")
    if arguments.seed < 0 or arguments.seed == SEED:
        raise UserError(f"--seed {arguments.seed}: must be 0 or more, and not {SEED}, which gives the splits again")
    path = (arguments.out or VILLAGE_DIR) / "sample.txt"
    write_sentences(path, islice(village_sentences(arguments.seed), arguments.sentences))
    print(f"wrote {counted(arguments.sentences, 'sentence')} to {path}")


def generate_larger_village(arguments: argparse.Namespace) -> None:
    """Write a village with the requested number of training sentences, or of names."""
    given = {"train": arguments.train, "names": arguments.names}
    requested = " ".join(f"--{name} {value}" for name, value in given.items() if value is not None)
    others = (arguments.sentences, arguments.pairs, arguments.directions)
    if arguments.corpus not in (None, VILLAGE) or any(value is not None for value in others):
        raise UserError(f"{requested}: only for the village, and without --sentences, --pairs and --directions")
    if arguments.out is None:
        raise UserError(f"{requested}: say with --out DIR where to; the village stays as it is")
    write_larger_village(arguments.out, arguments.train, arguments.names, arguments.seed, not arguments.text_only)
    print(f"wrote a village ({requested}) to {arguments.out}")


def generate_pairs(arguments: argparse.Namespace) -> None:
    """Write a corpus with the requested number of training pairs, and the dev and test splits as committed."""
    if arguments.corpus not in TRUTHS or arguments.sentences is not None:
        raise UserError(f"--pairs {arguments.pairs}: only for {' and '.join(TRUTHS)}, and without --sentences")
    if arguments.out is None:
        raise UserError(
            f"--pairs {arguments.pairs}: name a folder with --out DIR; {arguments.corpus} itself is never changed"
        )
    write_more_pairs(arguments.out, arguments.corpus, arguments.pairs, arguments.seed, not arguments.text_only)
    print(
        f"wrote {counted(arguments.pairs, 'training pair')}, and dev and test of {arguments.corpus}, to {arguments.out}"
    )


def generate_tongues(arguments: argparse.Namespace) -> None:
    """Write the pairs of three languages with the requested directions to train."""
    requested = f"--directions {' '.join(arguments.directions)}"
    if arguments.corpus != tongues.NAME or arguments.pairs is not None or arguments.sentences is not None:
        raise UserError(f"{requested}: only for {tongues.NAME}, and without --pairs and --sentences")
    if arguments.out is None:
        raise UserError(f"{requested}: name a folder with --out DIR; {tongues.NAME} itself is never changed")
    tongues.write_tongues(arguments.out, arguments.directions, with_truth=not arguments.text_only)
    print(f"wrote {tongues.NAME} with {', '.join(arguments.directions)} to {arguments.out}")
