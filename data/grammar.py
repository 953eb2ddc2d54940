"""Probabilistic grammars whose truth is known: draw sentences, and say exactly how probable one is.

A grammar is a context-free grammar with two additions. Its nonterminals carry attributes (topic, gender, number)
and are expanded only when they are reached, so that a few rules replace many thousands. And it has registers:
`New` writes a name that is drawn from a list into a register, `Recall` writes that name again.

A sentence is produced from left to right with a stack of symbols that are still to be expanded. What is known of a
prefix is therefore a distribution over states (stack, registers), and reading one more word turns it into the next:
the forward algorithm of hidden Markov models, with stacks in place of hidden states. It needs rules without left
recursion and gives the probability of each word given *all* words before it, summed over every derivation.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from itertools import accumulate
from random import Random
from typing import NamedTuple

END = "</s>"
SHARED = 2
"""So many first words are common to many sentences: what they lead to is kept, as it is long to compute."""


class Word(NamedTuple):
    """A terminal: a word, the phenomenon that decides it here, and in a translation the source words it renders."""

    text: str
    phenomenon: str = "local"
    origin: tuple[int, ...] = ()


class New(NamedTuple):
    """A terminal: a name of the given kind that no register holds yet, drawn and kept in `register`."""

    register: str
    kind: str


class Recall(NamedTuple):
    """A terminal: the name that `register` holds."""

    register: str


@dataclass(frozen=True, eq=False)
class Nonterminal:
    """A symbol that the rule of this name expands, given the attributes.

    A grammar makes each only once, so that they can be compared, and found in dictionaries, by identity: fast.
    """

    rule: str
    attributes: tuple[Hashable, ...]


Symbol = Word | New | Recall | Nonterminal
Stack = tuple[Symbol, ...]
Registers = tuple[tuple[str, str], ...]  # (register, name) in the order of writing
State = tuple[Stack, Registers]


class Alternative(NamedTuple):
    """One way to begin a symbol: with `terminal`, leaving `rest` to be expanded."""

    prob: float
    terminal: Word | New | Recall
    rest: Stack


class Beginnings(NamedTuple):
    """All ways in which a symbol can begin, by first word (or `New`, `Recall`), and how probable it is empty."""

    by_terminal: dict[Hashable, list[Alternative]]
    empty_prob: float


def symbols(parts: Iterable[Symbol | str]) -> Stack:
    """Turn the right-hand side of a rule into symbols: a string becomes one `Word` per space-separated token."""
    result: list[Symbol] = []
    for part in parts:
        result.extend(map(Word, part.split()) if isinstance(part, str) else [part])
    return tuple(result)


class Rules:
    """Named rules that expand nonterminals: each is a function that gives, for its attributes, the alternatives."""

    def __init__(self) -> None:
        self._rules: dict[str, Callable[..., list[tuple]]] = {}

    def rule(self, function: Callable[..., list[tuple]]) -> Callable[..., Nonterminal]:
        """Decorator: from now on the name of the rule makes its nonterminal, for use in other rules."""
        self._rules[function.__name__] = function
        return wraps(function)(cache(lambda *attributes: Nonterminal(function.__name__, attributes)))

    def written(self, symbol: Nonterminal) -> list[tuple]:
        """The alternatives of a symbol, as its rule gives them."""
        return self._rules[symbol.rule](*symbol.attributes)


class Grammar(Rules):
    """A set of rules, whose alternatives are `(weight, symbol or text, ...)`, and of name lists.

    names: for each kind of name, its names and their weights; no name may belong to two kinds.
    """

    def __init__(self, names: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.names = {kind: _normalised(weights) for kind, weights in (names or {}).items()}
        self.kind_of = {name: kind for kind, probs in self.names.items() for name in probs}
        if len(self.kind_of) != sum(len(probs) for probs in self.names.values()):
            raise ValueError("a name belongs to two kinds")
        super().__init__()
        self._expansions: dict[Nonterminal, tuple[list[float], list[Stack]]] = {}
        self._beginnings: dict[Symbol, Beginnings] = {}
        self._begun: dict[tuple[Nonterminal, tuple[str, ...]], tuple[float, dict[State, float]]] = {}
        self._name_lists = {kind: (list(accumulate(probs.values())), list(probs)) for kind, probs in self.names.items()}

    def with_names(self, names: Mapping[str, Mapping[str, float]]) -> Grammar:
        """The same rules with other names."""
        other = Grammar(names)
        other._rules = self._rules
        return other

    def expand(self, symbol: Nonterminal) -> list[tuple[float, Stack]]:
        """The right-hand sides of `symbol` with their probabilities, which sum to one."""
        probs, right_sides = self._expansion(symbol)
        return list(zip(probs, right_sides, strict=True))

    def _expansion(self, symbol: Nonterminal) -> tuple[list[float], list[Stack]]:
        expansion = self._expansions.get(symbol)
        if expansion is None:
            alternatives = self.written(symbol)
            total = math.fsum(weight for weight, *_ in alternatives)
            expansion = [weight / total for weight, *_ in alternatives], [symbols(parts) for _, *parts in alternatives]
            self._expansions[symbol] = expansion
        return expansion

    # Sampling

    def sampler(self, start: Nonterminal, seed: int) -> Callable[..., list[str]]:
        """A function that draws one sentence a call, all of them from one generator; its argument, if any: registers.

        Only `Random.random()` is used, whose sequence Python promises to keep for ever.
        """
        random = Random(seed).random
        cumulative: dict[Nonterminal, tuple[list[float], list[Stack]]] = {}

        def choose(symbol: Nonterminal) -> Stack:
            if symbol not in cumulative:
                probs, right_sides = self._expansion(symbol)
                cumulative[symbol] = list(accumulate(probs))[:-1], [right[::-1] for right in right_sides]
            bounds, right_sides = cumulative[symbol]
            return right_sides[bisect_right(bounds, random())]

        def sample(registers: Registers = ()) -> list[str]:
            words: list[str] = []
            names: dict[str, str] = dict(registers)
            stack: list[Symbol] = [start]
            while stack:
                symbol = stack.pop()
                if isinstance(symbol, Nonterminal):
                    stack.extend(choose(symbol))
                elif isinstance(symbol, Word):
                    words.append(symbol.text)
                elif isinstance(symbol, Recall):
                    words.append(names[symbol.register])
                else:
                    names[symbol.register] = self._draw_name(symbol.kind, names, random)
                    words.append(names[symbol.register])
            return words

        return sample

    def _draw_name(self, kind: str, by_register: dict[str, str], random: Callable[[], float]) -> str:
        bounds, names = self._name_lists[kind]
        if len(by_register) >= len(names) and not set(names) - set(by_register.values()):
            raise ValueError(f"every name of kind {kind!r} is taken already: {', '.join(names)}")
        while True:  # names that are taken already are drawn again: that divides by `1 - their probability`
            name = names[bisect_right(bounds, random(), hi=len(names) - 1)]
            if name not in by_register.values():
                return name

    # The exact distribution

    def token_log_probs(self, start: Nonterminal, sentence: Sequence[str]) -> list[float]:
        """log P(word | all words before it) for each word and for `</s>`: n + 1 numbers in nats.

        Their sum is the log-probability of the sentence. That of an impossible word is minus infinity, and so is
        everything after it.
        """
        states = self.initial(start)
        log_probs = []
        for place, word in enumerate(sentence):
            if place < SHARED:
                prob, states = self._begin(start, tuple(sentence[: place + 1]), states)
            else:
                prob, states = self.advance(states, word)
            log_probs.append(math.log(prob) if prob > 0 else -math.inf)
        end = self.end_prob(states)
        return [*log_probs, math.log(end) if end > 0 else -math.inf]

    def _begin(
        self, start: Nonterminal, words: tuple[str, ...], before: dict[State, float]
    ) -> tuple[float, dict[State, float]]:
        """`advance` by the last of the first words of a sentence; `before`: the states that those before it led to."""
        states = self._begun.get((start, words))
        if states is None:
            states = self._begun[start, words] = self.advance(before, words[-1])
        return states

    def log_prob(self, start: Nonterminal, sentence: Sequence[str]) -> float:
        """log P(sentence), in nats."""
        return math.fsum(self.token_log_probs(start, sentence))

    def next_words(self, states: dict[State, float]) -> dict[str, float]:
        """P(next word | prefix) for each possible word and `</s>`, given the states that the prefix led to."""
        probs: defaultdict[str, float] = defaultdict(float)
        for (stack, registers), state_prob in states.items():
            for prob, terminal, _ in self._all_beginnings(stack):
                if isinstance(terminal, Word):
                    probs[terminal.text] += state_prob * prob
                elif isinstance(terminal, Recall):
                    probs[dict(registers)[terminal.register]] += state_prob * prob
                else:
                    for name in self.names[terminal.kind]:
                        probs[name] += state_prob * prob * self._name_prob(name, registers)
        probs[END] += self.end_prob(states)
        return {word: prob for word, prob in probs.items() if prob > 0}

    def next_word_probs(self, states: dict[State, float], prefix: Sequence[str]) -> dict[str, float]:
        """As `next_words`, of the states that reading `prefix` leads to; empty where it cannot be read."""
        for word in prefix:
            _, states = self.advance(states, word)
        return self.next_words(states) if states else {}

    def initial(self, start: Nonterminal, registers: Registers = ()) -> dict[State, float]:
        """The distribution over states before the first word; registers: what they hold already."""
        return {((start,), registers): 1.0}

    def advance(self, states: dict[State, float], word: str) -> tuple[float, dict[State, float]]:
        """Read `word`: its probability given the prefix, and the distribution over states after it."""
        return self.after(self.transitions(states, word))

    def after(self, transitions: Iterable[tuple[float, Word, State]]) -> tuple[float, dict[State, float]]:
        """The probability of all these transitions, and the distribution over states after them."""
        following: defaultdict[State, float] = defaultdict(float)
        for prob, _, state in transitions:
            following[state] += prob
        total = math.fsum(following.values())
        return total, {state: prob / total for state, prob in following.items()}

    def transitions(self, states: dict[State, float], word: str) -> list[tuple[float, Word, State]]:
        """Every way to read `word`: its probability, the terminal that writes it, and the state after it."""
        arcs, is_name = [], word in self.kind_of
        for (stack, registers), state_prob in states.items():
            names = self._name_keys(word, registers) if is_name else ()
            for prob, beginnings, below in self._openings(stack):
                prob *= state_prob
                for step_prob, terminal, rest in beginnings.get(word, ()):
                    arcs.append((prob * step_prob, terminal, (rest + below, registers)))
                for key, name_prob, phenomenon in names:
                    for step_prob, terminal, rest in beginnings.get(key, ()):
                        extended = {**dict(registers), terminal.register: word}
                        state = (rest + below, tuple(extended.items()))
                        arcs.append((prob * step_prob * name_prob, Word(word, phenomenon), state))
        return arcs

    def end_prob(self, states: dict[State, float]) -> float:
        """P(`</s>` | prefix)."""
        return math.fsum(
            prob * math.prod(self.beginnings(symbol).empty_prob for symbol in stack)
            for (stack, _), prob in states.items()
        )

    def beginnings(self, symbol: Symbol) -> Beginnings:
        """All ways in which `symbol` can begin."""
        beginnings = self._beginnings.get(symbol)
        if beginnings is None:
            beginnings = self._expanded_beginnings(symbol) if isinstance(symbol, Nonterminal) else _terminal(symbol)
            self._beginnings[symbol] = beginnings
        return beginnings

    def _expanded_beginnings(self, symbol: Nonterminal) -> Beginnings:
        ways: defaultdict[tuple[Symbol, Stack], float] = defaultdict(float)
        empty_prob = 0.0
        for prob, right_side in self.expand(symbol):
            for step_prob, terminal, rest in self._all_beginnings(right_side):
                ways[terminal, rest] += prob * step_prob
            empty_prob += prob * math.prod(self.beginnings(part).empty_prob for part in right_side)
        by_terminal: defaultdict[Hashable, list[Alternative]] = defaultdict(list)
        for (terminal, rest), prob in ways.items():
            by_terminal[_key(terminal)].append(Alternative(prob, terminal, rest))
        return Beginnings(dict(by_terminal), empty_prob)

    def _all_beginnings(self, stack: Stack) -> Iterable[Alternative]:
        for prob, beginnings, below in self._openings(stack):
            for alternatives in beginnings.values():
                for alternative in alternatives:
                    yield Alternative(prob * alternative.prob, alternative.terminal, alternative.rest + below)

    def _openings(self, stack: Stack) -> Iterable[tuple[float, dict[Hashable, list[Alternative]], Stack]]:
        """The symbols of the stack that may supply the next word: all before the first that is never empty."""
        prob, cache = 1.0, self._beginnings
        for depth, symbol in enumerate(stack, start=1):
            by_terminal, empty_prob = cache.get(symbol) or self.beginnings(symbol)
            yield prob, by_terminal, stack[depth:]
            prob *= empty_prob
            if prob == 0.0:
                return

    def _name_keys(self, name: str, registers: Registers) -> list[tuple[Hashable, float, str]]:
        """The terminals that can write `name`, by their key, with its probability there."""
        recalls = [(Recall(register), 1.0, "recall") for register, value in registers if value == name]
        name_prob = self._name_prob(name, registers)
        return [*recalls, (_key(New("", self.kind_of[name])), name_prob, "name")] if name_prob > 0 else recalls

    def _name_prob(self, name: str, registers: Registers) -> float:
        probs = self.names[self.kind_of[name]]
        used = [other for _, other in registers]
        if name in used:
            return 0.0
        return probs[name] / (1.0 - math.fsum(probs.get(other, 0.0) for other in used))


def _key(terminal: Word | New | Recall) -> Hashable:
    """What a terminal is found by: its word, its register, or the kind of name that it draws."""
    if isinstance(terminal, Word):
        return terminal.text
    return New("", terminal.kind) if isinstance(terminal, New) else terminal


def _terminal(symbol: Word | New | Recall) -> Beginnings:
    return Beginnings({_key(symbol): [Alternative(1.0, symbol, ())]}, 0.0)


def _normalised(weights: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(weights.values())
    return {word: weight / total for word, weight in weights.items()}
