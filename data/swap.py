"""`python -m data swap NAME --out DIR`: the same pairs, to be translated the other way."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from common.errors import UserError
from common.files import write_json
from common.text.corpus import SPLITS
from common.text.pairs import load_pairs
from common.text.turning import write_turned
from common.text.vocab import counted


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    """Add the subcommand `swap` to the command line of `python -m data`."""
    parser = subparsers.add_parser("swap", help="write a corpus of pairs with source and target exchanged")
    parser.add_argument("name", metavar="NAME|DIR", help="an embedded or installed corpus of pairs, or a folder")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", required=True, help="folder to write to; it must not exist yet"
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out `swap` as the command line says."""
    pairs = swap(arguments.name, arguments.out)
    print(f"wrote {counted(pairs, 'pair')} of {arguments.name}, source and target exchanged, to {arguments.out}")


def swap(name: str, folder: Path) -> int:
    """Write the exchanged corpus, alignments included, and return how many pairs it has.

    The oracle and the trees are left out: they are of the other direction. Raises `UserError` for a corpus of several
    directions or of summaries, and where the folder is there already.
    """
    corpus = load_pairs(name)
    if corpus.summarises or (corpus.folder / "train.directions").exists():
        raise UserError(f"{name}: only pairs that translate one language into one other can be exchanged")
    if folder.exists():
        raise UserError(f"--out {folder}: already exists; give another folder")
    facts = corpus.facts.get("corpus", {})
    common_facts = {name: facts[name] for name in ("unk", "title", "licence", "citation") if name in facts}
    part = folder.parent / f".{folder.name}.part"  # whole, or not there
    shutil.rmtree(part, ignore_errors=True)
    write_turned(corpus, part)
    write_json(part / "corpus.json", {**common_facts, "task": "translation", "swapped": corpus.name})
    part.rename(folder)
    return sum(len(getattr(corpus, split)) for split in SPLITS)
