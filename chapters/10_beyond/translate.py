"""Translate with a model that was trained by what its translations cost, or with several at once.

echo "mira reads the letter ." | python chapters/10_beyond/translate.py --beam 5
python chapters/10_beyond/translate.py FILE --beam 5 --nbest 3 --ensemble RUN RUN
echo "mira reads the letter ." | python chapters/10_beyond/translate.py --run RUN --to bremish  # of several languages
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse

from common.errors import exits_cleanly
from common.programs import translating
from common.search.translation import TranslationModel
from common.text.corpus import Sentence

from .asking import ask_for, languages_of
from .settings import CHAPTER


def add_flags(parser: argparse.ArgumentParser) -> None:
    translating.trees_argument(parser)
    parser.add_argument(
        "--to", default="", metavar="LANGUAGE", help="for a model of several languages: the language to translate into"
    )


def ask(source: Sentence, model: TranslationModel, arguments: argparse.Namespace) -> Sentence:
    return ask_for(arguments.to, languages_of(model.source_vocab), source)


@exits_cleanly
def main() -> None:
    translating.run_program(CHAPTER, "translation model", add_flags, ask=ask)


if __name__ == "__main__":
    main()
