"""The phrases of the headlines: who, what, where, what happens, and the background, which leaves no word behind.

Attributes: `doer` is "e" or "o" (a woman or a man, one) or "p" (several); `number` is "s" or "p" for one or several
other people or things, or "c" for a container of them; `event` is the headline's word for what happens.
"""

from __future__ import annotations

from data import pairs_lexicon as lexicon, village_lexicon as village
from data.pairs_lexicon import TRADERS
from data.pairs_phrases import words_and_names
from data.synchronous import SynchronousGrammar
from data.village_lexicon import plural, third_person
from data.village_phrases import article, falling, in_number

headlines = SynchronousGrammar()
rule = headlines.rule
word, name, any_name = words_and_names(rule)

# What a newspaper calls it, and what people say: each verb with its participle. All other verbs are background.
EVENTS = {
    "buy": "purchase/purchased buy/bought acquire/acquired obtain/obtained",
    "sell": "sell/sold supply/supplied deliver/delivered",
    "mend": "repair/repaired mend/mended restore/restored",
    "find": "discover/discovered find/found recover/recovered",
    "lose": "lose/lost misplace/misplaced mislay/mislaid",
    "steal": "steal/stolen pilfer/pilfered snatch/snatched",
    "break": "smash/smashed shatter/shattered break/broken",
    "seek": "demand/demanded seek/sought request/requested",
}
AGAIN = {"mend": "fix", "steal": "grab", "break": "wreck", "seek": "want"}  # another word that it may use
SOLID = "cart vessel gear instrument boat opening"
MOVABLE = "cart vessel gear instrument boat goods fruit dish beast text fish"
KINDS = {"mend": SOLID, "break": SOLID}  # of things to which that can happen; the rest happens to what can be moved
TITLES = {
    "blacksmith": "smith",
    "tinker": "smith",
    "pastrycook": "baker",
    "woodcutter": "forester",
    "goatherd": "shepherd",
    "millhand": "miller",
    "sower": "farmer",
    "spinner": "weaver",
    "furrier": "tailor",
    "angler": "fisher",
}
SORTS = {"fish": "fish", "instrument": "instrument", "beast": "animal", "fruit": "fruit"}  # said of the whole kind
CONTAINERS = "basket sack crate barrel box".split()
PRONOUN = {"e": "she", "o": "he", "p": "they"}
TITLE_KEPT = {"0 1": 0.5, "1": 0.5}
PLURAL_SORTS = {"instrument": "instruments", "animal": "animals"}


def english(verb: str, doer: str) -> str:
    """What one or several people do."""
    return verb if doer == "p" else third_person(verb)


def reworded(word: str, key_word: str) -> str:
    """The target side of `word`, of which the headline makes `key_word`."""
    return key_word if word == key_word else f"{key_word}/rewording"


def happening(word: str, event: str, doer: str) -> str | dict[str, float]:
    """The target side of the verb `word`: the headline's word for it, or one of its two."""
    first = reworded(word, english(event, doer))
    return {first: 0.7, f"{english(AGAIN[event], doer)}/rewording": 0.3} if event in AGAIN else first


# Words


@rule
def one_of(*words: str) -> list[tuple]:
    """One of the words, unchanged."""
    return [(weight, word, word) for weight, word in falling(list(words))]


@rule
def title(doer: str) -> list[tuple]:
    """What somebody ("s": of either gender) is by trade: eighteen words, of which the headline keeps nine."""
    form = plural if doer == "p" else str
    titles = [noun for noun in TRADERS if doer in "sp" or lexicon.noun_gender(noun, "person") == doer]
    return [(w, form(noun), reworded(noun, form(TITLES.get(noun, noun)))) for w, noun in falling(titles)]


@rule
def happens(event: str, doer: str) -> list[tuple]:
    """A verb of this event: the headline has one word for all of them."""
    verbs = [verb.split("/")[0] for verb in EVENTS[event].split()]
    return [(weight, english(v, doer), happening(v, event, doer)) for weight, v in falling(verbs)]


@rule
def done(event: str, doer: str) -> list[tuple]:
    """The participle, of which the headline makes what the doer does."""
    verbs = [verb.split("/")[1] for verb in EVENTS[event].split()]
    return [(weight, participle, happening(participle, event, doer)) for weight, participle in falling(verbs)]


# Phrases


@rule
def thing(event: str, number: str) -> list[tuple]:
    """A thing to which that can happen."""
    return [(1, [thing_of(kind, number)], "0") for kind in KINDS.get(event, MOVABLE).split()]


