"""Perplexity by phenomenon: every prediction is counted once, under what decides it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from common.text.corpus import load_corpus
from data.oracle import token_log_probs
from data.phenomena import by_label, labels_of, oracle_log_probs, phenomena_table


def test_by_hand() -> None:
    labels = [["local", "recall", "local"], ["recall", "local"]]
    log_probs = [np.log([0.5, 0.1, 0.25]), np.log([0.4, 1.0])]
    groups = by_label(labels, log_probs)
    assert {label: words for label, (words, _) in groups.items()} == {"local": 3, "recall": 2}
    assert groups["local"][1] == pytest.approx((0.5 * 0.25 * 1.0) ** (-1 / 3))
    assert groups["recall"][1] == pytest.approx((0.1 * 0.4) ** (-1 / 2))


def test_the_parts_make_up_the_oracle() -> None:
    sentences = load_corpus("village").test[:100]
    groups = by_label(labels_of(sentences), oracle_log_probs(sentences))
    assert {"local", "selection", "agreement", "recall", "topic", "name"} == groups.keys()
    total = math.fsum(words * math.log(perplexity) for words, perplexity in groups.values())
    assert total == pytest.approx(-math.fsum(sum(token_log_probs(sentence)) for sentence in sentences))
    assert groups["recall"][1] < 2 < groups["name"][1]


def test_the_table_has_a_column_a_model() -> None:
    sentences = load_corpus("village").test[:5]
    even = [[math.log(1 / 50)] * (len(sentence) + 1) for sentence in sentences]
    heading, *rows = phenomena_table(sentences, {"even": even}).splitlines()
    assert heading.split() == ["decided", "by", "words", "oracle", "even"]
    assert all(row.split()[-1] == "50.00" for row in rows)
    assert sum(int(row.split()[1]) for row in rows) == sum(len(sentence) + 1 for sentence in sentences)
