"""Translate with a trained word-attention model, or with several at once.

echo "mira reads the letter ." | python chapters/09_word_attention/translate.py --beam 5
python chapters/09_word_attention/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import cli, runtime, translating
from common.errors import exits_cleanly
from common.runs import latest_run
from settings import CHAPTER


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Translate sentences with a trained word-attention model.")
    cli.run_argument(parser)
    translating.add_arguments(parser)
    arguments = parser.parse_args()
    translating.check(arguments)
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    runtime.configure(arguments.device)
    from trained import load_model

    model, settings = load_model(folder)
    translating.run(translating.with_ensemble(model, arguments.ensemble), settings, arguments, folder)


if __name__ == "__main__":
    main()
