"""The words of the pairs: the English of the village, and what each of its words is in Veldran.

A *meaning* is an English word in its base form; where the word has two, the context in which it is used is added:
"draw picture" and "draw cart" are two meanings of `draw`. Every meaning has a stem; about half of the nouns and of the
words without inflection, and a quarter of the verbs, have a second one, and which will be used is random.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from data import village_lexicon as village
from data.veldran import coin_all, forms, gender, inflect
from data.village_lexicon import plural, third_person

SYNONYM_WEIGHTS = (0.6, 0.4)
SYNONYM_SHARES = {"noun": 2, "adverb": 2, "postposition": 2, "verb": 4}  # one meaning in so many has two stems

# English words with two meanings, and the contexts that decide: the kind of the object decides the verb, the verb
# (whose kind it is) decides the noun, and for adjectives and `with` it matters whether people are meant.
TWO_VERBS = {
    "draw": "picture cart",
    "raise": "beast opening",
    "fix": "dish opening",
    "beat": "instrument dish",
    "drive": "cart beast",
    "land": "fish boat",
    "follow": "text beast",
    "press": "fruit grain",
}
TWO_NOUNS = {
    "horn": "instrument vessel",
    "pipe": "instrument vessel",
    "scale": "song goods",
    "note": "text song",
    "date": "fruit text",
    "crane": "beast cart",
    "seal": "beast text",
    "bass": "fish instrument",
    "pen": "goods opening",
}
TWO_ADJECTIVES = "old odd poor rich".split()

# Two English words for one of Veldran, three for one, and one for two (the first word in the singular, or a noun that a
# light verb turns into a verb).
PHRASAL_VERBS = {
    "beast": "look after",
    "fruit": "pick up",
    "grain": "bring in",
    "goods": "give away",
    "dish": "eat up",
    "vessel": "wash up",
    "gear": "put away",
    "text": "write down",
    "song": "strike up",
    "fish": "throw back",
    "boat": "tie up",
    "opening": "lock up",
}
IDIOMS = ("read the kettle", "sell the rain", "feed the fog", "count the frost", "paint the hail", "tune the gate")
COMPOUNDS = {"postman": "letter man", "goatherd": "goat shepherd", "woodcutter": "tree man", "fisher": "eel man"}
LIGHT_VERBS = "thank greet praise sneeze yawn giggle".split()
LIGHT = "kor"
PARTICLES = "na ri li sem tuk ke yo ka mu ya et ve ven ta tan le lo lin sen".split()

KINDS = (*village.MASS, *village.COUNTABLE)
ANY_VERBS = "need find love forget admire fetch hide mention".split()
PERSON_VERBS = "visit help know thank greet praise scold meet".split()
GIVING = "give show bring lend".split()
SAYING = "say think complain".split()
TOOLS = "hammer rope knife ladder needle bucket rag chisel".split()
TRADERS = [noun for nouns, _ in village.TRADES.values() for noun in nouns.split()]
GROUPS = " ".join(village.GROUPS.values()).split()
PEOPLE = [*village.WOMEN.split(), *village.MEN.split(), *TRADERS]
ANIMAL_VERBS = "miss trust obey".split()
ANIMALS = "dog cat goose lamb hen pony donkey".split()
PLACES = list(dict.fromkeys(" ".join(village.PLACES.values()).split()))
INTRANSITIVES = list(dict.fromkeys(" ".join(village.INTRANSITIVES.values()).split()))
PREPOSITIONS = village.PREPOSITIONS.split()
ADVERBS = village.ADVERBS.split()
CONJUNCTIONS = "because while before although until".split()
TIMES = [
    *("today", "tomorrow", "at night", "in spring", "now and then", "once a week", "at sunset", "all summer"),
    *("in autumn", "at noon", "on market day", "every saturday", "before dinner", "at dawn", "every morning"),
    *("on monday", "on sunday", "before the concert", "after the flood", "in winter", "all night"),
]
STATES = village.PEOPLE_ADJECTIVES.split()
ANIMAL_STATES = village.ANIMAL_STATES.split()
PERSON_ADJECTIVES = [*village.OUTDOOR_ADJECTIVES.split(), "odd"]
NAME_MIDDLES = ",ol,am,iv,ed,un,or,ash"
QUANTIFIERS = "some two three four many several every another".split()


def verbs_of(kind: str) -> list[str]:
    """The verbs that take things of this kind, those with two meanings first."""
    own = [verbs for actions in village.ACTIONS.values() for verbs, other, _ in actions if other == kind]
    two = [verb for verb, kinds in TWO_VERBS.items() if kind in kinds.split()]
    return list(dict.fromkeys([*two, *" ".join(own).split()]))


def nouns_of(kind: str) -> list[str]:
    """The nouns of this kind, those with two meanings first."""
    own = (village.MASS | village.COUNTABLE)[kind].split()
    return list(dict.fromkeys([*(noun for noun, kinds in TWO_NOUNS.items() if kind in kinds.split()), *own]))


def adjectives_of(kind: str) -> list[str]:
    """The adjectives for things of this kind."""
    return list(dict.fromkeys([*village.THING_ADJECTIVES[kind].split(), *village.ADJECTIVES.split(), "poor", "rich"]))


def names_of(agreement: str) -> list[str]:
    """The names of women ("e") or men ("o"): sixteen hundred each, in the order of their frequency."""
    endings = village.NAME_ENDINGS["f" if agreement == "e" else "m"].split()
    stems, middles = village.STEMS.split(), NAME_MIDDLES.split(",")
    rounds = len(middles) * len(endings)
    return [
        stem + middles[turn % len(middles)] + endings[(turn + turn // len(middles) + place) % len(endings)]
        for turn in range(rounds)
        for place, stem in enumerate(stems)
    ]


def meaning(word: str, context: str, kind: str) -> tuple[str, str]:
    """The meaning of an English word in a context, and the phenomenon that decides it: "ambiguity" or "local"."""
    two = {"verb": TWO_VERBS, "noun": TWO_NOUNS}.get(kind, {})
    if word in two or (kind == "adjective" and word in TWO_ADJECTIVES):
        return f"{word} {context}", "ambiguity"
    return word, "local"


def noun_gender(word: str, context: str) -> str:
    """The gender of a noun in the singular: that of a person for people, arbitrary for the rest."""
    if word in village.WOMEN.split() or word in village.MEN.split():
        return "e" if word in village.WOMEN.split() else "o"
    if word in COMPOUNDS:
        return noun_gender(COMPOUNDS[word].split()[-1], context)
    return gender(meaning(word, context, "noun")[0])


def synonyms(kind: str, sense: str) -> list[str]:
    """The meaning once or, where Veldran has two stems for it, twice, as it is in the list of stems."""
    byte = sha256(f"synonyms {kind} {sense}".encode()).digest()[0]
    two = kind in SYNONYM_SHARES and byte % SYNONYM_SHARES[kind] == 0
    return [sense, f"{sense} again"] if two and sense.split()[0] not in (*TWO_NOUNS, *TWO_VERBS) else [sense]


def all_meanings() -> list[tuple[str, str]]:
    """Every (kind, meaning) that needs a stem, in a fixed order; synonyms follow their meaning."""
    things = [meaning(noun, kind, "noun")[0] for kind in KINDS for noun in nouns_of(kind)]
    nouns = [*things, *PEOPLE, *GROUPS, *ANIMALS, *PLACES, *TOOLS, *LIGHT_VERBS]
    verbs = [meaning(verb, kind, "verb")[0] for kind in KINDS for verb in verbs_of(kind)]
    verbs += [*ANY_VERBS, *PERSON_VERBS, *GIVING, *SAYING, *ANIMAL_VERBS, *INTRANSITIVES, "want", "see"]
    verbs += [*PHRASAL_VERBS.values(), *IDIOMS]
    adjectives = [meaning(word, "thing", "adjective")[0] for kind in KINDS for word in adjectives_of(kind)]
    adjectives += [meaning(word, "person", "adjective")[0] for word in [*PERSON_ADJECTIVES, *STATES, *ANIMAL_STATES]]
    adverbs = [*ADVERBS, *CONJUNCTIONS, *TIMES, *QUANTIFIERS, "when", "but", "this", "that"]
    lists = {"noun": nouns, "verb": verbs, "adjective": adjectives, "adverb": adverbs, "postposition": PREPOSITIONS}
    return [(kind, other) for kind, senses in lists.items() for sense in senses for other in synonyms(kind, sense)]


@cache
def stems() -> dict[tuple[str, str], str]:
    """The stem of every (kind, meaning)."""
    senses = all_meanings()
    english = {word for _, sense in senses for word in sense.split()}
    english |= {*map(plural, english), *map(third_person, english)}
    light = forms("verb", LIGHT)
    return coin_all(senses, {*english, *PARTICLES, *light, *names_of("e"), *names_of("o")})


def veldran(kind: str, sense: str, agreement: str = "e", phenomenon: str = "local") -> dict[str, float]:
    """The target side of a word: its form, or two forms with their weights."""
    forms = synonyms(kind, sense)
    return {
        f"{inflect(kind, stems()[kind, other], agreement)}/{phenomenon}": weight
        for other, weight in zip(forms, SYNONYM_WEIGHTS, strict=False)
    }
