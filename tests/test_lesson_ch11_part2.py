"""Part 2 of chapter 11: recorded heads are those that are shown, and the claims are in the record."""

from __future__ import annotations

import numpy as np

from book.figures.ch11_part2_record import CHAPTER, RECORD, heads_of
from book.figures.recorded import recorded
from common.search.attending import force
from common.text.pairs import Pair
from tests.pair_laws import SENTENCES
from tests.translator_models import make_model


def test_the_heads_that_are_recorded_are_those_that_are_shown() -> None:
    pairs = [Pair(source, target) for source, target in zip(SENTENCES, (["ba"], ["do", "ku"]), strict=False)]
    maps = heads_of(make_model(), pairs)
    for head in range(4):
        shown = force(make_model(alignment_head=head + 1), *zip(*pairs, strict=True))
        for of_pair, example in zip(maps, shown, strict=True):
            np.testing.assert_allclose(of_pair[head], example.attention, atol=2e-5)


def test_what_the_lesson_says_of_trained_models() -> None:
    record = recorded(CHAPTER, RECORD)
    heads = record["settings"]["heads"] * record["settings"]["layers"]
    assert len(record["heads"]) == heads == len(record["sentence"]["attention"])
    assert record["runs"][0]["alignment error"] < min(record["heads"]), "the mean of all heads is better than each"
    cost = record["generation"]["milliseconds"]
    assert all(ours > theirs for ours, theirs in zip(cost["Transformer"], cost["LSTM"], strict=True))
