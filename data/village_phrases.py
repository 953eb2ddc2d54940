"""The phrases of the village grammar: words, things, what people do, and people.

Attributes: `topic` colours a whole sentence; `number` is "sg" or "pl"; `gender` says which pronoun refers back: "f"
(she), "m" (he) or "p" (they). Names live in the registers A and B. Every rule gives weights that `Grammar` normalises.
"""

from __future__ import annotations

from data import village_lexicon as lexicon
from data.grammar import Grammar, Recall, Word
from data.village_lexicon import plural, third_person

A, B = Recall("A"), Recall("B")
SUBJECT = {"f": "she", "m": "he", "p": "they"}
OBJECT = {"f": "her", "m": "him", "p": "them"}
POSSESSIVE = {"f": "her", "m": "his", "p": "their"}
NUMBER = {"f": "sg", "m": "sg", "p": "pl"}
GENDERS = "fm"
LEAK = 0.2  # how readily another topic supplies an action or a place, relative to the topic of the sentence


def falling(words: list[str]) -> list[tuple[float, str]]:
    """The words with weights that fall as 1 / (rank + 20)."""
    return [(1 / (rank + 20), word) for rank, word in enumerate(words)]


def name_weights(kind: str) -> dict[str, float]:
    """The weight of each first name: a few dozen are common, most are rare."""
    return {name: 1 / ((rank + 24) * (rank + 24) * (rank + 24)) for rank, name in enumerate(lexicon.names(kind))}


village = Grammar({kind: name_weights(kind) for kind in GENDERS})
rule = village.rule

# Words


@rule
def one_of(words: str, phenomenon: str = "local") -> list[tuple]:
    """One of the space-separated words, the first the most frequent."""
    return [(weight, Word(word, phenomenon)) for weight, word in falling(words.split())]


@rule
def verb(bases: str, number: str, phenomenon: str = "local") -> list[tuple]:
    """One of the verbs, in the form that agrees with its subject."""
    form = third_person if number == "sg" else str
    return [(weight, Word(form(base), phenomenon)) for weight, base in falling(bases.split())]


@rule
def place(topic: str) -> list[tuple]:
    """Where: most often a place of the topic."""
    return [(1, one_of(lexicon.PREPOSITIONS), "the", place_noun(topic))]


@rule
def place_noun(topic: str) -> list[tuple]:
    """A place of the topic, or at times of another."""
    return [(1 if other == topic else LEAK, one_of(places, "topic")) for other, places in lexicon.PLACES.items()]


@rule
def time(topic: str) -> list[tuple]:
    """When: a time of the topic or any other."""
    own = falling(lexicon.TIMES[topic])
    return [(2 * weight, *(Word(word, "topic") for word in text.split())) for weight, text in own] + falling(
        lexicon.ANY_TIME
    )


def in_number(nouns: str, number: str) -> str:
    """The space-separated nouns, in the plural for "pl"."""
    return " ".join(map(plural if number == "pl" else str, nouns.split()))


def be(number: str, phenomenon: str = "local") -> Word:
    """`is` or `are`."""
    return Word("is" if number == "sg" else "are", phenomenon)


def article(word: str) -> str:
    """`a` or `an`, as the next word begins."""
    return "an" if word[0] in "aeiou" else "a"


# Things


@rule
def thing(kind: str, gender: str) -> list[tuple]:
    """A thing of the class `kind`, seen by somebody of this gender: `the axe`, `an old axe`, `her sharp axes`."""
    own = Word(POSSESSIVE[gender], "agreement")
    if kind == "weather":
        return [(3, "the", noun(kind, "sg")), (1, noun(kind, "sg"))]
    if kind in lexicon.MASS:
        return [(5, "the", noun(kind, "sg")), (3, own, noun(kind, "sg")), (2, "some", noun(kind, "sg"))]
    return [
        (3, "the", noun(kind, "sg")),
        (3, one_of("this that another every"), noun(kind, "sg")),
        (3, indefinite(kind)),
        (3, own, noun(kind, "sg")),
        (2, "the", noun(kind, "pl")),
        (2, noun(kind, "pl")),
        (2, own, noun(kind, "pl")),
        (2, one_of("two three four many several"), noun(kind, "pl")),
    ]


@rule
def noun(kind: str, number: str) -> list[tuple]:
    """The noun of a thing, at times with an adjective."""
    return [(1, bare_noun(kind, number)), (1, adjective(kind), bare_noun(kind, number))]


@rule
def adjective(kind: str) -> list[tuple]:
    """An adjective that suits the class, or any."""
    return [(1, one_of(lexicon.THING_ADJECTIVES[kind], "selection")), (1, one_of(lexicon.ADJECTIVES))]


@rule
def bare_noun(kind: str, number: str, phenomenon: str = "selection") -> list[tuple]:
    """One of the nouns of the class."""
    words = lexicon.MASS.get(kind) or in_number(lexicon.COUNTABLE[kind], number)
    return [(1, one_of(words, phenomenon))]