@rule
def thing_of(kind: str, number: str) -> list[tuple]:
    """`the old boat` becomes `boat`, or `old boat`; of `a basket of pears` only the pears are left."""
    if number == "c":
        return [(1, [article(container), container, "of", noun(kind, "p")], "0") for container in CONTAINERS]
    noun_phrase, adjectives = noun(kind, number), lexicon.adjectives_of(kind)
    either = {"1": 0.6, "0 1": 0.4}
    rules = [
        (3, ["the", noun_phrase], "0"),
        (2, ["the", one_of(*adjectives), noun_phrase], either),
        (1, [one_of("her", "his", "their"), noun_phrase], "1"),
    ]
    if number == "s":
        for initial in ("a", "an"):
            some = [adjective for adjective in adjectives if article(adjective) == initial]
            rules.append((3 * len(some) / len(adjectives), [initial, one_of(*some), noun_phrase], either))
            if nouns := [word for word in village.COUNTABLE[kind].split() if article(word) == initial]:
                rules.append((0.2 * len(nouns), [initial, noun(kind, number, initial)], "0"))
        return rules
    return [
        *rules,
        (2, [one_of("two", "three", "four", "five", "seven"), noun_phrase], "0 1"),
        (1, [one_of("several", "many", "some"), noun_phrase], "1"),
    ]


@rule
def noun(kind: str, number: str, initial: str = "") -> list[tuple]:
    """A thing; for some kinds the headline may name the kind. initial: only those that follow `a`, or `an`."""
    form = plural if number == "p" else str
    sort = SORTS.get(kind, "")
    if number == "p":
        sort = PLURAL_SORTS.get(sort, sort)
    return [
        (weight, form(singular), {form(singular): 0.75, f"{sort}/rewording": 0.25} if sort else form(singular))
        for weight, singular in falling(village.COUNTABLE[kind].split())
        if initial in ("", article(singular))
    ]


@rule
def somebody(doer: str) -> list[tuple]:
    """Who: by name, by trade, or both, and then the headline chooses."""
    who, how = title(doer), one_of(*lexicon.PERSON_ADJECTIVES)
    without_name = [(1, ["the", who], "0"), (2, ["the", how, who], "1")]
    if doer == "p":
        two = [any_name(), word("and", ","), any_name()]
        return [*without_name, (1, [one_of("two", "three", "four"), who], "0 1"), (2, two, "0 1 2")]
    return [*without_name, (4, [name(doer)], "0"), (4, ["the", who, name(doer)], TITLE_KEPT)]


@rule
def subject(doer: str) -> list[tuple]:
    """Somebody, or somebody with something more between commas."""
    if doer == "p":
        return [(1, [somebody(doer)], "0")]
    return [
        (4, [somebody(doer)], "0"),
        (1, [name(doer), ",", "the", title(doer), ","], {"1 0": 0.5, "0": 0.5}),
        (1, [name(doer), ", who", idle(doer), ","], "0"),
    ]


@rule
def place() -> list[tuple]:
    """`at the bridge`."""
    return [(1, [one_of(*lexicon.PREPOSITIONS), "the", one_of(*lexicon.PLACES)], "0 1")]


@rule
def partner(event: str) -> list[tuple]:
    """From whom, or to whom."""
    direction = "to" if event == "sell" else "from"
    trader = [(1, [word(direction, direction), "the", title(number)], "0 1") for number in "sp"]
    return [*trader, (1, [word(direction, direction), any_name()], "0 1")]


# The background


@rule
def idle(doer: str) -> list[tuple]:
    """Nothing happens: `is tired`, `often dances`."""
    acts = one_of(*(english(verb, doer) for verb in lexicon.INTRANSITIVES))
    return [
        (2, ["are" if doer == "p" else "is", one_of(*lexicon.STATES)], ""),
        (1, [acts, place()], ""),
        (1, [one_of(*lexicon.ADVERBS), acts], ""),
    ]


@rule
def background() -> list[tuple]:
    """Somebody or something else, in whom no newspaper takes an interest."""
    animals = one_of(*in_number(village.ANIMALS, "pl").split())
    return [
        *[(1, [name(doer), idle(doer)], "") for doer in "eo"],
        *[(1, ["the", title(doer), idle(doer)], "") for doer in "eop"],
        (1, ["the", animals, "are", one_of(*lexicon.ANIMAL_STATES)], ""),
        (1, ["it is", one_of("cold", "late", "quiet", "warm", "dark"), place()], ""),
    ]


@rule
def reason(doer: str) -> list[tuple]:
    """`because she is tired`, `while it is cold by the river`."""
    why = one_of(*lexicon.CONJUNCTIONS)
    return [(2, [why, PRONOUN[doer], idle(doer)], ""), (1, [why, background()], "")]
