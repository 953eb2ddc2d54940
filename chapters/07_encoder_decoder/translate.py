"""Translate with a trained encoder-decoder, or with several at once.

echo "mira reads the letter ." | python chapters/07_encoder_decoder/translate.py --beam 5
python chapters/07_encoder_decoder/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import cli, runtime, translating
from common.errors import UserError, exits_cleanly
from common.runs import latest_run
from settings import CHAPTER


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
    from common.trees import read_trees

    following = [member for member in getattr(model, "models", [model]) if getattr(member, "trees", None) is not None]
    if not following:
        raise UserError("--trees: this model follows none; train one with --encoder treelstm")
    for member in following:
        member.trees.add(read_trees(path), member.source_vocab)


@exits_cleanly
def main() -> None:
    arguments = read_flags()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    runtime.configure(arguments.device)
    from trained import load_model

    model, settings = load_model(folder)
    model = translating.with_ensemble(model, arguments.ensemble)
    if arguments.trees:
        add_trees(model, arguments.trees)
    translating.run(model, settings, arguments, folder)


if __name__ == "__main__":
    main()
