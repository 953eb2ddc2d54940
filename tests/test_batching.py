"""Minibatches hold every sentence once, beside its like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.text.batching import make_batches

splits = st.lists(st.lists(st.integers(1, 9), max_size=12), max_size=30)


@pytest.mark.slow
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(sentences=splits, batch_size=st.integers(1, 7), seed=st.none() | st.integers(0, 5))
def test_every_sentence_is_in_one_batch(sentences: list[list[int]], batch_size: int, seed: int | None) -> None:
    rng = None if seed is None else np.random.default_rng(seed)
    batches = make_batches(sentences, batch_size, rng)
    indices = [index for batch in batches for index in batch.indices]
    assert sorted(indices) == list(range(len(sentences)))
    assert sum(batch.predictions for batch in batches) == sum(len(sentence) + 1 for sentence in sentences)
    for batch in batches:
        assert batch.inputs.shape == batch.targets.shape == batch.mask.shape and len(batch.indices) <= batch_size
        for number, index in enumerate(batch.indices):
            real = batch.mask[:, number] > 0
            assert batch.inputs[real, number].tolist() == [0, *sentences[index]]
            assert batch.targets[real, number].tolist() == [*sentences[index], 0]
            assert real.tolist() == sorted(real, reverse=True)
            assert not batch.inputs[~real, number].any() and not batch.targets[~real, number].any()
    if rng is None:
        lengths = [len(sentences[index]) for index in indices]
        assert lengths == sorted(lengths) and all(len(batch.indices) == batch_size for batch in batches[:-1])


@pytest.fixture
def sentences() -> list[list[int]]:
    """400 sentences of 1 to 8 words, so that many are of one length."""
    rng = np.random.default_rng(2)
    return [rng.integers(1, 9, size=size).tolist() for size in rng.integers(1, 9, size=400)]


def test_training_meets_other_neighbours_in_another_order_each_time(sentences: list[list[int]]) -> None:
    def groups(seed: int) -> list[frozenset[int]]:
        return [frozenset(batch.indices.tolist()) for batch in make_batches(sentences, 8, np.random.default_rng(seed))]

    assert groups(1) == groups(1)
    assert groups(1) != groups(2) and len(set(groups(1)) & set(groups(2))) < 5
    lengths = [batch.mask.shape[0] for batch in make_batches(sentences, 8, np.random.default_rng(1))]
    assert lengths != sorted(lengths)


def test_little_is_padded(sentences: list[list[int]]) -> None:
    batches = make_batches(sentences, 8, np.random.default_rng(1))
    assert sum(batch.mask.size for batch in batches) < 1.03 * sum(batch.predictions for batch in batches)
