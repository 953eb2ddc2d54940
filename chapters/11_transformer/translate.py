"""Translate with a trained Transformer, or with several at once.

echo "mira reads the letter ." | python chapters/11_transformer/translate.py --beam 5
python chapters/11_transformer/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import translating

from .settings_pairs import CHAPTER


@exits_cleanly
def main() -> None:
    translating.run_program(CHAPTER, "Transformer")


if __name__ == "__main__":
    main()
