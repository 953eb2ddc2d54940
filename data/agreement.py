"""Sentences of the village in which other words stand between a verb and the subject that it agrees with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from data import village_lexicon as lexicon
from data.oracle import phenomena
from data.village_grammar import START
from data.village_lexicon import plural, third_person
from data.village_phrases import village

SEED = 505
OPENS = "who whom that of with beside behind near at by outside".split()
"""What may follow a subject whose verb comes later."""
VERBS = " ".join(
    [verbs for pairs in lexicon.ACTIONS.values() for verbs, _, _ in pairs]
    + [*lexicon.INTRANSITIVES.values(), lexicon.ANY_OBJECT, lexicon.ANIMAL_VERBS, lexicon.SELLING, lexicon.BUYING]
    + ["want hope hurry wait"]
).split()
NOUNS = " ".join(
    [*lexicon.COUNTABLE.values(), *lexicon.MASS.values(), lexicon.ANIMALS, lexicon.WOMEN, lexicon.MEN]
    + [nouns for nouns, _ in lexicon.TRADES.values()]
).split()
OTHER_FORM = {third_person(verb): verb for verb in VERBS} | {verb: third_person(verb) for verb in VERBS}
OTHER_FORM |= {"is": "are", "are": "is"}
"""The other form of each verb: of another number."""
SUBJECTS = {*NOUNS, *map(plural, NOUNS), *" ".join(lexicon.GROUPS.values()).split()}
"""The nouns that a subject may be, singular and plural."""
SINGULAR = {*NOUNS}
FOR_ONE = {"is", *map(third_person, VERBS)}
"""The verb forms of a singular subject."""


class Agreeing(NamedTuple):
    """A sentence with a verb that agrees with its subject, the positions of both, and the verb's other form."""

    sentence: list[str]
    subject: int
    verb: int
    other: str

    @property
    def distance(self) -> int:
        """Words from the subject to its verb: 1 for neighbours."""
        return self.verb - self.subject

    @property
    def singular(self) -> bool:
        """Whether the subject is one, by the form of its verb."""
        return self.sentence[self.verb] in FOR_ONE

    @property
    def twin(self) -> list[str]:
        """The sentence with the verb's other form."""
        return [*self.sentence[: self.verb], self.other, *self.sentence[self.verb + 1 :]]

    @property
    def misled(self) -> bool:
        """Whether the last noun between subject and verb is of the other number than the subject."""
        between = [word for word in self.sentence[self.subject + 1 : self.verb] if word in SUBJECTS]
        return bool(between) and (between[-1] in SINGULAR) != (self.sentence[self.subject] in SINGULAR)


def agreeing(sentence: Sequence[str]) -> Agreeing | None:
    """The first noun after `the` and the first verb that must agree with it, where other words stand between them.

    sentence: of the village, which ends in a mark.
    """
    if "the" not in sentence:
        return None
    words, after = list(sentence), list(sentence).index("the") + 1
    subject = next((place for place in (after, after + 1) if words[place] in SUBJECTS), None)
    opened = after == 1 or words[after - 2] == ","
    if subject is None or not opened or words[subject + 1] not in (*OPENS, *lexicon.ADVERBS.split()):
        return None
    for place, label in enumerate(phenomena(words)):
        if label == "agreement" and words[place] in OTHER_FORM and place > subject:
            return Agreeing(words, subject, place, OTHER_FORM[words[place]])
    return None


def agreement_sentences(sentences: Iterable[Sequence[str]]) -> list[Agreeing]:
    """Those of the sentences in which a verb agrees with a noun further back."""
    return [pair for pair in map(agreeing, sentences) if pair is not None]


def new_sentences(number: int) -> list[list[str]]:
    """Sentences of the village that are in no split, always the same."""
    sample = village.sampler(START, SEED)
    return [sample() for _ in range(number)]
