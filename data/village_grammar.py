"""A grammar of English about a farming village: its sentences, made of the phrases in village_phrases.py.

Attributes: `topic` colours a whole sentence; `number` is "sg" or "pl"; `gender` says which pronoun refers back: "f"
(she), "m" (he) or "p" (they). Names live in the registers A and B. Every rule gives weights that `Grammar` normalises.
"""

from __future__ import annotations

from data import village_lexicon as lexicon
from data.grammar import New, Nonterminal, Word
from data.village_phrases import (
    GENDERS,
    NUMBER,
    OBJECT,
    A,
    B,
    acts,
    acts_long,
    any_thing,
    bare_noun,
    be,
    because,
    does,
    in_number,
    one_of,
    place,
    rule,
    somebody,
    subject_acts,
    time,
    trader,
    verb,
)

# Without names


@rule
def sentence() -> list[tuple]:
    """Start symbol: a topic, which colours all that follows."""
    return [(weight, about(topic)) for topic, weight in lexicon.TOPICS.items()]


@rule
def about(topic: str) -> list[tuple]:
    """The kinds of sentences."""
    return [
        (20, opening(topic), plain(topic), "."),
        (9, opening(topic), trade_clause(topic), "."),
        (9, state(topic), "."),
        (62, opening(topic), with_names(topic)),
    ]


@rule
def opening(topic: str) -> list[tuple]:
    """At times a sentence begins with a time."""
    return [(7, ""), (2, time(topic), ",")]


@rule
def plain(topic: str) -> list[tuple]:
    """People without names: one clause or two."""
    templates = [(2, subject_acts(topic, gender)) for gender in "fmp"]
    return templates + [(3, subject_acts(topic, gender), because(topic, gender)) for gender in "fmp"]


@rule
def state(topic: str) -> list[tuple]:
    """Things or animals are in some state, however many come between them and the verb."""
    kinds = [kind for _, kind, _ in lexicon.ACTIONS[topic]]
    return [(2, thing_state(topic, kind, number)) for kind in kinds for number in numbers(kind)] + [
        (2, animal_state(topic, number)) for number in ("sg", "pl")
    ]


def numbers(kind: str) -> list[str]:
    """The numbers in which the class has nouns."""
    return ["sg"] if kind in lexicon.MASS else ["sg", "pl"]


@rule
def thing_state(topic: str, kind: str, number: str) -> list[tuple]:
    """`the axes that the smith needs are blunt`."""
    adjective = one_of(lexicon.THING_ADJECTIVES[kind], "selection")
    verbs = " ".join(verbs for verbs, other, _ in lexicon.ACTIONS[topic] if other == kind)
    relative = [
        (2, "the", bare_noun(kind, number, "topic"), "that", somebody(topic, other), verb(verbs, NUMBER[other]),
         be(number, "agreement"), adjective)
        for other in "fmp"
    ]  # fmt: skip
    return [*relative, (2, "the", bare_noun(kind, number, "topic"), place(topic), be(number, "agreement"), adjective)]


@rule
def animal(number: str) -> list[tuple]:
    """One or several animals."""
    return [(1, one_of(in_number(lexicon.ANIMALS, number)))]


@rule
def animal_state(topic: str, number: str) -> list[tuple]:
    """`the geese behind the fence are asleep`."""
    are = (be(number, "agreement"), one_of(lexicon.ANIMAL_STATES, "selection"))
    return [
        (1, "the", animal(number), place(topic), *are),
        *[(1, "the", animal(number), one_of("of beside"), somebody(topic, other), *are) for other in "fmp"],
    ]


@rule
def trade_clause(topic: str) -> list[tuple]:
    """Somebody trades, in one direction or the other."""
    trades = lexicon.TOPIC_TRADES[topic].split()
    return [(1, trading(topic, trade, number, sells)) for trade in trades for number in ("sg", "pl")
            for sells in (True, False)]  # fmt: skip


@rule
def trading(topic: str, trade: str, number: str, sells: bool) -> list[tuple]:
    """`the miller orders barley from the farmers .`: who sells what, who buys what."""
    partner = trade_partner(trade, buyer=sells)
    wares = lexicon.TRADES[trade if sells else partner][1]
    ware = one_of(wares, "selection")
    does = lexicon.SELLING if sells else lexicon.BUYING
    direction = "to" if sells else "from"
    who = ("the", trader(trade, number))
    return [
        (4, *who, verb(does, number), ware, place(topic)),
        (4, *who, verb(does, number), ware, direction, "the", trader(partner, "sg", "selection")),
        (2, *who, verb(does, number), ware, direction, "the", trader(partner, "pl", "selection")),
        (2, *who, place(topic), verb(does, number, "agreement"), ware),
        (2, *who, "who", be(number), one_of(lexicon.PEOPLE_ADJECTIVES), verb(does, number, "agreement"), ware),
    ]


def trade_partner(trade: str, buyer: bool) -> str:
    """Who buys what `trade` sells, or who sells what it buys."""
    ring = next(ring for ring in lexicon.RINGS if trade in ring)
    return ring[(ring.index(trade) + (1 if buyer else -1)) % len(ring)]


