"""Translate with a trained attentional model, or with several at once.

echo "mira reads the letter ." | python chapters/08_attention/translate.py --beam 5
python chapters/08_attention/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import exits_cleanly
from common.programs import translating
from common.training import cli
from common.training.runs import latest_run

from .settings import CHAPTER
from .trained import load_model


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Translate sentences with a trained attentional model.")
    cli.run_argument(parser)
    translating.add_arguments(parser)
    arguments = parser.parse_args()
    translating.check(arguments)
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_model(folder)
    translating.run(translating.with_ensemble(model, arguments.ensemble), settings, arguments, folder)


if __name__ == "__main__":
    main()
