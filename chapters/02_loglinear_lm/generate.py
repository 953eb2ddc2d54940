"""Sample sentences from a trained model, or score sentences with it.

python chapters/02_loglinear_lm/generate.py --number 5
echo "mira reads the letter ." | python chapters/02_loglinear_lm/generate.py --score -
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import generation, runtime
from common.errors import exits_cleanly
from common.runs import read_config
from settings import CHAPTER


def load(folder: Path, device: str):
    """The model of a run and its settings; DyNet is set up before anything imports it."""
    if read_config(folder, CHAPTER)["settings"].get("engine") == "dynet":
        runtime.configure(device)
    from trained import load_model

    return load_model(folder)


@exits_cleanly
def main() -> None:
    generation.run_program(CHAPTER, "log-linear language model", load)


if __name__ == "__main__":
    main()
