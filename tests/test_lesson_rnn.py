"""What lesson 5 derives and shows: the algorithm's gradients, verbs that agree, and its figures' data."""

from __future__ import annotations

import math

import pytest

from book.figures import ch05_record
from book.figures.ch05 import SIZES, padding_by_size
from book.figures.recorded import recorded
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from data.agreement import Agreeing, agreeing, agreement_sentences, new_sentences
from data.oracle import log_prob
from tests.rnn_models import CHAPTER, RecurrentLM


@pytest.mark.parametrize(
    ("sentence", "subject", "verb"),
    [
        ("the cat beside the old singers is restless .", "cat", "is"),
        ("the ponies that belong to dora wait until dora usually weighs her fine eggs .", "ponies", "wait"),
        ("this week , the fishers beside the hall supply eels .", "fishers", "supply"),
        ("the boys who are late dance .", "boys", "dance"),
    ],
)
def test_verbs_that_agree_are_found(sentence: str, subject: str, verb: str) -> None:
    found = agreeing(sentence.split())
    assert (found.sentence[found.subject], found.sentence[found.verb]) == (subject, verb)


@pytest.mark.parametrize(
    "sentence",
    ["the singers say that mira often dances , but mira is tired .", "mira often dances .", "the girl dances ."],
)
def test_where_another_noun_decides_nothing_is_found(sentence: str) -> None:
    assert log_prob(sentence.split()) > -math.inf
    assert agreeing(sentence.split()) is None


@pytest.mark.slow
def test_of_two_forms_only_one_can_be_said() -> None:
    found = agreement_sentences(new_sentences(400))
    assert len(found) > 40 and len({case.distance for case in found}) >= 4
    for case in found:
        assert log_prob(case.sentence) > -math.inf and case.distance > 1
        assert log_prob(case.twin) == -math.inf, " ".join(case.sentence)
    assert new_sentences(5) == new_sentences(5)


def test_sorting_saves_padding() -> None:
    mixed, in_order = padding_by_size().values()
    assert len(mixed) == len(in_order) == len(SIZES)
    assert mixed[0] == in_order[0] == 0
    assert all(loss > 5 * other for loss, other in zip(mixed[1:4], in_order[1:4], strict=True))


@pytest.fixture(scope="module")
def numbers() -> dict:
    """What is recorded, at tiny size: untrained models of two cells."""
    vocab = Vocabulary.from_sentences(load_corpus("village").train, min_count=2)
    models = {cell: [RecurrentLM(vocab, cell=cell, hidden_size=4, dropout=0.0)] for cell in ("lstm", "gru")}
    return ch05_record.numbers(models, sample=150, sentences=3)


def keys(value) -> dict | None:
    return {key: keys(entry) for key, entry in value.items()} if isinstance(value, dict) else None


def test_what_is_recorded_is_what_the_figures_read(numbers: dict) -> None:
    committed = recorded(CHAPTER)
    for part in ("forget bias", "cell", "name"):
        assert keys(numbers[part]) == keys(committed[part])
    assert (
        {"distance", "verbs", "misled", "5-gram", "lstm", "gru"}
        == set(numbers["agreement"])
        <= set(committed["agreement"])
    )
    assert set(numbers["gradients"]) == {"lstm", "gru"} <= set(committed["gradients"])
    assert keys(numbers["gradients"]["lstm"]) == keys(committed["gradients"]["lstm"])
    for curves in (*numbers["gradients"].values(), numbers["forget bias"]):
        assert all(len(curve) == ch05_record.STEPS for curve in curves.values())


def test_the_number_of_a_verb_is_not_its_last_letter() -> None:
    """To miss: the plural ends with s as well."""
    model = RecurrentLM(Vocabulary(["dogs", "dog", "miss", "misses"]), cell="lstm", hidden_size=4, dropout=0.0)
    found = [Agreeing("the dogs far away miss us".split(), 1, 4, "misses")]
    found += [Agreeing("the dog far away misses us".split(), 1, 4, "miss")]
    cells, singular = ch05_record.before_verbs(model, found)
    assert cells.shape == (2, 4) and singular.tolist() == [False, True]


def test_recorded_weights_are_those_of_the_cache(numbers: dict) -> None:
    name = numbers["name"]
    weights = dict(zip(name["words"][:-1], name["weights"], strict=True))
    assert sum(name["weights"]) == pytest.approx(1) and weights["dora"] == pytest.approx(name["cache"])
    assert name["both"] == pytest.approx((1 - name["share"]) * name["model"] + name["share"] * name["cache"], rel=1e-4)
    assert 0 < numbers["agreement"]["lstm"][0] < 1
    single, many = numbers["cell"]["values"]
    assert len(single) == len(ch05_record.TWO_NUMBERS[0]) and single[0] == many[0] and single[1] != many[1]
