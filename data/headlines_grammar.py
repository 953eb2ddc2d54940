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
    event,
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
def news(kept: str, doer: str, number: str) -> list[tuple]:
    """Who does what: as it is, as an intention, in the passive, or said by others."""
    who, act, what = subject(doer), event(kept, doer), thing(kept, number)
    intends = [word(f"{english(verb, doer)} to", "to/rewording") for verb in INTENTIONS]
    by = ["are" if number == "p" else "is", done(kept, doer), "by", somebody(doer)]
    say = ["the", title("p"), one_of("say", "think"), "that"]
    trade = [(5, [who, act, what, partner(kept)], {"0 1 2 3": 0.6, "0 1 2": 0.4})] if kept in TRADES else []
    return [
        *trade,
        (3, [who, act, what], "0 1 2"),
        (4, [who, act, what, place()], {"0 1 2": 0.5, "0 1 2 3": 0.5}),
        (4, [who, act, what, reason(doer)], "0 1 2"),
        *[(0.6, [who, intend, event(kept, "p"), what], "0 1 2 3") for intend in intends],
        (2, [what, *by], "2 1 0"),
        (2, [what, *by, place()], {"2 1 0": 0.5, "2 1 0 3": 0.5}),
        (2, [*say, somebody(doer), act, what], {"2 3 4": 0.5, "2 3 4 , 1 0": 0.5}),
        (2, [*not_he(kept, number), somebody(doer), act, "them" if number == "p" else "it"], "3 4 2"),
    ]


def not_he(kept: str, number: str) -> list:
    """`mirela does not need the boat , but`: who does nothing is no news; the boat, which comes back as `it`, is."""
    return [any_name(), "does not", one_of("need", "like", "want"), thing(kept, number), ", but"]


@rule
def sentence() -> list[tuple]:
    """Start symbol: the news alone, or with something else before or after it."""
    return [
        (weight * share * one, source, side)
        for kept in EVENTS
        for doer, share in SHARES.items()
        for number, one in NUMBERS.items()
        for weight, source, side in [
            (2, [news(kept, doer, number), "."], "0"),
            (1, [one_of(*lexicon.TIMES), ",", news(kept, doer, number), "."], "1"),
            (2, [background(), ".", news(kept, doer, number), "."], "1"),
            (2, [news(kept, doer, number), ".", background(), "."], "0"),
        ]
    ]


START: Nonterminal = sentence()
