"""The clauses and sentences of the pairs, made of the phrases in pairs_phrases.py.

Veldran puts the verb last, a relative clause before its noun, and a subordinate clause before the main one.
"""

from __future__ import annotations

from data import pairs_lexicon as lexicon
from data.grammar import Nonterminal
from data.pairs_lexicon import KINDS
from data.pairs_phrases import (
    AGREEMENTS,
    SINGULAR,
    adjective,
    agreements,
    any_name,
    any_thing,
    be,
    company_or_tool,
    name,
    noun,
    person,
    place,
    plain,
    rule,
    somebody,
    state,
    thing,
    thing_of,
    time,
    verb,
    word,
)

PRONOUN = {"e": "she", "o": "he", "p": "they"}
PRONOUN_TARGET = {"e": "ta", "o": "ta", "p": "tan"}
PERSON_PRONOUN = {"e": "her", "o": "him"}
OBJECT_PRONOUN = {"e": ("it", "le/agreement"), "o": ("it", "lo/agreement"), "p": ("them", "lin/agreement")}
DROPPED = 0.4  # how readily Veldran leaves a pronoun out
EMPHASIS = 0.25  # how often the last clause gets `ya`
SHARES = {"e": 1.0, "o": 1.0, "p": 0.5}  # of subjects
ADVERBS = plain("adverb", *lexicon.ADVERBS)


def verbs(kind: str, agreement: str, base: bool = False, phrasal: bool = False) -> Nonterminal:
    """A verb for things of the kind. phrasal: or two words that make one."""
    two = [lexicon.PHRASAL_VERBS[kind]] if phrasal and kind in lexicon.PHRASAL_VERBS else []
    return verb((*two, *lexicon.verbs_of(kind)), kind, agreement, base)


# What somebody does


@rule
def does(agreement: str, base: bool) -> list[tuple]:
    """A verb with what belongs to it, the verb last in Veldran."""
    greet = verb(tuple(lexicon.PERSON_VERBS), "", agreement, base)
    give = verb(tuple(lexicon.GIVING), "", agreement, base)
    need = verb(tuple(lexicon.ANY_VERBS), "", agreement, base)
    rest = verb(tuple(lexicon.INTRANSITIVES), "", agreement, base)
    idiom = verb(lexicon.IDIOMS, "", agreement, base)
    return [
        *[(1, [does_to(kind, agreement, base)], "0") for kind in KINDS],
        (3, [need, any_thing(agreement)], "1 0"),
        (3, [greet, somebody()], "1 na/case 0"),
        (2, [give, somebody(), any_thing(agreement)], {"1 li/case 2 0": 2, "2 1 li/case 0": 1}),
        (1, [rest], "0"),
        (1, [rest, place()], "1 0"),
        (1, [idiom], "0"),
    ]


@rule
def does_to(kind: str, agreement: str, base: bool) -> list[tuple]:
    """A verb, a thing that suits it, and a place, a time, or a tool: in Veldran before the verb, in either order."""
    act, object_ = verbs(kind, agreement, base, True), thing(kind, agreement)
    again = [
        (2 * weight / sum(w for w, _ in agreements(kind)), [act, thing_of(kind, gender, agreement), word("and", "et"),
         verbs(kind, agreement, base), word(*OBJECT_PRONOUN[gender])], "1 0 2 4 na/case 3")
        for weight, gender in agreements(kind)
    ]  # fmt: skip
    return [
        (6, [act, object_], "1 0"),
        (3, [act, object_, place()], {"1 2 0": 2, "2 1 0": 1}),
        (2, [ADVERBS, act, object_], {"2 0 1": 2, "0 2 1": 1}),
        (2, [act, object_, company_or_tool()], "1 2 0"),
        (1, [act, object_, time()], {"2 1 0": 2, "1 2 0": 1}),
        *again,
    ]


@rule
def predicate(agreement: str) -> list[tuple]:
    """What a subject does, is, wants, or does not do."""
    wishes = [
        (1 / len(KINDS), [verb(("want",), "", agreement), "to", verbs(kind, "i"), thing(kind, agreement)], "2 1 0")
        for kind in KINDS
    ]
    do_not = "do not" if agreement == "p" else "does not"
    return [
        (12, [does(agreement, False)], "0"),
        (1, [be(agreement), state(tuple(lexicon.STATES), agreement)], "1 0"),
        (1, [word(do_not, "mu/idiom"), does(agreement, True)], "1 0"),
        *wishes,
    ]


# Clauses


@rule
def subject(agreement: str) -> list[tuple]:
    """Who: by name or not; in Veldran, whatever says more about somebody comes before the noun."""
    who, whom = word("who", "ke"), word("whom", "ke")
    admirers = [(1 / 3, [person(agreement), whom, person(other), verb(tuple(lexicon.PERSON_VERBS), "", other)],
                 "2 3 1 0") for other in AGREEMENTS]  # fmt: skip
    names = [(20, [name(agreement)], "0")] if agreement in SINGULAR else []
    return [
        *names,
        (10, [person(agreement)], "0"),
        (2, [person(agreement), place()], "1 0"),
        (2, [person(agreement), who, does_simply(agreement)], "2 1 0"),
        *admirers,
    ]


@rule
def does_simply(agreement: str) -> list[tuple]:
    """`feeds the horse`: short enough for a relative clause."""
    return [(1, [verbs(kind, agreement), thing(kind, agreement)], "1 0") for kind in KINDS]


