"""Synchronous grammars: two sentences are derived together, and P(target | source) is known exactly.

Each rule rewrites a symbol on both sides at once: `(weight, source side, target side)`. The source side is a list of
words and symbols; the target side is a string in which the number i means the i-th symbol of the source side
(from 0) and anything else for a word of the target language, `word/phenomenon` where something other than its source
word decides it. A dictionary of such strings with weights means free choice, and a symbol whose number is missing
is dropped.

Given the source, only its derivations are left (in a good grammar one, seldom two). Each of them, read with the target
sides of its rules, is an ordinary grammar whose sentences are the possible targets: see `data.pair_truth`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from data.grammar import Nonterminal, Rules, Word

TargetSide = tuple[int | Word, ...]


@dataclass(frozen=True, eq=False)
class Rule:
    """One way to rewrite a symbol: its probability, its source side, and its target sides with their probabilities."""

    prob: float
    source: tuple[str | Nonterminal, ...]
    targets: tuple[tuple[float, TargetSide], ...]

    @property
    def lexical(self) -> bool:
        """Whether the source side is words alone: such rules align words."""
        return all(isinstance(part, str) for part in self.source)


@dataclass(frozen=True, eq=False)
class Derivation:
    """A rule at work on the source words `start` to `end` (exclusive), and the derivations of its symbols, in order."""

    symbol: Nonterminal
    rule: Rule
    children: tuple[Derivation, ...]
    start: int
    end: int
    prob: float

    def parts(self) -> Iterator[str | Derivation]:
        """The source side: words, and the derivations in place of the symbols."""
        children = iter(self.children)
        for part in self.rule.source:
            yield part if isinstance(part, str) else next(children)

    def source(self) -> list[str]:
        """The source sentence."""
        return [word for part in self.parts() for word in ([part] if isinstance(part, str) else part.source())]

    def targets(self) -> list[tuple[float, TargetSide]]:
        """The target sides, in which every word of a lexical rule knows the source words that it renders."""
        if not self.rule.lexical:
            return list(self.rule.targets)
        origin = tuple(range(self.start, self.end))
        return [
            (prob, tuple(word._replace(origin=origin) for word in side if isinstance(word, Word)))
            for prob, side in self.rule.targets
        ]


class SynchronousGrammar(Rules):
    """A set of rules for both sides, whose alternatives are `(weight, source side, target side)`.

    Source sides are never empty and never begin with the symbol they rewrite.
    """

    def __init__(self) -> None:
        super().__init__()
        self._expansions: dict[Nonterminal, list[Rule]] = {}
        self._openings: dict[Nonterminal, dict[str, list[Rule]]] = {}
        self._bounds: dict[Nonterminal, list[float]] = {}

    def expand(self, symbol: Nonterminal) -> list[Rule]:
        """The rules of `symbol`, whose probabilities sum to one."""
        if symbol not in self._expansions:
            written = self.written(symbol)
            total = math.fsum(weight for weight, _, _ in written)
            rules = [Rule(weight / total, _source(source), _targets(side)) for weight, source, side in written]
            for rule in rules:
                _check(symbol.rule, rule)
            self._expansions[symbol] = rules
        return self._expansions[symbol]

    # Sampling

    def draw(self, symbol: Nonterminal, random: Callable[[], float], start: int = 0) -> Derivation:
        """Draw a derivation of the source side. random: gives numbers from [0, 1), like `Random(seed).random`."""
        rules = self.expand(symbol)
        if symbol not in self._bounds:
            self._bounds[symbol] = list(accumulate(rule.prob for rule in rules))[:-1]
        rule = rules[bisect_right(self._bounds[symbol], random())]
        children: list[Derivation] = []
        end = start
        for part in rule.source:
            if isinstance(part, str):
                end += 1
            else:
                children.append(self.draw(part, random, end))
                end = children[-1].end
        return _derivation(symbol, rule, tuple(children), start, end)

    def draw_target(self, derivation: Derivation, random: Callable[[], float]) -> list[Word]:
        """Draw the target side of a derivation: words that know their phenomenon and the source words they render."""
        targets = derivation.targets()
        choice = 0
        if len(targets) > 1:
            choice = bisect_right(list(accumulate(prob for prob, _ in targets))[:-1], random())
        words: list[Word] = []
        for item in targets[choice][1]:
            words.extend(self.draw_target(derivation.children[item], random) if isinstance(item, int) else [item])
        return words

    def sampler(self, start: Nonterminal, seed: int) -> Callable[[], tuple[Derivation, list[Word]]]:
        """A function that draws one pair a call: a derivation of its source, and its target."""
        random = Random(seed).random

        def sample() -> tuple[Derivation, list[Word]]:
            derivation = self.draw(start, random)
            return derivation, self.draw_target(derivation, random)

        return sample

    # The exact conditional distribution

    def derivations(self, start: Nonterminal, source: Sequence[str]) -> list[Derivation]:
        """Every derivation of the source sentence."""
        chart: dict[tuple[Nonterminal, int], list[Derivation]] = {}

        def derive(symbol: Nonterminal, begin: int) -> list[Derivation]:
            if begin == len(source):
                return []
            if (symbol, begin) not in chart:
                chart[symbol, begin] = [
                    _derivation(symbol, rule, children, begin, end)
                    for rule in self._opening(symbol).get(source[begin], ())
                    for children, end in match(rule.source, begin)
                ]
            return chart[symbol, begin]

        def match(parts: Sequence[str | Nonterminal], begin: int) -> Iterator[tuple[tuple[Derivation, ...], int]]:
            if not parts:
                yield (), begin
            elif isinstance(parts[0], str):
                if begin < len(source) and source[begin] == parts[0]:
                    yield from match(parts[1:], begin + 1)
            else:
                for first in derive(parts[0], begin):
                    for rest, end in match(parts[1:], first.end):
                        yield (first, *rest), end

        return [derivation for derivation in derive(start, 0) if derivation.end == len(source)]

    def _opening(self, symbol: Nonterminal) -> dict[str, list[Rule]]:
        """The rules of `symbol` by the source words that they can begin with."""
        if symbol not in self._openings:
            openings: defaultdict[str, list[Rule]] = defaultdict(list)
            for rule in self.expand(symbol):
                first = rule.source[0]
                for word in [first] if isinstance(first, str) else self._opening(first):
                    openings[word].append(rule)
            self._openings[symbol] = dict(openings)
        return self._openings[symbol]


def _derivation(symbol: Nonterminal, rule: Rule, children: tuple[Derivation, ...], start: int, end: int) -> Derivation:
    return Derivation(symbol, rule, children, start, end, rule.prob * math.prod(child.prob for child in children))


def _source(side: str | list[str | Nonterminal]) -> tuple[str | Nonterminal, ...]:
    parts = [side] if isinstance(side, str) else side
    return tuple(item for part in parts for item in (part.split() if isinstance(part, str) else [part]))


def _targets(sides: str | dict[str, float]) -> tuple[tuple[float, TargetSide], ...]:
    weights = {sides: 1.0} if isinstance(sides, str) else sides
    total = math.fsum(weights.values())
    return tuple((weight / total, tuple(map(_item, side.split()))) for side, weight in weights.items())


def _check(name: str, rule: Rule) -> None:
    """Raises `ValueError` where a target side has a symbol that the source side has not."""
    symbols = sum(isinstance(part, Nonterminal) for part in rule.source)
    for _, side in rule.targets:
        if any(isinstance(item, int) and item >= symbols for item in side):
            text = " ".join(str(item) if isinstance(item, int) else item.text for item in side)
            raise ValueError(
                f"{name}: the target side {text!r} does not fit, for the source side has {symbols} symbols"
            )


def _item(text: str) -> int | Word:
    """`2` is a symbol, `word` a word, `word/case` a word that the phenomenon `case` decides."""
    if text.isdigit():
        return int(text)
    word, _, phenomenon = text.partition("/")
    return Word(word, phenomenon or "local")
