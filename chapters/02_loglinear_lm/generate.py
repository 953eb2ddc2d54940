"""Sample sentences from a trained model, or score sentences with it.

python chapters/02_loglinear_lm/generate.py --number 5
echo "the hen waits ." | python chapters/02_loglinear_lm/generate.py --score -
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import cli, generation, runtime
from common.errors import exits_cleanly
from common.runs import latest_run, read_config
from settings import CHAPTER


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Sample sentences from a trained log-linear language model, or score text.")
    cli.run_argument(parser)
    generation.add_arguments(parser)
    arguments = parser.parse_args()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    if read_config(folder, CHAPTER)["settings"].get("engine") == "dynet":
        runtime.configure(arguments.device)
    from trained import load_model

    model, settings = load_model(folder)
    generation.generate(model, settings.unk, arguments)


if __name__ == "__main__":
    main()
