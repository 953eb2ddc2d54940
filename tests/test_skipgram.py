"""Skip-gram and CBOW with negative sampling: loss and gradients against plain NumPy, windows and samples by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from tests.feedforward_models import CHAPTER
from tests.programs import error_line, write_lines
from tests.small_models import numeric_gradient

sampling = chapter_module(CHAPTER, "negative_sampling")
Settings = sampling.NegativeSamplingSettings


def plain_loss(v: np.ndarray, u: np.ndarray) -> float:
    """One dot product after the other, in float64."""
    total = 0.0
    for vector, others in zip(v, u, strict=True):
        for place, other in enumerate(others):
            p = 1 / (1 + np.exp(-sum(a * b for a, b in zip(vector, other, strict=True))))
            total -= np.log(p if place == 0 else 1 - p)
    return total


def test_the_loss_and_every_gradient() -> None:
    rng = np.random.default_rng(1)
    v, u = rng.normal(size=(4, 3)), rng.normal(size=(4, 6, 3))
    loss, of_v, of_u = sampling.loss_and_gradients(v, u)
    assert loss == pytest.approx(plain_loss(v, u), rel=1e-12)
    for values, actual in ((v, of_v), (u, of_u)):
        assert actual == pytest.approx(numeric_gradient(lambda: plain_loss(v, u), values), rel=1e-6, abs=1e-8)


def test_large_scores_overflow_nowhere() -> None:
    v, u = np.array([[1000.0, 0.0]]), np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        loss, of_v, _ = sampling.loss_and_gradients(v, u)
    assert loss == pytest.approx(2000) and of_v.tolist() == [[2, 0]]


def test_noise_by_hand() -> None:
    np.testing.assert_allclose(sampling.noise(np.array([16, 0, 1])), [8 / 9, 0, 1 / 9])


@pytest.fixture
def narrow() -> tuple[np.ndarray, np.ndarray]:
    """The windows of four sentences, one word to either side."""
    sentences = [np.array([5, 6, 7]), np.array([8]), np.array([], dtype=int), np.array([9, 5])]
    return sampling.windows(sentences, 1, np.random.default_rng(1))


def test_pairs_of_a_narrow_window_by_hand(narrow) -> None:
    """No pair crosses the end of a sentence, and a sentence of one word has none."""
    read, predicted = sampling.skipgram_examples(*narrow)
    actual = Counter(zip(read[:, 0].tolist(), predicted.tolist(), strict=True))
    assert actual == Counter([(5, 6), (6, 5), (6, 7), (7, 6), (9, 5), (5, 9)])


def test_cbow_reads_all_neighbours_of_a_word_by_hand(narrow) -> None:
    read, predicted = sampling.cbow_examples(*narrow)
    actual = [
        (sorted(set(near) - {sampling.NOBODY}), word) for near, word in zip(read.tolist(), predicted, strict=True)
    ]
    assert actual == [([6], 5), ([5, 7], 6), ([6], 7), ([5], 9), ([9], 5)]


def test_the_gradient_of_a_mean_is_that_of_finite_differences() -> None:
    """Of each input vector that CBOW reads: twice in one window, in two windows, in none; and of the output vectors."""
    rng = np.random.default_rng(6)
    M, C = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    read, predicted = np.array([[1, 2, -1, 1], [-1, 3, 2, -1], [-1, -1, -1, 4]]), np.array([[0, 2], [1, 4], [2, 2]])

    def plain() -> float:
        means = [np.mean([M[word] for word in row if word >= 0], axis=0) for row in read]
        return plain_loss(np.array(means), C[predicted])

    loss, of_v, _ = sampling.loss_and_gradients(sampling.mean_vectors(M, read), C[predicted])
    rows, slopes = sampling.shared(read, of_v)
    actual = np.zeros_like(M)
    np.add.at(actual, rows, slopes)
    assert loss == pytest.approx(plain(), rel=1e-12)
    assert actual == pytest.approx(numeric_gradient(plain, M), rel=1e-6, abs=1e-8)


def test_frequent_words_are_thinned_out() -> None:
    sentences, counts = [[0] * 9000 + [1] * 1000], np.array([9000, 1000])
    (saved,) = sampling.thinned(sentences, counts, 0.1, np.random.default_rng(3))
    assert (saved == 0).sum() / 9000 == pytest.approx(np.sqrt(0.1 / 0.9), abs=0.02)
    assert (saved == 1).sum() == 1000
    assert sampling.thinned(sentences, counts, 0.0, np.random.default_rng(3))[0].tolist() == sentences[0]


def test_repeated_rows_move_once_by_the_sum() -> None:
    values = np.ones((3, 2))
    steps = sampling.Adagrad(values, 0.5)
    steps.update(np.array([2, 0, 2]), np.array([[1.0, 0.0], [3.0, -4.0], [2.0, 0.0]]))
    np.testing.assert_allclose(values, [[0.5, 1.5], [1, 1], [0.5, 1]], atol=1e-6)
    steps.update(np.array([2]), np.array([[4.0, 0.0]]))
    np.testing.assert_allclose(values[2], [0.5 - 0.5 * 4 / 5, 1], atol=1e-6)


def test_samples_follow_the_noise() -> None:
    """The first of each row is the context word; the others are drawn from q, never a word of probability 0."""
    model = sampling.WordVectors(4, Settings(samples=4, window=1, batch_size=7))
    q = np.array([0.5, 0.0, 0.25, 0.25])
    rows = list(model.batches([np.tile([0, 1], 5000)], q, np.random.default_rng(1)))
    others = np.concatenate([other for _, other in rows])
    assert (others[:, 0] == 1 - np.concatenate([read[:, 0] for read, _ in rows])).all() and len(others) == 2 * 9999
    np.testing.assert_allclose(np.bincount(others[:, 1:].ravel(), minlength=4) / others[:, 1:].size, q, atol=0.01)


@pytest.mark.trains
@pytest.mark.parametrize("method", sampling.METHODS)
def test_words_of_the_same_surroundings_become_neighbours(method: str) -> None:
    """Two kinds of words, each followed and preceded by a word of its kind alone; a pass lowers the loss."""
    rng = np.random.default_rng(4)
    sentences = [[8 + kind, int(rng.integers(4)) + 4 * kind, 8 + kind] for kind in rng.integers(0, 2, size=1500)]
    counts = np.bincount(np.concatenate(sentences), minlength=10)
    model = sampling.WordVectors(10, Settings(method=method, embedding_size=8, window=1, batch_size=32))
    losses = [model.train_epoch(sentences, counts) for _ in range(3)]
    assert losses[2] < losses[0] < 6 * np.log(2) + 1e-6
    dev = model.loss([np.array(sentence) for sentence in sentences[:300]], counts)
    assert dev == model.loss([np.array(sentence) for sentence in sentences[:300]], counts) < losses[0]
    lengths = np.linalg.norm(model.M[:8], axis=1)
    cosines = model.M[:8] @ model.M[:8].T / np.outer(lengths, lengths)
    assert cosines[:4, :4].min() > cosines[:4, 4:].max() and cosines[4:, 4:].min() > cosines[:4, 4:].max()


def test_the_program_prints_and_the_seed_decides(corpus: Path, call, capsys) -> None:
    flags = ["--corpus", corpus, "--embedding-size", 4, "--epochs", 2, "--word", "hen"]
    texts = []
    for seed in (1, 1, 2):
        call("skipgram", *flags, "--seed", seed)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].count("nats for each prediction") == 2 and texts[0].count("\nhen ") == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--word", "wombats"], "--word wombats"),
        (["--window", "0"], "--window 0"),
        (["--samples", "2000000"], "--samples"),
        (["--out", "nowhere/at/all"], "--out"),
        (["--out", "."], "--out: maps are of the village's words"),
    ],
)
def test_bad_input_is_one_line(corpus: Path, call, capsys, flags: list[str], message: str) -> None:
    with pytest.raises(SystemExit):
        call("skipgram", "--corpus", corpus, "--epochs", 1, *flags)
    messages = capsys.readouterr()
    assert message in error_line(messages.err) and "epoch" not in messages.out, "before anything is trained"


def test_sentences_of_one_word_teach_nothing(tmp_path: Path, refused) -> None:
    for split in ("train", "dev", "test"):
        write_lines(tmp_path / f"{split}.txt", ["hen", "goat"])
    assert "two words" in refused("skipgram", "--corpus", tmp_path)
