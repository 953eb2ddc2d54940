"""Compare ways to search for a translation: greedy, beams of several sizes, scores of length in the beam or after it.

python chapters/07_encoder_decoder/compare_search.py --run RUN --beams 1 2 5 10
"""

import argparse
import runpy
import time
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.metrics import bleu
from common.programs.arguments import check_most, device_arguments, run_argument
from common.programs.chapters import load_run
from common.programs.translating import ensemble_argument, with_ensemble
from common.search.decoding import Hypothesis
from common.search.length_prior import LENGTH_SCORES, LengthPrior, best_first, length_score
from common.search.searches import LENGTH_IN, Decoding, translate
from common.search.translation import TranslationModel, target_log_probs
from common.text.corpus import Sentence
from common.text.pairs import Pair, load_pairs
from common.text.subwords import require_words
from common.training.past_runs import latest_run

from .settings import CHAPTER

HEADER = (
    f"{'beam':>4} {'length':>10} {'in':>10} {'BLEU':>7} {'words':>7} {'log P':>8} {'references better':>18} "
    f"{'than reranking':>16} {'seconds':>8}"
)


def read_flags() -> argparse.Namespace:
    """The flags of this program. Raises `UserError` for those that make no sense."""
    parser = OneLineParser(description="Compare ways to search for the translations of a split.")
    run_argument(parser)
    ensemble_argument(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="what to translate (default: test)")
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 2, 5, 10], metavar="N", help="1 is greedy search")
    device_arguments(parser)
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.beams) < 1:
        raise UserError("--beams must be at least 1")
    return arguments


def row(best: list[Hypothesis], values: list[float], pairs: list[Pair], of_references: list[float]) -> str:
    """What one way to search found; values, of_references: the scores of what was found, and of the references.

    words: as many as in the references is 1. log P: of what was found, a sentence. references better: the share of
    sentences whose reference has a higher score than what was found, so that the search failed.
    """
    references: list[Sentence] = [pair.target for pair in pairs]
    figure = bleu([hypothesis.words for hypothesis in best], references).value
    words = sum(len(hypothesis.words) for hypothesis in best) / sum(map(len, references))
    log_prob = sum(hypothesis.log_prob for hypothesis in best) / len(best)
    return f"{figure:7.2f} {words:7.3f} {log_prob:8.2f} {share_below(values, of_references):18.1%}"


def share_below(values: list[float], others: list[float]) -> float:
    """The share of the values that are lower than the other of their pair, by more than rounding."""
    return sum(ours < theirs - 1e-4 for ours, theirs in zip(values, others, strict=True)) / len(values)


def compare(model: TranslationModel, pairs: list[Pair], beams: list[int], prior: LengthPrior) -> None:
    """Print a line for each beam, score of length, and place where it acts. Rerankings share one search by log P.

    than reranking: the share of sentences whose score is higher, and lower, than that of the line before.
    """
    reference_log_probs = [float(log_probs.sum()) for log_probs in target_log_probs(model, pairs)]
    print(f"log P of the references: {sum(reference_log_probs) / len(pairs):.2f} a sentence\n{HEADER}")
    sources, lengths = [pair.source for pair in pairs], [len(pair.target) for pair in pairs]
    for beam in beams:
        searches, reranked = {}, []
        for kind, place in ways(beam):
            decoding = Decoding(beam=beam, length=kind if place == "search" else "none")
            if decoding not in searches:
                started = time.process_time()
                hypotheses = translate(model, sources, decoding, prior=prior)
                searches[decoding] = hypotheses, time.process_time() - started
            hypotheses, seconds = searches[decoding]
            both = zip(hypotheses, sources, strict=True)
            best = [best_first(nbest, kind, len(source), prior)[0] for nbest, source in both]
            scores = [length_score(kind, len(source), prior) for source in sources]
            values = [score(first.log_prob, len(first.words)) for score, first in zip(scores, best, strict=True)]
            references = zip(scores, reference_log_probs, lengths, strict=True)
            of_references = [score(log_prob, length) for score, log_prob, length in references]
            gain = ""
            if place == "search":
                gain = f"+{share_below(reranked, values):.1%} -{share_below(values, reranked):.1%}"
            figures = row(best, values, pairs, of_references)
            print(f"{beam:4} {kind:>10} {place:>10} {figures} {gain:>16} {seconds:8.1f}", flush=True)
            reranked = values


def ways(beam: int) -> list[tuple[str, str]]:
    """The scores of length, each with the places where it can act; greedy search has one way."""
    if beam == 1:
        return [("none", "-")]
    return [("none", "-"), *((kind, place) for kind in LENGTH_SCORES if kind != "none" for place in LENGTH_IN[::-1])]


@exits_cleanly
def main() -> None:
    arguments = read_flags()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_run(folder, CHAPTER)
    require_words(settings, folder)
    corpus = load_pairs(settings.corpus)
    model = with_ensemble(model, arguments.ensemble)
    compare(model, getattr(corpus, arguments.split), arguments.beams, LengthPrior.from_pairs(corpus.train))


if __name__ == "__main__":
    main()
