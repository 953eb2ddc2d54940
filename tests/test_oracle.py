"""The truth about the village corpus, proved against samples and against models that learn from far more text."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from common.errors import UserError
from data import floors, oracle
from data.oracle import (
    log_prob,
    next_word_probs,
    phenomena,
    read_sentences,
    split_truth,
    token_log_probs,
)
from data.village_grammar import START
from data.village_phrases import village

VILLAGE = Path(__file__).resolve().parents[1] / "data" / "village"
TRUTH = json.loads((VILLAGE / "oracle.json").read_text(encoding="utf-8"))


def split(name: str) -> list[list[str]]:
    return read_sentences(VILLAGE / f"{name}.txt")


def samples(seed: int, count: int) -> list[list[str]]:
    return list(islice(iter(village.sampler(START, seed), None), count))


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values)) / len(values)


@pytest.mark.slow
def test_the_stored_truth_is_what_the_oracle_computes_and_prints_now(monkeypatch, capsys):
    computed = []
    monkeypatch.setattr(oracle, "split_truth", lambda *texts: computed.append(split_truth(*texts)) or computed[-1])
    oracle.print_oracle(["test"])
    assert computed == [pytest.approx(TRUTH["test"], rel=1e-6)]
    printed = capsys.readouterr().out
    (line,) = [line for line in printed.splitlines() if line.startswith("test")]
    assert f"{TRUTH['test']['perplexity']:.3f}" in line and f"{TRUTH['test']['known_perplexity']:.3f}" in line
    assert "trigram  between" in printed


def test_predictions_count_every_word_and_every_end():
    for name in ("train", "dev", "test"):
        sentences = split(name)
        truth = TRUTH[name]
        assert truth["predictions"] == sum(len(sentence) + 1 for sentence in sentences)
        assert truth["perplexity"] == pytest.approx(math.exp(-truth["log_prob"] / truth["predictions"]), rel=1e-6)
        assert 0 < truth["predictions"] - truth["known_predictions"] < 0.005 * truth["predictions"]


def test_next_words_sum_to_one_and_hold_the_cost_of_each_word():
    for sentence in split("dev")[:2]:
        log_probs = token_log_probs(sentence)
        assert math.fsum(log_probs) == pytest.approx(log_prob(sentence))
        for position, word in enumerate([*sentence, "</s>"]):
            probs = next_word_probs(sentence[:position])
            assert math.fsum(probs.values()) == pytest.approx(1, abs=1e-9)
            assert math.log(probs[word]) == pytest.approx(log_probs[position], abs=1e-9)


def test_monte_carlo_entropy_of_an_independent_sample_agrees_with_the_splits():
    count = 150
    mean, error = mean_and_error([log_prob(sentence) for sentence in samples(2024, count)])
    for name, size in (("train", 10_000), ("dev", 1_000), ("test", 1_000)):
        assert abs(mean - TRUTH[name]["log_prob"] / size) < 4 * error * math.sqrt(1 + count / size)


def test_floors_enclose_the_truth_where_it_can_be_computed():
    """Two words a and b, the next one depends on the last: P(same) = 3/4, first word uniform, ten words."""

    def sentences():
        draw = village.sampler(START, 1)  # any fixed source of numbers: the lengths of sentences
        while True:
            words = ["a" if len(draw()) % 2 else "b"]
            while len(words) < 10:
                words.append(words[-1] if sum(map(len, draw())) % 4 else {"a": "b", "b": "a"}[words[-1]])
            yield words

    bounds_by_order = floors.floors(sentences(), 1_000)
    for bounds in bounds_by_order.values():
        assert bounds["low"] <= bounds["high"] < 1.1 * bounds["low"]
    assert bounds_by_order["trigram"]["high"] < bounds_by_order["bigram"]["high"] < bounds_by_order["unigram"]["high"]


def test_phenomena_of_a_sentence():
    sentence = "the dogs beside the uncle are asleep .".split()
    assert phenomena(sentence)[5:7] == ["agreement", "selection"]
    sentence = "mira asks tavin to hook eels , so tavin waits for mira near the jetty .".split()
    labels = dict(enumerate(phenomena(sentence)))
    assert [labels[i] for i in (0, 2, 8, 11)] == ["name", "name", "recall", "recall"]
    assert labels[5] == "selection"
    assert labels[14] == "topic"


def test_a_sentence_that_the_village_cannot_say():
    assert log_prob("the cow reads a letter .".split()) == -math.inf
    assert next_word_probs(["the", "the"]) == {}
    with pytest.raises(UserError, match="does not allow word 3, 'reads'"):
        phenomena("the cow reads a letter .".split())


def test_beginnings_of_sentences_are_as_frequent_as_the_oracle_says():
    """Found in one sample, counted in another, so that the choice does not favour the lucky ones."""
    count, words = 10_000, 4
    frequent = Counter(tuple(sentence[:words]) for sentence in samples(8, 4_000)).most_common(10)
    counts = Counter(tuple(sentence[:words]) for sentence in samples(9, count))
    for prefix, _ in frequent:
        expected = count * math.exp(math.fsum(token_log_probs(prefix)[:-1]))
        assert expected > 20
        assert abs(counts[prefix] - expected) < 4.5 * math.sqrt(expected)


@pytest.mark.slow
def test_models_that_learn_from_more_and_more_text_never_pass_the_truth():
    """Trigrams from 1,000 to 25,000 sentences: better each time, above their floor and far above the truth."""
    test, train = samples(31, 700), samples(32, 25_000)
    ngrams = floors.ngram_counts(test)[3]
    truth = -math.fsum(map(log_prob, test)) / ngrams.total()
    costs = [
        floors.held_out_cost(floors.ngram_counts(train[:size]), ngrams, 3) / ngrams.total()
        for size in (1_000, 5_000, 25_000)
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] > math.log(TRUTH["floors"]["trigram"]["low"]) > truth
