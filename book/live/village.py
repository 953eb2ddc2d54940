"""The village grammar as data for the page: every nonterminal that its start symbol reaches, with its alternatives.

Symbols are numbers: first the words, then the terminals that write names, then the nonterminals. Alternatives with the
same probabilities share one list of them; words that differ only in their phenomenon are one symbol.
"""

from __future__ import annotations

from data.grammar import Grammar, New, Nonterminal, Recall, Symbol, Word


def grammar_data(grammar: Grammar, start: Nonterminal) -> dict:
    """words: texts. names: by kind, the names and their probabilities. slots: terminals that write names.

    probs: lists of probabilities. rules: for each nonterminal the number of such a list, and as many right-hand sides,
    lists of symbols. start: the number of the start symbol.
    """
    expansions = reachable(grammar, start)
    used = {symbol for expansion in expansions.values() for _, right in expansion for symbol in right}
    words = sorted({symbol.text for symbol in used if isinstance(symbol, Word)})
    slots = sorted((symbol for symbol in used if isinstance(symbol, (New, Recall))), key=repr)
    terminals = {name: number for number, name in enumerate([*words, *slots])}
    numbers = terminals | {symbol: len(terminals) + place for place, symbol in enumerate(expansions)}
    probs: dict[tuple[float, ...], int] = {}
    rules = []
    for expansion in expansions.values():
        shared = probs.setdefault(tuple(prob for prob, _ in expansion), len(probs))
        rules.append([shared, *([numbers[key(symbol)] for symbol in right] for _, right in expansion)])
    return {
        "words": words,
        "names": {kind: [list(weights), list(weights.values())] for kind, weights in grammar.names.items()},
        "slots": [[type(slot).__name__, *slot] for slot in slots],
        "probs": list(map(list, probs)),
        "rules": rules,
        "start": numbers[start],
    }


def reachable(grammar: Grammar, start: Nonterminal) -> dict[Nonterminal, list]:
    """The expansion of each nonterminal that a derivation from `start` can meet, in the order of a search in depth."""
    expansions: dict[Nonterminal, list] = {}
    waiting: list[Symbol] = [start]
    while waiting:
        symbol = waiting.pop()
        if isinstance(symbol, Nonterminal) and symbol not in expansions:
            expansions[symbol] = grammar.expand(symbol)
            waiting.extend(part for _, right in expansions[symbol] for part in right)
    return expansions


def key(symbol: Symbol) -> Symbol | str:
    """What a symbol's number is found by: of a word its text alone."""
    return symbol.text if isinstance(symbol, Word) else symbol
