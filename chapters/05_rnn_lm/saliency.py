"""Which words of a sentence decide a prediction: its gradient with respect to the embedding of every word read.

python chapters/05_rnn_lm/saliency.py --run RUN --sentence "the cat beside the old singers is" --rival are

The last word of the sentence is predicted from those before it. For each word read, two numbers: the norm of the
gradient of log P(last word), and the gradient times the embedding, the sum of their products. With a rival, the
gradient is that of log P(last word) - log P(rival). A bar shows the second number.
"""

import argparse
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy
import numpy as np

from common.errors import UserError, exits_cleanly
from common.nn.softmax import embed
from common.programs.arguments import check_most, run_argument
from common.programs.chapters import load_run
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.past_runs import latest_run
from data.agreement import Agreeing, agreement_sentences, new_sentences

from .settings import CHAPTER

WIDTH = 30
"""Letters of the longest bar."""


class Saliency(NamedTuple):
    """Of the log-probability of a word, or of its difference from a rival's, in nats: its value, and for each of the T
    words read the norm of the gradient with respect to the embedding, and the gradient times the embedding, (T,)."""

    value: float
    norms: np.ndarray
    products: np.ndarray


def saliency(model: Any, words: Sequence[int], target: int, rival: int | None = None) -> Saliency:
    """Of the softmax's log P(target | words), or of log P(target) - log P(rival); word ids."""
    dy.renew_cg()
    read = [embed(model.embedding, [word]) for word in words]
    states = model.stack.first_states
    for vector in read:
        hidden, states = model.stack.step(vector, states)
    log_probs = dy.log_softmax(model.logits(hidden))
    value = log_probs[target] if rival is None else log_probs[target] - log_probs[rival]
    value.forward()
    value.backward(full=True)
    gradients = np.array([vector.gradient() for vector in read])
    embeddings = np.array([vector.npvalue() for vector in read])
    products = (gradients * embeddings).sum(axis=1)
    return Saliency(value.scalar_value(), np.linalg.norm(gradients, axis=1), products)


def bars(words: Sequence[str], found: Saliency) -> list[str]:
    """A line for each word read: norm, gradient times embedding, and a bar, of + where this is positive and of -."""
    largest = np.abs(found.products).max() or 1.0
    return [
        f"{word:12} {norm:8.3f} {product:8.3f}  "
        + ("+" if product > 0 else "-") * round(WIDTH * abs(product) / largest)
        for word, norm, product in zip(words, found.norms, found.products, strict=True)
    ]


def subject_first(model: Any, cases: Sequence[Agreeing], with_rival: bool) -> tuple[float, float, float]:
    """Of sentences whose verb agrees with a subject further back: how often the subject's norm is the largest of the
    words read, how often its gradient times embedding is; and how often a word drawn at random would be the subject."""
    by_norm, by_product, chance = 0, 0, 0.0
    for case in cases:
        read = [Vocabulary.boundary, *model.vocab.encode(case.sentence[: case.verb])]
        verb, other = model.vocab.encode([case.sentence[case.verb], case.other])
        found = saliency(model, read, verb, other if with_rival else None)
        by_norm += found.norms.argmax() == case.subject + 1
        by_product += found.products.argmax() == case.subject + 1
        chance += 1 / len(read)
    return by_norm / len(cases), by_product / len(cases), chance / len(cases)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    run_argument(parser)
    parser.add_argument(
        "--sentence", default="the cat beside the old singers is", help="a sentence whose last word is predicted"
    )
    parser.add_argument("--rival", metavar="WORD", help="a word that might be there in place of the last one")
    parser.add_argument(
        "--sentences",
        type=int,
        default=0,
        metavar="N",
        help="of N new village sentences: how often the subject has the largest number before its verb",
    )
    arguments = parser.parse_args()
    check_most(arguments)
    model, settings = load_run(arguments.run or latest_run(CHAPTER, holding="model.npz"), CHAPTER)
    if settings.scores_few:
        raise UserError(f"--run: --softmax {settings.softmax} does not score every word; choose another run")
    words = arguments.sentence.split()
    if len(words) < 2:
        raise UserError(f"--sentence {arguments.sentence!r}: needs two words or more, of which the last is predicted")
    for word in [*words, *([arguments.rival] if arguments.rival else [])]:
        if word not in model.vocab:
            raise UserError(f"{word}: not in this model's vocabulary; choose words of its vocab.txt")

    *read, target = model.vocab.encode(words)
    rival = model.vocab.ids[arguments.rival] if arguments.rival else None
    found = saliency(model, [Vocabulary.boundary, *read], target, rival)
    what = f"log P({words[-1]})" + (f" - log P({arguments.rival})" if arguments.rival else "")
    print(f"{what} = {found.value:.3f} nats", f"{'':12} {'norm':>8} {'product':>8}", sep="\n")
    print(*bars(["<s>", *words[:-1]], found), sep="\n")
    if arguments.sentences:
        cases = [case for case in agreement_sentences(new_sentences(arguments.sentences)) if known(model, case)]
        if not cases:
            raise UserError(f"--sentences {arguments.sentences}: none has a verb away from its subject; use more")
        for with_rival, name in ((False, "log P(verb)"), (True, "log P(verb) - log P(other form)")):
            by_norm, by_product, chance = subject_first(model, cases, with_rival)
            print(f"{name}: the subject is first of {len(cases)} sentences by norm in {by_norm:.1%}, by product in "
                  f"{by_product:.1%} (by chance {chance:.1%})")  # fmt: skip


def known(model: Any, case: Agreeing) -> bool:
    """Whether the vocabulary has both forms of the verb and the words before it."""
    return all(word in model.vocab for word in [*case.sentence[: case.verb + 1], case.other])


if __name__ == "__main__":
    main()
