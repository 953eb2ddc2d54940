"""Sentences with modified subjects are names by their words: in the village, those that the grammar drew with one."""

from __future__ import annotations

import random

import pytest

from data.constructions import RULES, constructions
from data.grammar import Nonterminal, Recall, Word
from data.village_grammar import START
from data.village_lexicon import PREPOSITIONS
from data.village_phrases import village

PRONOUNS = {"who", "whom", "that"}
LINKS = {*PREPOSITIONS.split(), "of", "with"}


def drawn(rng: random.Random) -> tuple[list[str], set[str]]:
    """A sentence, and what its derivation has right after a subject: read off the rules that were chosen."""
    words, names, stack = [], set(), [(START, False)]
    while stack:
        symbol, after_subject = stack.pop()
        if isinstance(symbol, Nonterminal):
            weights, sides = zip(*village.expand(symbol), strict=True)
            side = rng.choices(sides, weights)[0]
            stack += reversed([(part, after_subject and not place or modifies(symbol, side, place))
                               for place, part in enumerate(side)])  # fmt: skip
        else:
            text = symbol.text if isinstance(symbol, Word) else f"name{symbol.register}"
            if after_subject and text in PRONOUNS | LINKS:
                names.add("relative clause" if text in PRONOUNS else "nominal modifier")
            words.append(text)
            assert isinstance(symbol, Word | Recall) or symbol.kind in "fm"
    return words, names


def modifies(symbol: Nonterminal, side: tuple, place: int) -> bool:
    """Whether this part of a right-hand side begins what comes between a subject and its verb."""
    before = side[place - 1] if place else None
    if symbol.rule in ("thing_state", "animal_state", "trading", "faithful_animal"):
        return place == 2  # after "the" and a noun
    if symbol.rule == "subject_acts":
        return place == 1 and len(side) == 3
    return symbol.rule == "named_acts" and isinstance(before, Word) and before.text == ","


def test_in_the_village_they_are_those_of_the_grammar() -> None:
    rng, counts = random.Random(6), dict.fromkeys(RULES["village"], 0)
    for _ in range(3000):
        words, names = drawn(rng)
        assert set(constructions(words, "village")) == names, " ".join(words)
        for name in names:
            counts[name] += 1
    assert min(counts.values()) > 150, counts


@pytest.mark.parametrize(
    ("text", "corpus", "places"),
    [
        ("at night , the old singers behind the wall clap .", "village", {"nominal modifier": 5}),
        ("at night , mira , whom the singers admire , claps .", "village", {"relative clause": 3}),
        ("the girl claps behind the wall .", "village", {}),
        ("the price of oil rose", "ptb", {"nominal modifier": 1}),
        ("a sharp drop of N points followed", "ptb", {"nominal modifier": 2}),
        ("he paid the price of oil", "ptb", {}),
        ("the end of the man who wrote", "ptb", {"nominal modifier": 1, "relative clause": 4}),
        ("the bank , which lost money , fell", "ptb", {"relative clause": 1}),
        ("which bank fell", "ptb", {}),
    ],
)
def test_the_modified_word_is_told(text: str, corpus: str, places: dict) -> None:
    """In other text than the village, which has simpler rules, too."""
    assert constructions(text.split(), corpus) == places
