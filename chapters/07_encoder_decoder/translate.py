"""Translate with a trained encoder-decoder, or with several at once.

echo "mira reads the letter ." | python chapters/07_encoder_decoder/translate.py --beam 5
python chapters/07_encoder_decoder/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse

from common.errors import UserError, exits_cleanly
from common.programs import translating
from common.search.translation import TranslationModel
from common.text.subwords import MARK

from .settings import CHAPTER
from .trees import read_trees


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of this chapter alone."""
    parser.add_argument(
        "--trees", type=Path, metavar="FILE", help="trees over the sentences, for models that follow some"
    )


def add_trees(model: TranslationModel, arguments: argparse.Namespace) -> None:
    """Give the model, or those of its members that follow trees, the trees of --trees."""
    if not arguments.trees:
        return
    following = [member for member in getattr(model, "models", [model]) if getattr(member, "trees", None) is not None]
    if not following:
        raise UserError("--trees: this model follows none; train one with --encoder treelstm")
    if any(MARK in word for member in following for word in member.source_vocab.words):
        raise UserError("--trees: they are over words, and this model reads pieces of words; leave the flag out")
    trees = read_trees(arguments.trees)
    for member in following:
        member.trees.add(trees, member.source_vocab)


@exits_cleanly
def main() -> None:
    translating.run_program(CHAPTER, "encoder-decoder", add_flags, add_trees)


if __name__ == "__main__":
    main()
