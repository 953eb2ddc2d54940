"""The corpus of headlines holds what it promises, and the truth about it is the truth."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from data.headlines_phrases import EVENTS, TITLES
from data.pairs import SIZES, TRUTHS
from data.village_lexicon import plural, third_person
from tests.test_pairs import (
    check_entropy,
    check_oracle,
    check_recovered,
    lines,
    pairs,
    stored,
)

NAME = "village_headlines"
TRUTH = TRUTHS[NAME]


@pytest.mark.slow
def test_alignments_and_trees_are_found_from_the_text_alone():
    check_recovered(NAME, 60)


def test_the_stored_truth():
    check_oracle(NAME, 20)
    assert all(1.2 < stored(NAME)[split]["perplexity"] < 1.6 for split in SIZES)


def test_the_entropy_of_another_sample_agrees():
    check_entropy(NAME, 80, seed=2024)


def test_selection_rewording_and_reordering_are_told_apart():
    source = "tavin is tired . the old boat is stolen by two furriers .".split()
    assert TRUTH.phenomena(source, "two tailors steal boat".split()) == ["selection", "rewording", "choice", "choice"]
    source = "the plain saddle is delivered by mira near the barn .".split()
    labels = TRUTH.phenomena(source, "mira sells saddle near barn".split())
    assert labels[0] == "name" and labels[-1] == "local"
    source = "the saddle is delivered by mira .".split()
    assert TRUTH.phenomena(source, "mira sells saddle".split()) == ["name", "rewording", "reordering"]


def test_titles_and_events_are_reduced_to_the_headline_words():
    """No word of the target is one of those that a headline replaces."""
    replaced = {form for title in TITLES for form in (title, plural(title))}
    verbs = {verb.split("/")[0] for some in EVENTS.values() for verb in some.split()} - set(EVENTS)
    replaced |= verbs | {third_person(verb) for verb in verbs}
    words = Counter(word for target in lines("train", "target", NAME) for word in target)
    assert not replaced & words.keys()
    assert all(words[verb] + words[third_person(verb)] > 100 for verb in EVENTS)


def test_names_of_the_background_are_left_out():
    """What a model must learn to choose: some of the names in the source are not in the headline."""
    dropped = copied = 0
    for (source, target), points in zip(pairs("dev", 1000, NAME), lines("dev", "align", NAME), strict=True):
        assert len({point.split("-")[1] for point in points}) >= len(target) - 1  # all but a comma
        names = [word for word, after in pairwise(source) if word.endswith(("ena", "ika", "ela", "ek", "il"))]
        copied += sum(name in target for name in names)
        dropped += sum(name not in target for name in names)
    assert copied > 100 and dropped > 50
