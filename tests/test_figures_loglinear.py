"""What the figures of chapter 2 draw: recorded runs, the bowl, sparse rows, minibatches."""

from __future__ import annotations

import numpy as np
import pytest

from book.explorer.next_words import distributions
from book.figures import ch02, ch02_data as data, ch02_record
from chapters.loglinear_lm.features import FeatureSet
from common.runtime import epoch_rng
from common.text.batching import make_batch, make_batches
from tests.recorded_form import keys


@pytest.mark.slow
def test_a_tiny_record_has_the_form_of_the_one_that_is_drawn() -> None:
    record = ch02_record.measure(sentences=40, epochs=2, factors=(0.01, 1.0))[1]
    committed = ch02.recorded("02_loglinear_lm")
    assert keys(record) | keys({"command": "", "settings": committed["settings"]}) == keys(committed)
    assert committed["command"] == ch02_record.COMMAND
    epochs = committed["settings"]["curves"]["epochs"]
    assert {split: len(losses) for split, losses in committed["curves"].items()} == {"train": epochs, "dev": epochs}
    assert committed["rates"].keys() == set(ch02.NAMES)
    assert all([rate for rate, _ in rows] == sorted(rate for rate, _ in rows) for rows in committed["rates"].values())


def test_contributions_add_up_to_log_odds() -> None:
    """Between two words the parts differ by what the model's own log-probabilities do."""
    text = ch02_record.Text(80)
    options = ch02_record.settings.Settings()
    learner = text.learner(options, text.features(options))
    for batch in make_batches(text.ids, 32)[:2]:
        learner.step(batch, 1.0)
    templates = ch02_record.templates(learner.model)
    log_probs = distributions(learner.model, ch02_record.SENTENCE[: ch02_record.READ])[-1]
    ids = [text.vocab.encode([word])[0] for word in ch02_record.CANDIDATES]
    totals = np.array([sum(parts.values()) for parts in templates["contributions"].values()])
    assert np.allclose(totals - totals[0], log_probs[ids] - log_probs[ids[0]], atol=1e-5)
    assert np.allclose(list(templates["probabilities"].values()), np.exp(log_probs[ids]), atol=1e-6)
    assert ch02_record.SENTENCE[ch02_record.READ] == ch02_record.CANDIDATES[0]


def test_the_bowls_slope_is_the_one_that_finite_differences_find() -> None:
    for point in (np.array([0.3, -0.7]), np.array(data.BEGIN)):
        by_score = data.bowl(point)[1][:, 0]
        slope = [sum(by_score[i] for i, (active, *_) in enumerate(data.BOWL) if j in active) for j in (0, 1)]
        for j, step in enumerate(np.eye(2) * 1e-5):
            assert np.isclose((data.bowl(point + step)[0] - data.bowl(point - step)[0]) / 2e-5, slope[j], atol=1e-8)


def test_gradients_of_sentences_are_those_of_the_model() -> None:
    vocab, _, train, _ = data.village()
    own = FeatureSet("word1", vocab, np.zeros(len(vocab), dtype=int), {})
    lm = data.model.LogLinearLM(own)
    words = ("the", "a", "mira")
    for number in (0, 7):
        active, came = data.model.select(own, make_batch(train, [number]))
        expected = lm.loss_and_gradients(active, came)[1].b[[vocab.ids[word] for word in words]]
        assert np.allclose(data.sentence_gradients(words)[number], expected, atol=1e-5)


def test_rows_are_touched_by_the_minibatches_that_hold_the_word() -> None:
    vocab, _, train, _ = data.village()
    counts, shares = data.touched(128)
    batches = make_batches(train, 128, epoch_rng(1, 1))
    words_of_batches = [
        set(np.concatenate([[0, *train[index]] for index in batch.indices]).tolist()) for batch in batches
    ]
    assert np.isclose(shares.sum(), np.mean([len(batch_words) for batch_words in words_of_batches]))
    often = np.bincount(np.concatenate(train), minlength=len(vocab))[1:]
    assert counts.tolist() == sorted([*often, len(train)], reverse=True)


def test_the_correction_makes_steady_gradients_whole() -> None:
    plain, corrected = data.corrected_means(30, 2.0)
    assert np.allclose(corrected, 2.0, atol=1e-3)
    assert np.allclose(plain, 2.0 * (1 - 0.9 ** np.arange(1, 31)), atol=1e-4)