# With names, which come back


@rule
def with_names(topic: str) -> list[tuple]:
    """Sentences in which a name occurs, and in most of them occurs again."""
    one_name = [(weight, template(topic, gender)) for gender in GENDERS for weight, template in ONE_NAME]
    two_names = [(weight, template(topic, x, y)) for x in GENDERS for y in GENDERS for weight, template in TWO_NAMES]
    return one_name + two_names


@rule
def named_acts(topic: str, gender: str) -> list[tuple]:
    """`mirela repairs her door because she is late .`"""
    return [
        (2, New("A", gender), acts_long(topic, "sg", gender), "."),
        (1, New("A", gender), ",", "whom", somebody(topic, "p"), verb("admire know visit help", "pl"), ",",
         acts_long(topic, "sg", gender, "agreement"), "."),
        (3, New("A", gender), acts(topic, "sg", gender), because(topic, gender), "."),
    ]  # fmt: skip


@rule
def only_knows(topic: str, gender: str) -> list[tuple]:
    """`ask mirela about the harp , for only mirela plays harps .`"""
    wait = (somebody(topic, "p"), verb(lexicon.WAITING, "pl"), "for", A)
    return [
        (1, "ask", New("A", gender), "about", any_thing(topic, "p"), ", for only", A, acts(topic, "sg", gender), "."),
        (1, "without", New("A", gender), "nobody", acts(topic, "sg", "p"), ", so", *wait, "."),
    ]


@rule
def faithful_animal(topic: str, gender: str) -> list[tuple]:
    """`the dogs of mirela follow mirela at the river .`"""
    return [
        (1, "the", animal(n), "of", New("A", gender), verb(lexicon.ANIMAL_VERBS, n, "agreement"), A, place(topic), ".")
        for n in ("sg", "pl")
    ] + [
        (1, "the", animal(n), "that", verb("belong", n), "to", New("A", gender), verb("wait", n, "agreement"),
         "until", A, acts(topic, "sg", gender), ".")
        for n in ("sg", "pl")
    ]  # fmt: skip


@rule
def rumour(topic: str, gender: str) -> list[tuple]:
    """`the neighbours say that mirela fears the fog , but mirela sneezes .`"""
    says = verb("say think complain", "pl")
    return [
        (2, somebody(topic, "p"), says, "that", New("A", gender), acts(topic, "sg", gender), ", but", A,
         acts(topic, "sg", gender), "."),
        (1, "when", New("A", gender), acts(topic, "sg", gender), ",", somebody(topic, "p"),
         verb("thank praise scold", "pl"), A, place(topic), "."),
    ]  # fmt: skip


@rule
def meeting(topic: str, x: str, y: str) -> list[tuple]:
    """`mirela meets tavin at the bridge , and tavin gives mirela a pear .`"""
    start = (New("A", x), verb("meet greet see visit", "sg"), New("B", y), place(topic), ", and")
    gives = verb("give show bring lend", "sg", "local")
    return [
        (1, *start, A, gives, B, any_thing(topic, x), "."),
        (1, *start, B, gives, A, any_thing(topic, y), "."),
    ]


@rule
def calling(topic: str, x: str, y: str) -> list[tuple]:
    """`mirela calls tavin : " dear tavin , feed the horse ! "`"""
    order = (any_order(topic), '! "')
    return [
        (2, New("A", x), verb("call beg remind", "sg"), New("B", y), ': " dear', B, ",", *order),
        (1, New("A", x), "sighs because", New("B", y), acts(topic, "sg", y), ', and shouts : "', B, ",", *order),
    ]


@rule
def any_order(topic: str) -> list[tuple]:
    """What people ask each other to do."""
    return [(1, does(topic, "pl", "p"))]


@rule
def taking_turns(topic: str, x: str, y: str) -> list[tuple]:
    """`when mirela dances , tavin claps , but when tavin dances , mirela claps .`"""
    first = ("when", New("A", x), acts(topic, "sg", x), ",", New("B", y), acts(topic, "sg", y), ",")
    return [
        (1, *first, "but when", B, acts(topic, "sg", y), ",", A, acts(topic, "sg", x), "."),
        (1, *first, "and", A, "thanks", B, "."),
    ]


@rule
def promise(topic: str, x: str, y: str) -> list[tuple]:
    """`mirela promises tavin to feed a pony , so tavin waits for mirela at the fence .`"""
    promises = (New("A", x), verb("promise ask teach tell", "sg"), New("B", y), "to", does(topic, "pl", x))
    return [
        (1, *promises, ", so", B, "waits for", A, place(topic), "."),
        (1, *promises, Word("with", "local"), Word(OBJECT[x], "agreement"), ".") if x != y else
        (1, *promises, ", and", B, "agrees", "."),
    ]  # fmt: skip


ONE_NAME = [(9, named_acts), (5, only_knows), (5, faithful_animal), (5, rumour)]
TWO_NAMES = [(2, meeting), (1.5, calling), (1.5, taking_turns), (1.5, promise)]
START: Nonterminal = sentence()
