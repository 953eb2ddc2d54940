"""Write a trained n-gram model as an ARPA file, for KenLM, SRILM and others.

python chapters/01_ngram_lm/export.py --out village.arpa
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import UserError, exits_cleanly
from common.programs.arguments import run_argument
from common.programs.chapters import load_run
from common.training import cli
from common.training.past_runs import latest_run

from .arpa import write_arpa
from .model import NgramLM
from .settings import CHAPTER


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Write a trained n-gram language model as an ARPA file.")
    run_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write")
    arguments = parser.parse_args()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    model, _ = load_run(folder, CHAPTER)
    if not isinstance(model, NgramLM):
        raise UserError(f"{folder}: an ARPA file can contain only n-grams; train without --cache and --skip")
    write_arpa(arguments.out, model)
    print(f"{arguments.out}: a model of order {model.order}, {len(model.vocab):,} words")


if __name__ == "__main__":
    main()
