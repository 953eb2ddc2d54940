"""Sample sentences from a trained model, or score sentences with it; from several, with the mean of what they say.

python chapters/05_rnn_lm/generate.py --number 5
echo "mira reads the letter ." | python chapters/05_rnn_lm/generate.py --score -
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import generation
from common.search.ensemble import Ensemble
from common.training import cli
from common.training.runs import latest_run

from .settings import CHAPTER
from .trained import load_model


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Sample sentences from a trained recurrent language model, or score text.")
    parser.add_argument(
        "--run", action="append", type=Path, metavar="DIR", help="folder of a run (default: the latest)"
    )
    generation.add_arguments(parser)
    arguments = parser.parse_args()
    folders = arguments.run or [latest_run(CHAPTER, holding="model.npz")]

    loaded = [load_model(folder) for folder in folders]
    generation.generate(Ensemble([model for model, _ in loaded]), loaded[0][1].unk, arguments)


if __name__ == "__main__":
    main()
