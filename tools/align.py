"""What IBM Model 1 learns from sentence pairs: `python -m tools.align CORPUS`.

Learns P(target word | source word) from the training pairs, prints how the likelihood grew and the most probable
translations of a few words and, if the corpus has true alignments, how far the most probable ones are from them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from common.errors import UserError, exits_cleanly
from common.programs.arguments import check_most
from common.text.alignment import Links, alignment_figures, true_alignments
from common.text.corpus import Sentence
from common.text.ibm_model1 import Lexicon
from common.text.pairs import Pair, load_pairs
from common.training import cli

NAMES = {
    "error_rate": "alignment error rate",
    "precision": "precision",
    "recall": "recall",
    "error_rate_of_aligned_words": "error rate of aligned words",
}


def some_words(sentences: Sequence[Sentence]) -> list[str]:
    """The most frequent word, the second, the fourth, the eighth and so on: from articles to words seen once."""
    ranked = [word for word, _ in Counter(word for sentence in sentences for word in sentence).most_common()]
    return [ranked[2**power - 1] for power in range(len(ranked).bit_length())]


def likelihood_lines(lexicon: Lexicon, pairs: Sequence[Pair]) -> Iterator[str]:
    """The log-likelihood of the training pairs before and after each iteration."""
    words = sum(len(pair.target) for pair in pairs)
    for iteration, log_likelihood in enumerate(lexicon.log_likelihoods):
        yield f"iteration {iteration:3}  {log_likelihood:16,.0f} nats  {log_likelihood / words:8.3f} per target word"


def dictionary_lines(lexicon: Lexicon, words: Sequence[str]) -> Iterator[str]:
    """The three most probable translations of each word."""
    width = max(map(len, words)) + 2
    for word in words:
        translations = "  ".join(f"{e} {prob:.2f}" for e, prob in lexicon.best(word, 3))
        yield f"{word:{width}}{translations or '(not in the training pairs)'}"


def alignment_lines(lexicon: Lexicon, pairs: Sequence[Pair], true: Sequence[Links]) -> Iterator[str]:
    """How far the most probable alignments of the pairs are from the true ones."""
    for name, figure in alignment_figures([lexicon.links(*pair) for pair in pairs], true).items():
        yield f"{NAMES[name]:36}{figure:7.2%}"


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.align", description=__doc__)
    parser.add_argument("corpus", nargs="?", default="village_pairs", help="a corpus of pairs (default: village_pairs)")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="passes of EM (default: 10)")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="split to align (default: test)")
    parser.add_argument("--words", nargs="+", metavar="WORD", help="words to look up (default: frequent to rare ones)")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.iterations < 1:
        raise UserError(f"--iterations {arguments.iterations}: must be at least 1")
    corpus = load_pairs(arguments.corpus)
    true = true_alignments(corpus, arguments.split)
    began = time.process_time()
    lexicon = Lexicon.learn(corpus.train, arguments.iterations)
    seconds = time.process_time() - began
    print(
        f"{corpus.name}: {len(corpus.train):,} pairs, {len(lexicon.table):,} pairs of words, {seconds:.1f} CPU seconds"
    )
    print(*likelihood_lines(lexicon, corpus.train), sep="\n")
    print()
    print(*dictionary_lines(lexicon, arguments.words or some_words([pair.source for pair in corpus.train])), sep="\n")
    print()
    if true is None:
        print(f"no {arguments.split}.align in {corpus.folder}, so alignments cannot be judged")
    else:
        print(*alignment_lines(lexicon, getattr(corpus, arguments.split), true), sep="\n")


if __name__ == "__main__":
    main()
