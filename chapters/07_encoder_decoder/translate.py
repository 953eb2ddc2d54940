"""Translate with a trained encoder-decoder, or with several at once.

echo "mira reads the letter ." | python chapters/07_encoder_decoder/translate.py --beam 5
python chapters/07_encoder_decoder/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import argparse
import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import UserError, exits_cleanly
from common.programs import translating
from common.training import cli
from common.training.runs import latest_run

from .settings import CHAPTER
from .trained import load_model
from .trees import read_trees


def read_flags() -> argparse.Namespace:
    """The flags of this program. Raises `UserError` for those that make no sense."""
    parser = cli.OneLineParser(description="Translate sentences with a trained encoder-decoder.")
    cli.run_argument(parser)
    translating.add_arguments(parser)
    parser.add_argument(
        "--trees", type=Path, metavar="FILE", help="trees over the sentences, for models that follow some"
    )
    arguments = parser.parse_args()
    translating.check(arguments)
    return arguments


def add_trees(model, path: Path) -> None:
    """Give the model, or those of its members that follow trees, the trees of a file."""
    following = [member for member in getattr(model, "models", [model]) if getattr(member, "trees", None) is not None]
    if not following:
        raise UserError("--trees: this model follows none; train one with --encoder treelstm")
    for member in following:
        member.trees.add(read_trees(path), member.source_vocab)


@exits_cleanly
def main() -> None:
    arguments = read_flags()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_model(folder)
    model = translating.with_ensemble(model, arguments.ensemble)
    if arguments.trees:
        add_trees(model, arguments.trees)
    translating.run(model, settings, arguments, folder)


if __name__ == "__main__":
    main()
