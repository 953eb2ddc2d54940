"""Sample sentences from a trained model, or score sentences with it.

python chapters/11_transformer/generate.py --number 5
echo "mira reads the letter ." | python chapters/11_transformer/generate.py --score -
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import generation

from .settings import CHAPTER


@exits_cleanly
def main() -> None:
    generation.run_program(CHAPTER, "Transformer language model")


if __name__ == "__main__":
    main()
