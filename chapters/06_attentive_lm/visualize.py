"""Draw what a trained model attends to: attention over the past, word by word, as PNG.

python chapters/06_attentive_lm/visualize.py --sentence "the hen of mira follows mira behind the library ."
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import UserError, exits_cleanly
from common.plots.heatmaps import attention_map
from common.programs.arguments import check_most, run_argument
from common.programs.chapters import load_run
from common.search.sampling import sample
from common.text.batching import make_batch
from common.text.corpus import parse_sentences, read_sentences
from common.text.vocab import BEGIN, BOUNDARY
from common.training import cli
from common.training.past_runs import latest_run

from .settings import CHAPTER

MOST_WORDS = 80


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Draw attention over the past (Salton et al. 2017, Figures 2 and 3).")
    run_argument(parser)
    parser.add_argument("--sentence", action="append", metavar="TEXT", help="a tokenised sentence; may be repeated")
    parser.add_argument("--file", metavar="FILE", help="one sentence per line")
    parser.add_argument(
        "--number", type=int, default=4, metavar="N", help="sentences to sample where none is given (default: 4)"
    )
    parser.add_argument("--seed", type=int, default=1, help="start of the random numbers (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write (default: attention/ in the run's folder)"
    )
    arguments = parser.parse_args()
    check_most(arguments)
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    sentences = []
    for text in arguments.sentence or []:
        sentences += parse_sentences(text.encode("utf-8", "surrogateescape"), "--sentence")
    if arguments.file:
        sentences += read_sentences(arguments.file)
    if arguments.sentence and not sentences:
        raise UserError("--sentence: give at least one word")
    if any(len(sentence) > MOST_WORDS for sentence in sentences):
        raise UserError(f"a sentence of more than {MOST_WORDS} words makes no readable picture; give a part of it")
    if arguments.number < 1 or arguments.seed < 0:
        raise UserError("--number must be at least 1, --seed at least 0")

    model, settings = load_run(folder, CHAPTER)
    if settings.score == "none":
        raise UserError(f"{folder}: trained with --score none, so there is no attention to draw; choose another --run")
    if not sentences:
        samples = sample(model, arguments.number, np.random.default_rng(arguments.seed), MOST_WORDS)
        sentences = [sampled.words for sampled in samples if sampled.words]
    for number, sentence in enumerate(sentences, start=1):
        path = (arguments.out or folder / "attention") / f"{number:02}.png"
        weights = model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[:, :, 0]
        title = f"{settings.score} score, {settings.corpus}"
        attention_map(weights.T, [BEGIN, *sentence], [*sentence, BOUNDARY], title, path)
        print(f"{path}: {' '.join(sentence)}")


if __name__ == "__main__":
    main()
