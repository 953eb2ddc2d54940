"""Part 3 of chapter 4: its cells compute the skip-gram's step, and its figures show what was computed or recorded."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np

from book.figures import ch04_skipgram, ch04_skipgram_record
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.feedforward_lm import count_vectors, negative_sampling
from common.text.corpus import load_corpus
from tests.programs import write_small_village

LESSON = namespace("04", 3)


def test_the_cells_compute_the_loss_and_the_step_of_the_skip_gram() -> None:
    loss, of_v, of_u = negative_sampling.loss_and_gradients(LESSON["v"][None], LESSON["u"][None])
    assert math.isclose(LESSON["losses"].sum(), loss)
    np.testing.assert_allclose(LESSON["v"] - LESSON["v_new"], of_v[0])
    np.testing.assert_allclose(LESSON["u"] - LESSON["u_new"], of_u[0])


def test_the_cell_of_cbow_shares_the_gradient_of_the_mean() -> None:
    read = np.array([[0, -1, 1]])
    np.testing.assert_allclose(negative_sampling.mean_vectors(LESSON["near"], read), LESSON["v"][None])
    _, of_v, _ = negative_sampling.loss_and_gradients(LESSON["mean"][None], LESSON["u"][None])
    rows, slopes = negative_sampling.shared(read, of_v)
    np.testing.assert_allclose(LESSON["near"][rows] - slopes, LESSON["near_new"])


def test_the_cells_of_counts_compute_what_the_program_does() -> None:
    np.testing.assert_allclose(LESSON["ppmi"], count_vectors.ppmi(LESSON["pairs"]))
    vectors = count_vectors.truncated_svd(LESSON["ppmi"], 2, 0.5)
    np.testing.assert_allclose(vectors @ vectors.T, LESSON["short"] @ LESSON["short"].T, atol=1e-12)


def test_shares_of_text_and_samples() -> None:
    """Counted once more; words that train has but once are all <unk>."""
    counts = Counter(word for sentence in load_corpus("village").train for word in sentence)
    for word, place in zip(LESSON["words"], LESSON["ids"], strict=True):
        assert math.isclose(LESSON["text"][place], counts[word] / sum(counts.values()))
    np.testing.assert_allclose(LESSON["noise"], negative_sampling.noise(LESSON["counts"]))


def test_the_record_has_the_form_of_what_is_trained(tmp_path: Path) -> None:
    flags = {"corpus": str(write_small_village(tmp_path / "village")), "embedding_size": 4, "epochs": 1}
    kept = recorded(ch04_skipgram.CHAPTER, ch04_skipgram.RECORD)
    _, found = ch04_skipgram_record.measure(**flags)
    for side in ("input", "output"):
        for name, kinds in found[side]["places"].items():
            assert {kind: len(places) for kind, places in kinds.items()} == {
                kind: len(places) for kind, places in kept[side]["places"][name].items()
            }
        assert set(kept[side]["own class"]) == {"nouns", "verbs"} and 0 <= kept[side]["variance"] <= 1
