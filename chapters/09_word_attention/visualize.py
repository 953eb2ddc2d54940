"""Draw where a trained model looks, at annotations and at words, and under each target word its gate.

python chapters/09_word_attention/visualize.py --split test --number 20
python chapters/09_word_attention/visualize.py --split test --references REFERENCES --links ALIGNMENTS
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import cli, runtime, visualising
from common.errors import exits_cleanly
from common.runs import latest_run
from settings import CHAPTER


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Draw hidden and word attention, and the gates (Wu et al. 2018, Figure 3).")
    cli.run_argument(parser)
    visualising.add_arguments(parser)
    arguments = parser.parse_args()
    visualising.check(arguments)
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    runtime.configure(arguments.device)
    from trained import load_model

    model, settings = load_model(folder)
    visualising.run(model, settings, arguments, folder)


if __name__ == "__main__":
    main()