@rule
def indefinite(kind: str) -> list[tuple]:
    """`a` or `an`, and what follows it."""
    nouns = [(2 * w, article(word), Word(word, "selection")) for w, word in falling(lexicon.COUNTABLE[kind].split())]
    adjectives = falling([*lexicon.THING_ADJECTIVES[kind].split(), *lexicon.ADJECTIVES.split()])
    return nouns + [(w, article(word), word, bare_noun(kind, "sg")) for w, word in adjectives]


@rule
def any_thing(topic: str, gender: str) -> list[tuple]:
    """A thing of one of the classes of the topic."""
    return [
        (weight if other == topic else LEAK * weight, thing(kind, gender))
        for other in lexicon.TOPICS
        for _, kind, weight in lexicon.ACTIONS[other]
    ]


# What people do


@rule
def does(topic: str, number: str, gender: str, phenomenon: str = "local") -> list[tuple]:
    """A verb and a thing that suits it: `reads the old letter`; most often what belongs to the topic."""
    return [
        (weight if other == topic else LEAK * weight, verb(verbs, number, phenomenon), thing(kind, gender))
        for other in lexicon.TOPICS
        for verbs, kind, weight in lexicon.ACTIONS[other]
    ]


@rule
def acts(topic: str, number: str, gender: str, phenomenon: str = "local") -> list[tuple]:
    """A verb phrase: `reads the old letter`, `are happy`, `often dances`."""
    return [
        (8, acts_simply(topic, number, gender, phenomenon)),
        (4, one_of(lexicon.ADVERBS), acts_simply(topic, number, gender, "agreement")),
        (1, be(number, phenomenon), one_of(lexicon.PEOPLE_ADJECTIVES)),
    ]


@rule
def acts_simply(topic: str, number: str, gender: str, phenomenon: str) -> list[tuple]:
    """A verb with or without an object."""
    return [
        (7, does(topic, number, gender, phenomenon)),
        (3, verb(lexicon.ANY_OBJECT, number, phenomenon), any_thing(topic, gender)),
        (1, verb(lexicon.INTRANSITIVES[topic], number, phenomenon)),
    ]


@rule
def acts_long(topic: str, number: str, gender: str, phenomenon: str = "local") -> list[tuple]:
    """A verb phrase that may end in a place, a time, or a purpose."""
    short = acts(topic, number, gender, phenomenon)
    return [
        (5, short),
        (4, short, place(topic)),
        (1, short, time(topic)),
        (1, verb("want hope hurry", number, phenomenon), "to", does(topic, "pl", gender)),
    ]


# People


@rule
def people(topic: str, gender: str) -> list[tuple]:
    """A noun for a woman, a man, or several people."""
    if gender == "p":
        several = in_number(lexicon.WOMEN + " " + lexicon.MEN, "pl")
        trades = [(0.2, trader(trade, "pl")) for trade in lexicon.TRADES]
        return [(3, one_of(lexicon.GROUPS[topic], "topic")), (2, one_of(several)), *trades]
    return [(1, one_of(lexicon.WOMEN if gender == "f" else lexicon.MEN))]


@rule
def somebody(topic: str, gender: str) -> list[tuple]:
    """`the girl`, `the old singers`."""
    person = people(topic, gender)
    return [(4, "the", person), (3, "the", one_of(lexicon.OUTDOOR_ADJECTIVES), person)]


@rule
def modifier(topic: str, gender: str) -> list[tuple]:
    """What comes between a subject and its verb; the people in it mislead whoever counts only the last words."""
    number = NUMBER[gender]
    relative = [(1, "whom", somebody(topic, other), verb("admire know visit help", NUMBER[other])) for other in "fmp"]
    companions = [(0.5, one_of("with beside behind"), somebody(topic, other)) for other in "fmp"]
    return [
        *relative,
        *companions,
        (2, "who", acts(topic, number, gender)),
        (1, "who", acts(topic, number, gender), place(topic)),
        (1, place(topic)),
    ]


@rule
def subject_acts(topic: str, gender: str) -> list[tuple]:
    """A subject without a name, and what it does."""
    number = NUMBER[gender]
    return [
        (3, somebody(topic, gender), acts_long(topic, number, gender)),
        (2, somebody(topic, gender), modifier(topic, gender), acts_long(topic, number, gender, "agreement")),
    ]


@rule
def pronoun_acts(topic: str, gender: str) -> list[tuple]:
    """`she tunes her fiddle`: the gender of somebody who was mentioned before."""
    return [(1, Word(SUBJECT[gender], "agreement"), acts(topic, NUMBER[gender], gender))]


@rule
def because(topic: str, gender: str) -> list[tuple]:
    """A second clause about the same person."""
    return [(1, one_of("because while before although until"), pronoun_acts(topic, gender))]


@rule
def trader(trade: str, number: str, phenomenon: str = "local") -> list[tuple]:
    """A noun for somebody of this trade."""
    return [(1, one_of(in_number(lexicon.TRADES[trade][0], number), phenomenon))]
