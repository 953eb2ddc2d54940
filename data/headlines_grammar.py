"""The synchronous grammar of the headlines: a sentence or two about the village, and what a newspaper makes of them.

A headline keeps who does what, and drops the rest: articles, most adjectives, reasons, times, and the sentence in which
nothing happens. News are what the verbs of `EVENTS` tell; everything else is background. Attributes: see
headlines_phrases.py.
"""

from __future__ import annotations

from data import pairs_lexicon as lexicon
from data.grammar import Nonterminal
from data.headlines_phrases import (
    EVENTS,
    any_name,
    background,
    done,
    english,
    happens,
    one_of,
    partner,
    place,
    reason,
    rule,
    somebody,
    subject,
    thing,
    title,
    word,
)

INTENTIONS = "plan hope intend want".split()
TRADES = ("buy", "sell", "steal")  # for which there may be another party
SHARES = {"e": 1.0, "o": 1.0, "p": 0.7}  # of doers
NUMBERS = {"s": 1.0, "p": 0.6, "c": 0.2}  # of things


@rule
def news(event: str, doer: str, number: str) -> list[tuple]:
    """Who does what: as it is, as an intention, in the passive, or said by others."""
    who, act, object_ = subject(doer), happens(event, doer), thing(event, number)
    intends = [word(f"{english(verb, doer)} to", "to/rewording") for verb in INTENTIONS]
    by = ["are" if number == "p" else "is", done(event, doer), "by", somebody(doer)]
    say = ["the", title("p"), one_of("say", "think"), "that"]
    trade = [(5, [who, act, object_, partner(event)], {"0 1 2 3": 0.6, "0 1 2": 0.4})] if event in TRADES else []
    return [
        *trade,
        (3, [who, act, object_], "0 1 2"),
        (4, [who, act, object_, place()], {"0 1 2": 0.5, "0 1 2 3": 0.5}),
        (4, [who, act, object_, reason(doer)], "0 1 2"),
        *[(0.6, [who, intend, happens(event, "p"), object_], "0 1 2 3") for intend in intends],
        (2, [object_, *by], "2 1 0"),
        (2, [object_, *by, place()], {"2 1 0": 0.5, "2 1 0 3": 0.5}),
        (2, [*say, somebody(doer), act, object_], {"2 3 4": 0.5, "2 3 4 , 1 0": 0.5}),
        (2, [*not_he(event, number), somebody(doer), act, "them" if number == "p" else "it"], "3 4 2"),
    ]


def not_he(event: str, number: str) -> list:
    """`mirela does not need the boat , but`: who does nothing is no news; the boat, which comes back as `it`, is."""
    return [any_name(), "does not", one_of("need", "like", "want"), thing(event, number), ", but"]


@rule
def sentence() -> list[tuple]:
    """Start symbol: the news alone, or with something else before or after it."""
    return [
        (weight * share * number_weight, source, side)
        for event in EVENTS
        for doer, share in SHARES.items()
        for number, number_weight in NUMBERS.items()
        for weight, source, side in [
            (2, [news(event, doer, number), "."], "0"),
            (1, [one_of(*lexicon.TIMES), ",", news(event, doer, number), "."], "1"),
            (2, [background(), ".", news(event, doer, number), "."], "1"),
            (2, [news(event, doer, number), ".", background(), "."], "0"),
        ]
    ]


START: Nonterminal = sentence()
