"""Reading pairs, their batches, and BLEU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.evaluation.metrics import bleu
from common.evaluation.rouge import rouge
from common.text.pairs import Pair, load_pairs, make_pair_batches
from tests.programs import write_lines


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for split in ("train", "dev", "test"):
        write_lines(tmp_path / f"{split}.source", [f"the {split} hen waits", "an ox"])
        write_lines(tmp_path / f"{split}.target", ["ba do", f"ku {split}"])
    return tmp_path


def test_pairs_are_lines_side_by_side(corpus: Path) -> None:
    actual = load_pairs(str(corpus))
    assert actual.dev == [Pair(["the", "dev", "hen", "waits"], ["ba", "do"]), Pair(["an", "ox"], ["ku", "dev"])]
    assert (actual.train[1].target, actual.test[1].target) == (["ku", "train"], ["ku", "test"])
    assert actual.oracle("dev") is None
    facts = '{"dev": {"perplexity": 2.0, "known_perplexity": 1.9, "known_predictions": 6}}'
    write_lines(corpus / "oracle.json", [facts])
    assert load_pairs(str(corpus)).oracle("dev")["perplexity"] == 2.0


sides = st.lists(
    st.tuples(st.lists(st.integers(2, 9), min_size=1), st.lists(st.integers(2, 9))), min_size=1, max_size=30
)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(pairs=sides, batch_size=st.integers(1, 7), seed=st.none() | st.integers(0, 5))
def test_every_pair_is_in_one_batch(pairs: list, batch_size: int, seed: int | None) -> None:
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    rng = None if seed is None else np.random.default_rng(seed)
    batches = make_pair_batches(sources, targets, batch_size, rng)
    assert sorted(index for batch in batches for index in batch.target.indices) == list(range(len(pairs)))
    for batch in batches:
        for column, index in enumerate(batch.target.indices):
            real = batch.source_mask[:, column] > 0
            assert batch.source[real, column].tolist() == sources[index]
            assert batch.target.inputs[batch.target.mask[:, column] > 0, column].tolist() == [0, *targets[index]]
    if rng is None:
        order = [index for batch in batches for index in batch.target.indices]
        lengths = [(len(targets[index]), len(sources[index])) for index in order]
        assert lengths == sorted(lengths)


def test_bleu_by_hand() -> None:
    """8, 6, 5 and 4 n-grams of 9, 8, 7 and 6 are right, and nothing is too short."""
    reference = "the hen sees an ox by the old bridge".split()
    hypothesis = "the hen sees an ox by the new bridge".split()
    actual = bleu([hypothesis], [reference])
    assert actual.value == pytest.approx(100 * (8 / 9 * 6 / 8 * 5 / 7 * 4 / 6) ** 0.25)
    assert "tok:none" in actual.signature and "version:" in actual.signature
    assert bleu([reference], [reference]).value == pytest.approx(100)
    half = bleu([reference[:5]], [reference]).value
    assert half == pytest.approx(100 * np.exp(1 - 9 / 5))


def test_rouge_by_hand() -> None:
    """Of 4 and 5 words 3 are shared, of 3 and 4 pairs of neighbours 1; the longest common subsequence has 2 words."""
    reference, hypothesis = "smith buys old boat".split(), "old smith buys a horse".split()
    actual = rouge([hypothesis], [reference])
    for kind, shared, found_of, wanted_of in (("rouge1", 3, 5, 4), ("rouge2", 1, 4, 3), ("rougeL", 2, 5, 4)):
        precision, recall = shared / found_of, shared / wanted_of
        assert actual[kind].value == pytest.approx(100 * 2 * precision * recall / (precision + recall)), kind
    again = rouge(["a a a".split()], ["a a b".split()])
    assert again["rouge1"].value == pytest.approx(100 * 2 / 3), "a word counts as often as both have it"
    mean = rouge([hypothesis, reference], [reference, reference])["rouge1"].value
    assert mean == pytest.approx((actual["rouge1"].value + 100) / 2), "the mean of the sentences' figures"
    assert rouge([[]], [reference])["rougeL"].value == 0


def test_rouge_takes_the_words_as_they_are() -> None:
    """Capitals, signs and letters beyond a to z count; and the signature says so."""
    for hypothesis in ("the ox", "The ox !", "The öx"):
        assert rouge([hypothesis.split()], ["The ox".split()])["rouge1"].value < 100
    assert rouge(["öx ж !".split()], ["öx ж !".split()])["rouge2"].value == pytest.approx(100)
    signature = rouge([["ox"]], [["ox"]])["rougeL"].signature
    assert {"nrefs:1", "case:mixed", "tok:none", "stem:no", "score:f1", "mean:sentences"} <= set(signature.split("|"))
    assert "version:rouge-score." in signature
