"""Translate between two languages that no training had together: at once, and through a third one that both know.

python chapters/10_beyond/pivot.py --run RUN                                            # one model of all directions
python chapters/10_beyond/pivot.py --run RUN --second RUN --direction veldran-bremish  # two models, one step each
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse
from collections.abc import Sequence

from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.metrics import bleu
from common.programs.arguments import check_most, device_arguments, run_argument
from common.programs.chapters import load_run
from common.text.corpus import Sentence
from common.text.pairs import Pair, ParallelCorpus, load_pairs, read_pairs
from common.text.subwords import PairSplitter
from common.training.past_runs import latest_run

from .asking import Translator, languages_of, through
from .directions import ZERO, by_direction, read_directions, share_asked, words_of_languages
from .settings import CHAPTER

AT_ONCE, PIVOTED = "at once", "through {}"


def load_translator(folder: Path) -> Translator:
    """The model of a run. Raises `UserError` for one that cannot be asked for a language."""
    model, settings = load_run(folder)
    if not hasattr(model, "encode") or not languages_of(model.source_vocab):
        raise UserError(
            f"{folder}: its model cannot be told which language to write; train with --corpus village_tongues"
        )
    return Translator(model, PairSplitter.of_run(folder, settings, model))


def both_ways(first: Translator, second: Translator | None, pairs: Sequence[Pair], middle: str, last: str) -> dict:
    """Translations by the way that led to them. pairs: with the tag of the last language before each source.

    With a second model the first one is not asked for the last language, which it does not write.
    """
    sources = [pair.source for pair in pairs]
    translations: dict[str, list[Sentence]] = {} if second else {AT_ONCE: first.into(last, sources)}
    return translations | {PIVOTED.format(middle): through(first, second or first, middle, last, sources)}


@exits_cleanly
def main() -> None:
    parser = OneLineParser(
        description="Translate in directions without training pairs: directly, and through a third language."
    )
    run_argument(parser)
    parser.add_argument("--second", type=Path, metavar="RUN", help="the model of the second step (default: --run's)")
    parser.add_argument(
        "--corpus", default="village_tongues", metavar="NAME", help="corpus with the pairs (zero.source, ...)"
    )
    parser.add_argument(
        "--direction", default="", metavar="FROM-TO", help="only this direction (default: all of the corpus)"
    )
    parser.add_argument(
        "--through", default="english", metavar="LANGUAGE", help="the language in the middle (default: english)"
    )
    device_arguments(parser)
    arguments = parser.parse_args()
    check_most(arguments)
    corpus = load_pairs(arguments.corpus)
    pairs = read_pairs(corpus.folder, ZERO)
    numbers = by_direction(read_directions(corpus.folder, ZERO, len(pairs)))
    if arguments.direction and arguments.direction not in numbers:
        raise UserError(f"--direction {arguments.direction}: {corpus.name} has {', '.join(numbers)}")
    directions = [arguments.direction] if arguments.direction else list(numbers)
    if ends := [name for name in directions if arguments.through in name.split("-")]:
        raise UserError(f"--through {arguments.through}: an end of {ends[0]}; choose a third language")
    run(arguments, {name: [pairs[number] for number in numbers[name]] for name in directions}, corpus)


def run(arguments: argparse.Namespace, pairs: dict[str, list[Pair]], corpus: ParallelCorpus) -> None:
    """Print BLEU of both ways, and how much of what was written is in the language that was asked for."""
    first = load_translator(arguments.run or latest_run(CHAPTER, holding="model.npz"))
    second = load_translator(arguments.second) if arguments.second else None
    own = words_of_languages(corpus)
    print(f"{'':46}{'BLEU':>10}{'in the language':>18}")
    for direction, some in pairs.items():
        last = direction.split("-")[1]
        for way, translations in both_ways(first, second, some, arguments.through, last).items():
            score = bleu(translations, [pair.target for pair in some])
            print(f"{direction + ', ' + way:46}{score.value:10.2f}{share_asked(translations, last, own):18.1%}")
    print(f"  {score.signature}")


if __name__ == "__main__":
    main()
