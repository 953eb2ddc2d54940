"""Compare ways to search for a translation: greedy, beams of several sizes, three ways to judge length.

python chapters/07_encoder_decoder/compare_search.py --run RUN --beams 1 2 5 10
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import cli, runtime
from common.corpus import Sentence
from common.errors import UserError, exits_cleanly
from common.length_prior import LENGTH_SCORES, LengthPrior, best_first
from common.metrics import bleu
from common.pairs import Pair, load_pairs
from common.runs import latest_run
from common.search import Hypothesis
from common.subwords import require_words
from common.translating import with_ensemble
from common.translation import Decoding, TranslationModel, target_log_probs, translate
from settings import CHAPTER

HEADER = f"{'beam':>4} {'length':>10} {'BLEU':>7} {'words':>7} {'log P':>8} {'references better':>18} {'seconds':>8}"


def read_flags() -> argparse.Namespace:
    """The flags of this program. Raises `UserError` for those that make no sense."""
    parser = cli.OneLineParser(description="Compare ways to search for the translations of a split.")
    cli.run_argument(parser)
    parser.add_argument("--ensemble", nargs="+", type=Path, metavar="RUN", help="average with the models of these runs")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="what to translate (default: test)")
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 2, 5, 10], metavar="N", help="1 is greedy search")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where to compute (default: cpu)")
    arguments = parser.parse_args()
    if min(arguments.beams) < 1:
        raise UserError("--beams must be at least 1")
    return arguments


def row(
    beam: int, kind: str, best: list[Hypothesis], pairs: list[Pair], of_references: list[float], seconds: float
) -> str:
    """What one way to search found.

    words: as many as in the references is 1. log P: of what was found, a sentence. references better: the share of
    sentences whose reference the model finds more probable than what the search found, so that the search failed.
    """
    references: list[Sentence] = [pair.target for pair in pairs]
    score = bleu([hypothesis.words for hypothesis in best], references)
    words = sum(len(hypothesis.words) for hypothesis in best) / sum(map(len, references))
    log_prob = sum(hypothesis.log_prob for hypothesis in best) / len(best)
    worse = [found.log_prob < other - 1e-4 for found, other in zip(best, of_references, strict=True)]
    share = sum(worse) / len(worse)
    return f"{beam:4} {kind:>10} {score.value:7.2f} {words:7.3f} {log_prob:8.2f} {share:18.1%} {seconds:8.1f}"


def compare(model: TranslationModel, pairs: list[Pair], beams: list[int], prior: LengthPrior) -> None:
    """Print a line for each beam and each way to judge length. The n-best lists of a beam are found once."""
    of_references = [float(log_probs.sum()) for log_probs in target_log_probs(model, pairs)]
    print(f"log P of the references: {sum(of_references) / len(pairs):.2f} a sentence\n{HEADER}")
    for beam in beams:
        started = time.process_time()
        found = translate(model, [pair.source for pair in pairs], Decoding(beam=beam))
        seconds = time.process_time() - started
        for kind in LENGTH_SCORES if beam > 1 else LENGTH_SCORES[:1]:
            best = [best_first(one, kind, len(pair.source), prior)[0] for one, pair in zip(found, pairs, strict=True)]
            print(row(beam, kind, best, pairs, of_references, seconds), flush=True)


@exits_cleanly
def main() -> None:
    arguments = read_flags()
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")
    runtime.configure(arguments.device)
    from trained import load_model

    model, settings = load_model(folder)
    require_words(settings, folder)
    corpus = load_pairs(settings.corpus)
    model = with_ensemble(model, arguments.ensemble)
    compare(model, getattr(corpus, arguments.split), arguments.beams, LengthPrior.from_pairs(corpus.train))


if __name__ == "__main__":
    main()
