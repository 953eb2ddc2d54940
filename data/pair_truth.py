"""The truth about a corpus of pairs: what a target costs, given its source, under the grammar that wrote both.

It is the best on average over texts: no model has a lower expected cost. The derivations of a source sentence are found
first; everything else follows from them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from common.errors import UserError
from data.grammar import END, Grammar, Nonterminal, Word
from data.synchronous import Derivation, SynchronousGrammar

Words = Sequence[str]
NEAR = 2  # so far apart may two source words be that are rendered one after the other: an article may lie between


@dataclass(frozen=True, eq=False)
class PairTruth:
    """A synchronous grammar with its start symbol, and all that can be computed about its pairs.

    skip, back: what decides a word, otherwise local, whose source word is not the next one after that of the word
    before, but further on, or before it.
    """

    grammar: SynchronousGrammar
    start: Nonterminal
    skip: str = "reordering"
    back: str = "reordering"

    def token_log_probs(self, source: Words, target: Words) -> list[float]:
        """log P(word | source, all target words before it) in nats for each target word and `</s>`: n + 1 numbers."""
        readings, end = self._read(source, target)
        return [*(reading.log_prob for reading in readings), end]

    def log_prob(self, source: Words, target: Words) -> float:
        """log P(target | source) in nats; minus infinity if the grammar never renders the source like that."""
        return math.fsum(self.token_log_probs(source, target))

    def next_word_probs(self, source: Words, prefix: Words) -> dict[str, float]:
        """P(next word | source, prefix) for each possible target word and `</s>`; empty after an impossible prefix."""
        grammar, start = self._target_grammar(source)
        return grammar.next_word_probs(grammar.initial(start), prefix)

    def best_target(self, source: Words) -> list[str]:
        """What the most probable choices write, given the most probable derivation; of equal ones the first."""
        derivation = max(self.derivations(source), key=_prob)
        return _most_probable(derivation)[1]

    def phenomena(self, source: Words, target: Words) -> list[str]:
        """What decides each target word, given the source and the target words before it.

        "choice": nothing does, the grammar has several words for this place; only these words cost the oracle anything.
        Else what the rule says that writes the word, or, if that is "local", `skip` or `back` where the order of the
        words changes. Raises `UserError` for a pair that the grammar cannot say.
        """
        return self.phenomena_and_log_probs(source, target)[0]

    def phenomena_and_log_probs(self, source: Words, target: Words) -> tuple[list[str], list[float]]:
        """`phenomena` and `token_log_probs`, for which the pair is read once."""
        readings, end = self._read_possible(source, target)
        labels, last = [], -1
        for reading in readings:
            label, origin = reading.word.phenomenon, reading.word.origin
            if label == "local" and origin:
                label = self.back if origin[0] < last else self.skip if origin[0] - last > NEAR else label
            labels.append("choice" if reading.log_prob < 0 else label)
            last = origin[-1] if origin else last
        return labels, [*(reading.log_prob for reading in readings), end]

    def alignment(self, source: Words, target: Words) -> list[tuple[int, int]]:
        """Which source word (first) each target word (second) renders, both counted from 0; particles render none."""
        readings, _ = self._read_possible(source, target)
        return [(i, j) for j, reading in enumerate(readings) for i in reading.word.origin]

    def tree(self, source: Words) -> str:
        """The source as a binary tree: `( the ( old miller ) )`, all tokens apart by blanks."""
        return bracketed(max(self.derivations(source), key=_prob))

    def derivations(self, source: Words) -> list[Derivation]:
        """Every derivation of the source. Raises `UserError` if there is none."""
        derivations = self.grammar.derivations(self.start, source)
        if not derivations:
            raise UserError(f"the grammar does not allow the source sentence: {' '.join(source)}")
        return derivations

    def _target_grammar(self, source: Words) -> tuple[Grammar, Nonterminal]:
        return target_grammar(self.derivations(source))

    def _read(self, source: Words, target: Words) -> tuple[list[Reading], float]:
        return read_target(*self._target_grammar(source), target)

    def _read_possible(self, source: Words, target: Words) -> tuple[list[Reading], float]:
        readings, end = self._read(source, target)
        for number, reading in enumerate(readings, start=1):
            if reading.log_prob == -math.inf:
                pair = f"{' '.join(source)} ||| {' '.join(target)}"
                raise UserError(f"the grammar does not allow target word {number}, {reading.word.text!r}, in: {pair}")
        return readings, end


class Reading(NamedTuple):
    """One target word as the oracle reads it: log P(word | source, words before it) in nats, and what wrote it."""

    log_prob: float
    word: Word


def target_grammar(derivations: Sequence[Derivation]) -> tuple[Grammar, Nonterminal]:
    """The grammar, with its start symbol, of the targets of a source sentence that has these derivations."""
    grammar = Grammar()

    @grammar.rule
    def render(derivation: Derivation) -> list[tuple]:
        return [
            (prob, *(render(derivation.children[item]) if isinstance(item, int) else item for item in side))
            for prob, side in derivation.targets()
        ]

    @grammar.rule
    def translation() -> list[tuple]:
        return [(derivation.prob, render(derivation)) for derivation in derivations]

    return grammar, translation()


def read_target(grammar: Grammar, start: Nonterminal, target: Sequence[str]) -> tuple[list[Reading], float]:
    """Read a target sentence: each word, and log P(`</s>`). The log P of an impossible one is minus infinity.

    Where several ways of writing a word are left, the one that is most probable given the words up to here counts.
    """
    states = grammar.initial(start)
    readings = []
    for text in target:
        ways = grammar.transitions(states, text)
        best = max(ways, key=lambda way: way[0], default=(0.0, Word(text), None))[1]
        prob, states = grammar.after(ways)
        readings.append(Reading(_log(prob), best))
    return readings, _log(grammar.end_prob(states))


def _log(prob: float) -> float:
    """log of a probability; exactly 0 for one that is 1 but for rounding."""
    return 0.0 if abs(prob - 1.0) < 1e-12 else math.log(prob) if prob > 0 else -math.inf


def bracketed(derivation: Derivation) -> str:
    """The source side as a binary tree: a rule with more than two parts is cut into the first and the rest."""
    parts = [part if isinstance(part, str) else bracketed(part) for part in derivation.parts()]
    tree = parts.pop()
    while parts:
        tree = f"( {parts.pop()} {tree} )"
    return tree


def _prob(derivation: Derivation) -> float:
    return derivation.prob


def _most_probable(derivation: Derivation) -> tuple[float, list[str]]:
    """The most probable target of a derivation, with its probability; of equals the first."""
    children = [_most_probable(child) for child in derivation.children]
    best: tuple[float, list[str]] = (-1.0, [])
    for prob, side in derivation.targets():
        words: list[str] = []
        for item in side:
            if isinstance(item, int):
                prob *= children[item][0]
                words += children[item][1]
            else:
                words.append(item.text)
        best = max(best, (prob, words), key=lambda candidate: candidate[0])
    return best


def label_table(truth: PairTruth, pairs: Sequence[tuple[Words, Words]]) -> dict[str, dict[str, float]]:
    """For each phenomenon its share of the target words (`</s>` included), and nats each for the oracle."""
    counts: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    for source, target in pairs:
        labels, log_probs = truth.phenomena_and_log_probs(source, target)
        for label, log_prob in zip([*labels, END], log_probs, strict=True):
            counts[label] += 1
            costs[label] -= log_prob
    return {
        label: {"share": round(count / counts.total(), 6), "nats": round(costs[label] / count, 6)}
        for label, count in counts.most_common()
    }
