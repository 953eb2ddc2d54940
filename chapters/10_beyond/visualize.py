"""Draw which source words the model of a run attends to, for each target word.

python chapters/10_beyond/visualize.py --split test --number 20
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import visualising

from .settings import CHAPTER


@exits_cleanly
def main() -> None:
    visualising.run_program(CHAPTER, "Draw attention over the source, of a model with attention.")


if __name__ == "__main__":
    main()
