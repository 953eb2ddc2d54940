"""Part 2 of chapter 11: its cells compute what the course does, and its claims are in its record."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from book.figures.ch11_part2_record import CHAPTER, RECORD, heads_of
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.transformer.block import Attention
from chapters.transformer.settings import Settings
from chapters.transformer.settings_pairs import Settings as PairSettings
from chapters.transformer.translator import TransformerTranslator
from common.search.attending import force
from common.text.pairs import Pair
from common.text.vocab import Vocabulary
from tests.pair_laws import SENTENCES
from tests.translator_models import make_model

LESSON = namespace("11", 2)


@pytest.mark.equation("vaswani2017", 1)
def test_the_two_words_are_those_of_the_decoder() -> None:
    dy.renew_cg()
    collection = dy.ParameterCollection()
    attention = Attention(collection, Settings(hidden_size=2, heads=1))
    attention.W_q.set_value(LESSON["W_q"])
    attention.W_o.set_value(np.eye(2))
    queries = attention.W_q * dy.inputTensor(LESSON["vectors"].T)
    weights = attention.weights(queries, dy.inputTensor(LESSON["keys"].T), None)
    np.testing.assert_allclose(weights[0].npvalue(), LESSON["weights"].T, atol=1e-6)
    contexts = attention.mix(weights, dy.inputTensor(LESSON["values"].T))
    np.testing.assert_allclose(contexts.npvalue(), LESSON["contexts"].T, atol=1e-6)
    assert [LESSON["source"][row.argmax()] for row in LESSON["weights"]] == ["mirena", "galin"]


def test_the_keys_and_values_that_are_kept() -> None:
    words = Vocabulary(["a", "b"])
    model = TransformerTranslator.from_settings(PairSettings(), words, words)
    dy.renew_cg()
    state = model.encode([[2] * LESSON["S"]])
    for _ in range(LESSON["T"]):
        state, _ = model.next_words(state, [2])
    for parts, expected in ((state.source, LESSON["of_source"]), (state.past, LESSON["of_target"])):
        assert sum(part.npvalue().size for past in parts for part in past) == expected


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
