"""Sample sentences from a trained model, or score sentences with it.

python chapters/04_feedforward_lm/generate.py --number 5
echo "mira reads the letter ." | python chapters/04_feedforward_lm/generate.py --score -
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import generation

from .settings import CHAPTER
from .trained import load_model


def load(folder: Path, device: str):
    """The model of a run and its settings; DyNet is set up before anything imports it."""
    return load_model(folder)


@exits_cleanly
def main() -> None:
    generation.run_program(CHAPTER, "feed-forward language model", load)


if __name__ == "__main__":
    main()
