"""Draw which source words a trained Transformer attends to, for each target word.

python chapters/11_transformer/visualize_pairs.py --split test --number 20
python chapters/11_transformer/visualize_pairs.py --split test --references REFERENCES --links ALIGNMENTS
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import visualising

from .settings_pairs import CHAPTER


@exits_cleanly
def main() -> None:
    visualising.run_program(CHAPTER, "Draw a Transformer's attention to the source.")


if __name__ == "__main__":
    main()
