"""Embeddings by counting: the table, its PMI and its SVD against small ones that were computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chapters.feedforward_lm import count_vectors, negative_sampling as sampling
from tests.feedforward_models import CHAPTER as CHAPTER

COUNTS = np.array([[0, 4, 0, 0], [4, 0, 2, 0], [0, 2, 4, 0], [0, 0, 0, 0]])
"""Of 16 pairs word 0 has 4, word 1 has 6, word 2 has 6, and word 3 has none."""


def test_cooccurrences_by_hand() -> None:
    """Neighbours count 1, words two places apart 1/2; no pair crosses the end of a sentence."""
    sentences = [np.array([0, 1, 2, 1]), np.array([2]), np.array([], dtype=int), np.array([0, 0])]
    expected = [[2, 1, 0.5, 0], [1, 1, 2, 0], [0.5, 2, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(count_vectors.cooccurrences(sentences, 4, 2), expected)


def test_cooccurrences_are_the_mean_number_of_the_pairs_of_the_skip_gram() -> None:
    rng = np.random.default_rng(3)
    sentence, pairs = rng.integers(0, 4, size=30_000), np.zeros((4, 4))
    read, predicted = sampling.skipgram_examples(*sampling.windows([sentence], 3, rng))
    np.add.at(pairs, (read[:, 0], predicted), 1)
    np.testing.assert_allclose(count_vectors.cooccurrences([sentence], 4, 3), pairs, rtol=0.05)


def test_ppmi_by_hand() -> None:
    """ln (4/16) / (4/16 * 6/16), ln (4/16) / (6/16 * 6/16); the rarer pair of 1 and 2 is below chance."""
    first, second = np.log(8 / 3), np.log(16 / 9)
    expected = [[0, first, 0, 0], [first, 0, 0, 0], [0, 0, second, 0], [0, 0, 0, 0]]
    with np.errstate(divide="raise", invalid="raise"):
        np.testing.assert_allclose(count_vectors.ppmi(COUNTS), expected)


def test_svd_by_hand() -> None:
    """Singular values 5 (along (1, 1) / sqrt 2) and 1: the first direction alone, scaled by 1, sqrt 5 and 5."""
    table = np.array([[3.0, 2.0], [2.0, 3.0]])
    for power, scale in ((0.0, 1.0), (0.5, np.sqrt(5)), (1.0, 5.0)):
        vectors = count_vectors.truncated_svd(table, 1, power)
        np.testing.assert_allclose(np.abs(vectors), np.full((2, 1), scale / np.sqrt(2)))
        assert vectors[0] * vectors[1] > 0


def test_the_program_lists_neighbours(corpus: Path, call, capsys) -> None:
    call("count_vectors", "--corpus", corpus, "--word", "hen", "--embedding-size", 4)
    printed = capsys.readouterr().out
    assert printed.count("\nhen ") == 2 and "PPMI vectors" in printed and "SVD vectors" in printed


def test_a_table_of_too_many_words_is_refused(corpus: Path, refused, monkeypatch) -> None:
    monkeypatch.setattr(count_vectors, "MOST_WORDS", 3)
    assert "--min-count 2: " in refused("count_vectors", "--corpus", corpus)
