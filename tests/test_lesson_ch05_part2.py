"""Part 2 of chapter 5: what the probes record has the form that its figures read."""

from __future__ import annotations

import json

import numpy as np
import pytest

from book.figures import ch05_part2, ch05_part2_record
from book.figures.recorded import recorded
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.rnn_models import CHAPTER, RecurrentLM


@pytest.fixture(scope="module")
def numbers() -> dict:
    """What is recorded, at tiny size: untrained models of two cells."""
    vocab = Vocabulary.from_sentences(load_corpus("village").train, min_count=2)
    made = {
        cell: [tuple(RecurrentLM(vocab, cell=cell, hidden_size=4, dropout=0.0) for _ in range(2)) for _ in range(2)]
        for cell in ("lstm", "rnn")
    }
    return ch05_part2_record.plain(ch05_part2_record.numbers(made, sample=250))


def keys(value) -> dict | None:
    return {key: keys(one) for key, one in value.items()} if isinstance(value, dict) else None


def test_the_recorded_numbers_have_the_form_of_what_the_program_finds(numbers: dict) -> None:
    kept = recorded(CHAPTER, ch05_part2.RECORD)
    json.dumps(numbers)
    for name in ("majority", "tested", "unit", "pair"):
        assert keys(kept[name]) == keys(numbers[name])
    for name in ("accuracy", "moved", "through"):
        assert set(kept[name]) >= set(numbers[name])
    assert keys(kept["accuracy"]["number after"]["lstm"]) == keys(numbers["accuracy"]["number after"]["lstm"])
    assert len(kept["settings"]["runs"]) == 15
    assert ch05_part2_record.tables(kept)


def test_counts_and_shares_are_possible(numbers: dict) -> None:
    for question, cells in numbers["accuracy"].items():
        places = numbers["tested"][question]["places"]
        for row in (row for kinds in cells.values() for runs in kinds.values() for row in runs):
            right = [share * count for share, count in zip(row, places, strict=True) if count]
            np.testing.assert_allclose(right, np.round(right), atol=1e-6)


def test_pooled_accuracy_by_hand() -> None:
    found = {"tested": {"q": {"places": [9, 3, 1]}}, "accuracy": {"q": {"rnn": {"state": [[0.0, 1.0, 0.0]]}}}}
    assert ch05_part2_record.pooled(found, "q", "rnn", "state", 1).tolist() == [75.0]
