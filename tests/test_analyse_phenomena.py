"""Perplexity of translations by phenomenon: every prediction is counted once, unknown words apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from data.pairs import TRUTHS
from tests.programs import error_line, run_python
from tools.analyse.phenomena import labels_of_pairs, pair_table

TRUTH = TRUTHS["village_pairs"]


def test_every_prediction_has_a_label() -> None:
    pairs = load_pairs("village_pairs").test[:40]
    vocab = Vocabulary.from_sentences([pair.target for pair in pairs], 2)
    labels = labels_of_pairs(TRUTH, pairs, vocab)
    for pair, found in zip(pairs, labels, strict=True):
        assert len(found) == len(pair.target) + 1 and found[-1] == "</s>"
        for word, label, truth in zip(pair.target, found, TRUTH.phenomena(*pair), strict=False):
            assert label == (truth if word in vocab else "<unk>")
    even = [np.full(len(found), math.log(1 / 50)) for found in labels]
    oracle = [TRUTH.token_log_probs(*pair) for pair in pairs]
    heading, *rows = pair_table(labels, {"oracle": oracle, "even": even}).splitlines()
    assert heading.split() == ["decided", "by", "words", "[1]", "[2]"] and rows[-2:] == ["[1] oracle", "[2] even"]
    cells = [row.split() for row in rows[:-2]]
    assert sum(int(row[1].replace(",", "")) for row in cells) == sum(map(len, labels))
    assert {row[3] for row in cells} == {"50.00"}
    total = sum(int(row[1].replace(",", "")) * math.log(float(row[2])) for row in cells)
    assert total == pytest.approx(-sum(map(math.fsum, oracle)), rel=0.02), "two decimals"


def test_a_run_that_is_not_there_is_one_line() -> None:
    refused = run_python("-m", "tools.analyse", "--by", "phenomenon", "nowhere")
    assert refused.returncode == 2 and "no run here" in error_line(refused.stderr)
