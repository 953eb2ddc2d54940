"""The phrases of the pairs: words, people, things, places, each in English and in Veldran.

Attributes: `agreement` is "e" or "o" (singular; the light or the dark gender of Veldran) or "p" (plural), of which
English shows only the number; `owner` is that of whoever `her` may refer to. `base` requests the plain form of an
English verb (`does mira read`), which in Veldran agrees with its subject all the same. A verb takes things of its
`kind`.

The particles: `na` marks a definite object, `ri` an owner, `li` a receiver, `sem` company, `tuk` a tool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data import pairs_lexicon as lexicon
from data.grammar import Nonterminal
from data.pairs_lexicon import KINDS, veldran
from data.synchronous import SynchronousGrammar
from data.veldran import inflect
from data.village_lexicon import MASS, plural, third_person
from data.village_phrases import article, falling

pairs = SynchronousGrammar()
rule = pairs.rule

SINGULAR, AGREEMENTS = "eo", "eop"
POSSESSIVE = {"e": "her", "o": "his", "p": "their"}
NAME_OFFSET = 150  # the larger, the more names are rare


def words_and_names(rule: Callable[..., Any]) -> tuple[Callable[..., Nonterminal], ...]:
    """The rules `word`, `name` and `any_name` of a grammar, which `rule` adds to it."""

    @rule
    def word(english: str, target: str) -> list[tuple]:
        """One word for another, so that they are aligned."""
        return [(1, english, target)]

    @rule
    def name(agreement: str) -> list[tuple]:
        """The name of a woman ("e") or a man ("o"), carried over as it is."""
        ranked = enumerate(lexicon.names_of(agreement))
        return [(1 / ((rank + NAME_OFFSET) * (rank + NAME_OFFSET)), name, f"{name}/name") for rank, name in ranked]

    @rule
    def any_name() -> list[tuple]:
        """Anybody's name."""
        return [(1, [name(agreement)], "0") for agreement in SINGULAR]

    return word, name, any_name


word, name, any_name = words_and_names(rule)


# Words


def idiom_or(phenomenon: str, phrase: str) -> str:
    """A phrase of several words is an idiom, whatever decides single words in its place."""
    return "idiom" if " " in phrase else phenomenon


@rule
def plain(kind: str, *phrases: str) -> list[tuple]:
    """A word or phrase that is not inflected."""
    ranked = falling(list(phrases))
    return [(w, phrase, veldran(kind, phrase, phenomenon=idiom_or("local", phrase))) for w, phrase in ranked]


@rule
def verb(phrases: tuple[str, ...], context: str, agreement: str, base: bool = False) -> list[tuple]:
    """One of the verbs; agreement "i" requests the infinitive."""
    return [
        (weight, english_verb(phrase, agreement, base), target_verb(phrase, context, agreement))
        for weight, phrase in falling(list(phrases))
    ]


def english_verb(phrase: str, agreement: str, base: bool) -> str:
    """`look after` or `looks after`."""
    first, *rest = phrase.split()
    return " ".join([third_person(first) if agreement in SINGULAR and not base else first, *rest])


def target_verb(phrase: str, context: str, agreement: str) -> dict[str, float]:
    """The verb in Veldran: one word, or a noun with the light verb."""
    if phrase in lexicon.LIGHT_VERBS:
        light = inflect("verb", lexicon.LIGHT, agreement)
        return {f"{noun} {light}/idiom": w for noun, w in veldran("noun", phrase, phenomenon="idiom").items()}
    sense, phenomenon = lexicon.meaning(phrase, context, "verb")
    decided = "agreement" if phenomenon == "local" and agreement != "i" else phenomenon
    return veldran("verb", sense, agreement, idiom_or(decided, phrase))


@rule
def be(agreement: str) -> list[tuple]:
    """`is` or `are`; Veldran has one form for one and another for many."""
    return [(1, "are", "ven/agreement") if agreement == "p" else (1, "is", "ve/agreement")]


# Nouns and adjectives


def nouns(kind: str, agreement: str) -> list[tuple[float, str]]:
    """The nouns of a kind that have this agreement, with their weights."""
    words = {"person": lexicon.PEOPLE, "animal": lexicon.ANIMALS}.get(kind) or lexicon.nouns_of(kind)
    if agreement == "p":
        return falling([*words, *lexicon.GROUPS] if kind == "person" else words)
    return [(weight, word) for weight, word in falling(words) if lexicon.noun_gender(word, kind) == agreement]


def adjectives(kind: str) -> list[tuple[float, str]]:
    """The adjectives for things of a kind, or for people, with their weights."""
    return falling(lexicon.PERSON_ADJECTIVES if kind == "person" else lexicon.adjectives_of(kind))


def agreements(kind: str) -> list[tuple[float, str]]:
    """The agreements that the nouns of a kind can have, with weights: as many in the singular as in the plural."""
    weights = {gender: sum(weight for weight, _ in nouns(kind, gender)) for gender in ("eo" if kind in MASS else "eop")}
    return [(weight, gender) for gender, weight in weights.items() if weight]


@rule
def noun(kind: str, agreement: str, initial: str = "") -> list[tuple]:
    """A noun. initial: "a" or "an", where only those will do that may follow it."""
    return [
        (weight, english_noun(word, agreement), target_noun(word, kind, agreement))
        for weight, word in nouns(kind, agreement)
        if initial in ("", article(word))
    ]


