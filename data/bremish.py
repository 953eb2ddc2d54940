"""Bremish, a second language of this project's own, beside Veldran: other words, and the mirror image of its order.

Each rule of Veldran's grammar (`pairs_grammar.py`) is one of Bremish, too. Within a sentence its target sides are read
backwards: the verb comes first and its subject last, adjectives and relative clauses follow their noun, and particles
precede what they mark. The order of clauses stays. Every word of Veldran is another one in Bremish, which shows by its
beginning, not by its end, what kind of word it is; names and marks of punctuation are the same in both:

    nouns       a stem;                               plural em-
    verbs       with a subject of the light gender wa-, of the dark gender wo-, plural wen-; infinitive wir-
    adjectives  with a noun of the light gender fa-, of the dark gender fo-, plural fi-
    the rest    ash- (adverbs, times, joining words), oth- (prepositions)

Since the rules are those of Veldran, a derivation of an English sentence is one for both languages, and the truth about
English and Bremish is known as exactly as that about English and Veldran.
"""

from __future__ import annotations

import dataclasses
from functools import cache

from data import pairs_lexicon as lexicon, veldran
from data.grammar import Nonterminal, Word
from data.synchronous import Derivation, Rule, SynchronousGrammar, TargetSide

PREFIXES = {
    "noun": {"e": "", "p": "em"},
    "verb": {"e": "wa", "o": "wo", "p": "wen", "i": "wir"},
    "adjective": {"e": "fa", "o": "fo", "p": "fi"},
    "adverb": {"e": "ash"},
    "postposition": {"e": "oth"},
}
"""By the kind of word and its agreement, as `veldran.inflect` knows them."""
PARTICLES = dict(
    zip(lexicon.PARTICLES, "du pe gol hul bak zu nim eb ro hei un ol olm shi shin fu fal fum mib".split(), strict=True)
)
LIGHT = "dul"
"""The stem of the light verb."""
WHOLE = ("sentence", "end")
"""Rules that put clauses and marks together, whose order is that of Veldran."""


@cache
def words() -> dict[str, str]:
    """The Bremish word for every form of Veldran but names and marks."""
    stems = lexicon.stems()
    ours = {form for (kind, _), stem in stems.items() for form in veldran.forms(kind, stem)}
    used = {*ours, *PARTICLES, *PARTICLES.values(), *lexicon.names_of("e"), *lexicon.names_of("o"), *english()}
    coined = veldran.coin_all([(kind, f"bremish {sense}") for kind, sense in stems], used)
    translations = dict(PARTICLES)
    pairs = [(kind, stem, coined[kind, f"bremish {sense}"]) for (kind, sense), stem in stems.items()]
    for kind, stem, other in [*pairs, ("verb", lexicon.LIGHT, LIGHT)]:
        for agreement, prefix in PREFIXES[kind].items():
            translations[veldran.inflect(kind, stem, agreement)] = prefix + other
    return translations


def english() -> set[str]:
    """The English words that have a meaning of their own, in their base form."""
    return {word for _, sense in lexicon.all_meanings() for word in sense.split()}


def mirrored(name: str, side: TargetSide) -> TargetSide:
    """A target side of the rule with this name, in the words and the order of Bremish."""
    ordered = side if name in WHOLE else side[::-1]
    return tuple(
        item._replace(text=words().get(item.text, item.text)) if isinstance(item, Word) else item for item in ordered
    )


@cache
def bremish_rule(name: str, rule: Rule) -> Rule:
    """A rule of Veldran's grammar with Bremish on its target side."""
    return dataclasses.replace(rule, targets=tuple((prob, mirrored(name, side)) for prob, side in rule.targets))


class Bremish(SynchronousGrammar):
    """The grammar of English and Bremish, made of that of English and Veldran."""

    def __init__(self, other: SynchronousGrammar):
        super().__init__()
        self.other = other

    def expand(self, symbol: Nonterminal) -> list[Rule]:
        """The rules of `symbol`, whose probabilities sum to one."""
        return [bremish_rule(symbol.rule, rule) for rule in self.other.expand(symbol)]


def in_bremish(derivation: Derivation) -> Derivation:
    """The derivation of the same English sentence in the grammar of Bremish."""
    rule, children = bremish_rule(derivation.symbol.rule, derivation.rule), map(in_bremish, derivation.children)
    return dataclasses.replace(derivation, rule=rule, children=tuple(children))