@rule
def clause(agreement: str) -> list[tuple]:
    """A subject and what it does."""
    return [(1, [subject(agreement), predicate(agreement)], "0 1")]


@rule
def short_clause(agreement: str) -> list[tuple]:
    """A subject that is one name or one noun, and what it does."""
    return [(1, [who(agreement), does_simply(agreement)], "0 1")]


@rule
def who(agreement: str) -> list[tuple]:
    """A name, or somebody without one."""
    return [(2, [name(agreement)], "0")] * (agreement in SINGULAR) + [(1, [person(agreement)], "0")]


@rule
def pronoun_clause(agreement: str) -> list[tuple]:
    """`she is late`: Veldran may leave the pronoun out, since the verb shows it."""
    return [(1, [pronoun(agreement), predicate(agreement)], "0 1")]


@rule
def pronoun(agreement: str) -> list[tuple]:
    """`she`, `he`, `they`."""
    return [(1, PRONOUN[agreement], {PRONOUN_TARGET[agreement]: 1 - DROPPED, "": DROPPED})]


@rule
def state_clause() -> list[tuple]:
    """`the axes that the smith needs are blunt`, `the geese of mira are asleep`."""
    things = [
        (weight, ["the", noun(kind, gender), word("that", "ke"), person(other), verbs(kind, other), be(gender),
         adjective(kind, gender)], "2 3 1 0 5 4")
        for kind in KINDS for weight, gender in agreements(kind) for other in AGREEMENTS
    ]  # fmt: skip
    states = tuple(lexicon.ANIMAL_STATES)
    asleep = [
        (10 * weight, ["the", noun("animal", gender), *middle, be(gender), state(states, gender)], side)
        for weight, gender in agreements("animal")
        for middle, side in (([place()], "1 0 3 2"), ([word("of", "ri/case"), somebody()], "2 1 0 4 3"))
    ]
    return [*things, *asleep]


@rule
def animal_clause() -> list[tuple]:
    """`the geese of mira follow the boy`."""
    return [
        (weight, ["the", noun("animal", gender), word("of", "ri/case"), any_name(),
         verb(("follow", *lexicon.ANIMAL_VERBS), "beast", gender), somebody()], "2 1 0 4 na/case 3")
        for weight, gender in agreements("animal")
    ]  # fmt: skip


# Sentences


@rule
def end() -> list[tuple]:
    """The full stop, at times after an emphatic `ya`."""
    return [(1, ".", {".": 1 - EMPHASIS, "ya .": EMPHASIS})]


@rule
def question(agreement: str) -> list[tuple]:
    """`does mira play the harp`: a particle after the verb marks the question."""
    do = word("do" if agreement == "p" else "does", "ka/case")
    return [(1, [do, who(agreement), does(agreement, True)], "1 2 0")]


@rule
def meeting(agreement: str, other: str) -> list[tuple]:
    """`mira meets tavin at the bridge and gives him a pear`."""
    meets = verb(("meet", "greet", "visit", "see"), "", agreement)
    gives = verb(tuple(lexicon.GIVING), "", agreement)
    him = word(PERSON_PRONOUN[other], "ta")
    start = [name(agreement), meets, name(other)]
    return [
        (1, [*start, word("and", "et"), gives, him, any_thing(agreement)], "0 2 na/case 1 3 5 li/case 6 4"),
        (1, [*start, place(), word("and", "et"), gives, him, any_thing(agreement)],
         {"0 3 2 na/case 1 4 6 li/case 7 5": 1, "0 2 na/case 3 1 4 6 li/case 7 5": 1}),
    ]  # fmt: skip


@rule
def sentence() -> list[tuple]:
    """Start symbol."""
    rules = [(6, [state_clause(), end()], "0 1"), (5, [animal_clause(), end()], "0 1")]
    for agreement, share in SHARES.items():
        rules += [(share * weight, source, target) for weight, source, target in sentences_about(agreement)]
    return rules


def sentences_about(agreement: str) -> list[tuple]:
    """The sentences whose first subject has this agreement."""
    comma, when, but = word(",", ","), plain("adverb", "when"), plain("adverb", "but")
    why, says = plain("adverb", *lexicon.CONJUNCTIONS), verb(tuple(lexicon.SAYING), "", "p")
    rules = [
        (10, [clause(agreement), end()], "0 1"),
        (4, [time(), comma, clause(agreement), end()], "0 1 2 3"),
        (8, [short_clause(agreement), why, pronoun_clause(agreement), end()], {"2 1 , 0 3": 3, "0 , 2 1 3": 2}),
        (2, [person("p"), says, word("that", "yo"), short_clause(agreement), end()], "0 3 2 1 4"),
        (2, [question(agreement), word("?", "?")], "0 1"),
    ]
    clause_orders = {"1 0 2 3 4": 3, "3 2 1 0 4": 2}
    for other, share in SHARES.items():
        if agreement in SINGULAR and other in SINGULAR:
            rules.append((3, [meeting(agreement, other), end()], "0 1"))
        rules += [
            (2 * share, [when, short_clause(agreement), comma, short_clause(other), end()], clause_orders),
            (1 * share, [short_clause(agreement), comma, but, short_clause(other), end()], "0 1 2 3 4"),
        ]
    return rules


START: Nonterminal = sentence()
