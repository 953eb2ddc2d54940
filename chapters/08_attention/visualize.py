"""Draw where a trained attentional model looks: at which source words, for each target word.

python chapters/08_attention/visualize.py --split test --number 20
python chapters/08_attention/visualize.py --split test --references REFERENCES --links ALIGNMENTS
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import visualising
from common.training import cli
from common.training.runs import latest_run

from .settings import CHAPTER
from .trained import load_model


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Draw attention over the source (Neubig 2017, Figure 27).")
    cli.run_argument(parser)
    visualising.add_arguments(parser)
    arguments = parser.parse_args()
    visualising.check(arguments)
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_model(folder)
    visualising.run(model, settings, arguments, folder)


if __name__ == "__main__":
    main()