def english_noun(noun: str, agreement: str) -> str:
    """The noun in its number; groups of people are plural already."""
    return plural(noun) if agreement == "p" and noun not in lexicon.GROUPS else noun


def target_noun(english: str, kind: str, agreement: str) -> dict[str, float] | str:
    """The noun in Veldran: one word, or a compound of two."""
    if english in lexicon.COMPOUNDS:
        first, last = (lexicon.stems()["noun", part] for part in lexicon.COMPOUNDS[english].split())
        return f"{first}/idiom {inflect('noun', last, agreement)}/idiom"
    sense, phenomenon = lexicon.meaning(english, kind, "noun")
    return veldran("noun", sense, agreement, phenomenon)


@rule
def adjective(kind: str, agreement: str, initial: str = "") -> list[tuple]:
    """An adjective that suits the kind, and agrees in Veldran. initial: as for nouns."""
    fitting = [(weight, word) for weight, word in adjectives(kind) if initial in ("", article(word))]
    return [target_adjective(weight, word, kind, agreement) for weight, word in fitting]


@rule
def state(words: tuple[str, ...], agreement: str) -> list[tuple]:
    """What somebody or an animal is: `tired`."""
    return [target_adjective(weight, word, "person", agreement) for weight, word in falling(list(words))]


def target_adjective(weight: float, english: str, kind: str, agreement: str) -> tuple:
    """The rule for an adjective."""
    sense, phenomenon = lexicon.meaning(english, "person" if kind == "person" else "thing", "adjective")
    return weight, english, veldran("adjective", sense, agreement, "agreement" if phenomenon == "local" else phenomenon)


@rule
def noun_phrase(kind: str, agreement: str) -> list[tuple]:
    """A noun, at times with an adjective."""
    return [
        (3, [noun(kind, agreement)], "0"),
        (2, [adjective(kind, agreement), noun(kind, agreement)], "0 1"),
    ]


@rule
def indefinite(kind: str, agreement: str) -> list[tuple]:
    """`a horse`, `an old horse`: nothing in Veldran says that it is any horse."""
    rules = []
    for initial in ("a", "an"):
        weight = sum(w for w, word in nouns(kind, agreement) if article(word) == initial)
        if weight:
            rules.append((weight, [initial, noun(kind, agreement, initial)], "0"))
        weight = sum(w for w, word in adjectives(kind) if article(word) == initial)
        if weight:
            rules.append((weight, [initial, adjective(kind, agreement, initial), noun(kind, agreement)], "0 1"))
    return rules


# Things, people, places, times


@rule
def thing(kind: str, owner: str) -> list[tuple]:
    """A thing as an object, in any number and gender."""
    return [(weight, [thing_of(kind, agreement, owner)], "0") for weight, agreement in agreements(kind)]


@rule
def thing_of(kind: str, agreement: str, owner: str) -> list[tuple]:
    """A thing as an object: `na` follows it if it is definite; its owner comes before it."""
    phrase = noun_phrase(kind, agreement)
    definite = [
        (3, ["the", phrase], "0 na/case"),
        (2, [word(POSSESSIVE[owner], "sen"), phrase], "0 1 na/case"),
        (1, ["the", phrase, word("of", "ri/case"), any_name()], "2 1 0 na/case"),
    ]
    if kind in MASS:
        return [*definite, (1, [plain("adverb", "some"), phrase], "0 1")]
    if agreement == "p":
        count = plain("adverb", "two", "three", "four", "many", "several")
        return [*definite, (2, [phrase], "0"), (2, [count, phrase], "0 1")]
    return [
        *definite,
        (1, [plain("adverb", "this", "that"), phrase], "0 1 na/case"),
        (3, [indefinite(kind, agreement)], "0"),
        (1, [plain("adverb", "every", "another"), phrase], "0 1"),
    ]


@rule
def any_thing(owner: str) -> list[tuple]:
    """A thing of any kind."""
    return [(1, [thing(kind, owner)], "0") for kind in KINDS]


@rule
def person(agreement: str) -> list[tuple]:
    """`the girl`, `the old singers`."""
    return [
        (3, ["the", noun("person", agreement)], "0"),
        (2, ["the", adjective("person", agreement), noun("person", agreement)], "0 1"),
    ]


@rule
def somebody() -> list[tuple]:
    """A person who is not the subject, by name or not."""
    return [(3, [any_name()], "0"), *[(1, [person(agreement)], "0") for agreement in AGREEMENTS]]


@rule
def place() -> list[tuple]:
    """`behind the barn`: the barn, then behind."""
    return [(1, [plain("postposition", *lexicon.PREPOSITIONS), "the", plain("noun", *lexicon.PLACES)], "1 0")]


@rule
def time() -> list[tuple]:
    """When, in words that belong together."""
    return [(1, [plain("adverb", *lexicon.TIMES)], "0")]


@rule
def company_or_tool() -> list[tuple]:
    """`with` has two translations: whether somebody or something follows decides."""
    return [
        (1, [word("with", "sem/ambiguity"), somebody()], "1 0"),
        (1, [word("with", "tuk/ambiguity"), "the", plain("noun", *lexicon.TOOLS)], "1 0"),
        (1, [word("with", "tuk/ambiguity"), "a", plain("noun", *lexicon.TOOLS)], "1 0"),
    ]
