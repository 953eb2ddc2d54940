"""Exposure bias, measured: how well does a model go on after its own words, and after the reference's?

python chapters/10_beyond/exposure.py --run RUN
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.errors import OneLineParser, UserError, exits_cleanly
from common.programs.arguments import check_most, device_arguments, run_argument
from common.programs.chapters import load_run
from common.search.sampling import draw
from common.text.corpus import Sentence
from common.text.pairs import Pair, load_pairs
from common.text.vocab import BOUNDARY, UNKNOWN, Vocabulary, counted
from common.training.past_runs import latest_run
from data.pair_truth import PairTruth, target_grammar
from data.pairs import truth_of

from .settings import CHAPTER

AT_ONCE = 50
SHOWN = 12
Choose = Callable[[np.ndarray, np.random.Generator], int]
PREFIXES: dict[str, Choose | None] = {
    "reference": None,
    "sampled": draw,
    "greedy": lambda log_probs, rng: int(log_probs.argmax()),
}
"""Whose words the model reads: the reference's, or its own, drawn at random or the most probable ones."""


class Positions(NamedTuple):
    """By position, from the first word on, (T,) each: counts of sentences, and sums over them.

    possible: sentences whose words before this position are possible translations, to the grammar. wrong: those of them
    where the model's most probable word is impossible. excess: the sum of KL(true distribution || model's), in nats.
    """

    possible: np.ndarray
    wrong: np.ndarray
    excess: np.ndarray

    @property
    def error_rate(self) -> np.ndarray:
        """The share of possible prefixes after which the model's most probable word is impossible."""
        return self.wrong / np.maximum(self.possible, 1)

    @property
    def mean_excess(self) -> np.ndarray:
        """Nats for each prediction that a better model could save."""
        return self.excess / np.maximum(self.possible, 1)


class Truth:
    """What may follow in the translation of one source sentence; moves on word by word."""

    def __init__(self, truth: PairTruth, source: Sentence, vocab: Vocabulary):
        self.grammar, start = target_grammar(truth.derivations(source))
        self.states, self.vocab = self.grammar.initial(start), vocab

    def next_words(self) -> dict[str, float]:
        """P(next word) for each possible one and `</s>`."""
        return self.grammar.next_words(self.states)

    def read(self, word: str) -> bool:
        """Go on behind this word; whether it was possible. `<unk>` stands for the likeliest word that is unknown."""
        if word == UNKNOWN:
            unknown = {w: p for w, p in self.next_words().items() if w not in self.vocab and w != BOUNDARY}
            word = max(unknown, key=unknown.__getitem__, default=UNKNOWN)
        _, self.states = self.grammar.advance(self.states, word)
        return bool(self.states)


def as_ids(words: Mapping[str, float], vocab: Vocabulary) -> dict[int, float]:
    """A distribution over words as one over word ids: that of `<unk>` has the sum of all unknown words."""
    distribution: dict[int, float] = {}
    for word, probability in words.items():
        number = Vocabulary.boundary if word == BOUNDARY else vocab.encode([word])[0]
        distribution[number] = distribution.get(number, 0.0) + probability
    return distribution


def measure(model: Any, truth: PairTruth, pairs: Sequence[Pair], prefixes: str, rng: np.random.Generator) -> Positions:
    """What the model does at each position after such prefixes (`PREFIXES`)."""
    longest = max(len(pair.target) for pair in pairs) + 1
    positions = Positions(np.zeros(longest), np.zeros(longest), np.zeros(longest))
    for first in range(0, len(pairs), AT_ONCE):
        follow(model, truth, pairs[first : first + AT_ONCE], PREFIXES[prefixes], rng, positions)
    return positions


