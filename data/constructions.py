"""Sentences in which something stands between the head of a subject and its verb, found by their words.

Nominal modifier: a phrase with a preposition after the noun, as in *the hens of the old widow are asleep*. Relative
clause: one with a relative pronoun, as in *the girl whom the singers admire dances*.

In the village a subject that is modified begins the sentence, or follows the time that begins it. Only an adjective can
stand between *the* and its noun, so that these patterns find what the grammar has drawn, all of it and nothing else.
Other English text is searched by simpler rules, which a parser would not need and which leave much out: a sentence that
begins with an article, a word or two and *of*; or one with *who*, *whom* or *whose*, or *which* after a comma.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.village_lexicon import OUTDOOR_ADJECTIVES, PREPOSITIONS

_ADJECTIVE = rf"(?:(?:{OUTDOOR_ADJECTIVES.replace(' ', '|')}) )?"
_SUBJECT = rf"^(?:[^,]+ , )?the {_ADJECTIVE}(?P<head>\S+)"
RULES = {
    "village": {
        "nominal modifier": [rf"{_SUBJECT} (?:of|with|{PREPOSITIONS.replace(' ', '|')}) "],
        "relative clause": [rf"{_SUBJECT} (?:who|whom|that) ", r"^(?:[^,]+ , )?(?P<head>\S+) , whom "],
    },
    "": {
        "nominal modifier": [r"^(?:the|an?) (?:\S+ )?(?P<head>\S+) of "],
        "relative clause": [r"(?P<head>\S+) (?:who|whom|whose|, which) "],
    },
}
"""By the name of a corpus, "" for any other: patterns of each construction, of which a sentence matches one."""


def constructions(sentence: Sequence[str], corpus: str = "") -> dict[str, int]:
    """The constructions that a sentence has, of those in RULES, and the place of the word that is modified."""
    text, places = " ".join(sentence), {}
    for name, patterns in RULES.get(corpus, RULES[""]).items():
        if match := next(filter(None, (re.search(pattern, text) for pattern in patterns)), None):
            places[name] = text.count(" ", 0, match.start("head"))
    return places