def follow(
    model: Any,
    truth: PairTruth,
    pairs: Sequence[Pair],
    choose: Choose | None,
    rng: np.random.Generator,
    positions: Positions,
) -> None:
    """Add what the model does on some pairs side by side. choose: its own next word; None: the reference's is read."""
    dy.renew_cg()
    truths = [Truth(truth, pair.source, model.vocab) for pair in pairs]
    vocabs = [model.vocab.for_source(pair.source) for pair in pairs]
    state = model.encode([model.source_vocab.encode(pair.source) for pair in pairs])
    words, open_rows = [Vocabulary.boundary] * len(pairs), list(range(len(pairs)))
    for t in range(len(positions.possible)):
        state, log_probs = model.advance(state, words)
        for row in list(open_rows):
            true = as_ids(truths[row].next_words(), vocabs[row])
            count(positions, t, true, log_probs[row])
            target = pairs[row].target
            if choose is None:
                word = target[t] if t < len(target) else BOUNDARY
            else:
                number = choose(log_probs[row], rng)
                word = BOUNDARY if number == Vocabulary.boundary else vocabs[row].words[number]
            words[row] = Vocabulary.boundary if word == BOUNDARY else vocabs[row].encode([word])[0]
            if word == BOUNDARY or not truths[row].read(word):
                open_rows.remove(row)
        if not open_rows:
            break


def count(positions: Positions, t: int, true: Mapping[int, float], log_probs: np.ndarray) -> None:
    """Add one prediction. true: P(next word id) to the grammar; log_probs: the model's, (V,)."""
    positions.possible[t] += 1
    positions.wrong[t] += int(log_probs.argmax()) not in true
    positions.excess[t] += sum(p * (np.log(p) - log_probs[number]) for number, p in true.items())


def table(positions: Mapping[str, Positions], rows: int = SHOWN) -> list[str]:
    """The measurements as lines, position by position, and what they say about whole sentences."""
    lines = [
        "".join([f"{'position':>8}", *(f"{name + ':':>12}{'left':>6}{'wrong':>8}{'excess':>8}" for name in positions)])
    ]
    by_prefix = positions.values()
    for t in range(min(rows, max(len(by.possible) for by in by_prefix))):
        cells = (f"{by.possible[t]:18.0f}{by.error_rate[t]:8.2%}{by.mean_excess[t]:8.3f}" for by in by_prefix)
        lines.append(f"{t + 1:8}" + "".join(cells))
    sums = (f"{by.possible.sum():18.0f}{by.wrong.sum() / by.possible.sum():8.2%}"
            f"{by.excess.sum() / by.possible.sum():8.3f}" for by in by_prefix)  # fmt: skip
    return [*lines, f"{'all':>8}" + "".join(sums)]


def parse() -> argparse.Namespace:
    parser = OneLineParser(
        description="Measure exposure bias on dev: errors after the model's own words and after the reference's."
    )
    run_argument(parser)
    parser.add_argument("--sentences", type=int, default=200, metavar="N", help="sentences of dev (default: 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the sampled words (default: 1)")
    device_arguments(parser)
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.sentences < 1:
        raise UserError(f"--sentences {arguments.sentences}: must be at least 1")
    if arguments.seed < 0:
        raise UserError(f"--seed {arguments.seed}: cannot be negative")
    return arguments


@exits_cleanly
def main() -> None:
    arguments = parse()
    folder = arguments.run or latest_run(CHAPTER, "model.npz")
    model, settings = load_run(folder)
    if not hasattr(model, "source_vocab"):
        raise UserError(f"{folder}: its model does not translate; give a run of chapter 7 to 10")
    if settings.subwords:
        raise UserError(f"{folder}: this model writes pieces of words, the grammar whole words; choose another run")
    corpus = load_pairs(settings.corpus)
    truth, pairs = truth_of(corpus.name, corpus.facts), corpus.dev[: arguments.sentences]
    measurements = {}
    for prefixes in PREFIXES:
        measurements[prefixes] = measure(model, truth, pairs, prefixes, np.random.default_rng(arguments.seed))
    print(f"{model.name}; the first {counted(len(pairs), 'sentence')} of dev")
    print("left: sentences whose words so far the grammar allows; wrong: the most probable next word is impossible;")
    print("excess: nats by which the model's distribution of the next word misses the true one")
    print("\n".join(table(measurements)))


if __name__ == "__main__":
    main()
