"""Probes of chapter 5: logistic regression against plain NumPy, the states that are asked, and what moves them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from data.agreement import Agreeing, agreeing, agreement_sentences, new_sentences
from tests import rnn_reference as reference
from tests.programs import write_corpus, write_lines
from tests.rnn_models import CHAPTER, KINDS, make_model
from tests.small_models import numeric_gradient

probe, probing = (chapter_module(CHAPTER, name) for name in ("probe", "probing"))
RNG = np.random.default_rng(3)
X, LABELS = RNG.normal(size=(40, 5)) * [1, 2, 3, 1, 1] + [0, 1, 0, -2, 0], RNG.integers(0, 2, size=40)
ONE = agreeing("the girl whom the singers admire often reads her letters .".split())
MANY = agreeing("the cats beside the old singers are restless .".split())


def plain_loss(w: np.ndarray, b: float, x: np.ndarray, labels: np.ndarray, penalty: float) -> float:
    """- log P of the labels, one by one, and the penalty."""
    total = penalty / 2 * sum(number**2 for number in w)
    for row, label in zip(x, labels, strict=True):
        p = 1 / (1 + np.exp(-(np.dot(row, w) + b)))
        total -= np.log(p if label else 1 - p)
    return total


def with_ones(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x, np.ones(len(x))])


@pytest.mark.parametrize("penalty", [0.0, 0.7])
def test_the_loss_its_gradient_and_its_hessian(penalty: float) -> None:
    parameters = np.random.default_rng(4).normal(size=6)
    actual = probing.loss_of(parameters, with_ones(X), LABELS, penalty)
    assert actual == pytest.approx(plain_loss(parameters[:-1], parameters[-1], X, LABELS, penalty), rel=1e-12)
    gradient, hessian = probing.slopes(parameters, with_ones(X), LABELS, penalty)
    by_steps = numeric_gradient(lambda: plain_loss(parameters[:-1], parameters[-1], X, LABELS, penalty), parameters)
    np.testing.assert_allclose(gradient, by_steps, rtol=1e-6, atol=1e-6)
    for j, row in enumerate(hessian):
        slope = lambda j=j: probing.slopes(parameters, with_ones(X), LABELS, penalty)[0][j]  # noqa: E731
        by_steps = numeric_gradient(slope, parameters)
        np.testing.assert_allclose(row, by_steps, rtol=1e-6, atol=1e-6)


def test_a_fitted_probe_has_the_smallest_loss() -> None:
    """No direction leads down from it, and it asks the numbers as they are, not as they were made alike."""
    fitted = probing.fit(X, LABELS, penalty=0.5)
    alike = (X - X.mean(axis=0)) / X.std(axis=0)
    least = plain_loss(fitted.w, fitted.b, alike, LABELS, 0.5)
    for change in np.random.default_rng(5).normal(scale=1e-3, size=(30, 6)):
        assert plain_loss(fitted.w + change[:-1], fitted.b + change[-1], alike, LABELS, 0.5) > least
    np.testing.assert_allclose(fitted.scores(X), alike @ fitted.w + fitted.b, atol=1e-6)
    step = 1e-4 * np.eye(5)
    np.testing.assert_allclose((fitted.scores(X[0] + step) - fitted.scores(X[0])) / 1e-4, fitted.normal, rtol=1e-6)


@pytest.mark.trains
def test_labels_that_a_plane_divides_are_learnt_and_the_fit_ends() -> None:
    labels = (X @ [1, -1, 0.5, 0, 0] > 0.3).astype(int)
    fitted = probing.fit(X, labels, penalty=1e-3)
    assert ((fitted.scores(X) > 0) == labels).all() and np.isfinite(fitted.w).all()


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_the_equations(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentence by sentence in float64 NumPy, however they are put into batches."""
    model = make_model(kind, layers=2)
    weights = reference.weights_of(reference.parameters_of(kind, model))
    monkeypatch.setattr(probing, "BATCH", 2)
    sentences = [["w2", "w5", "w3"], ["w6"], ["w4", "w4", "w2", "w3"]]
    actual = probing.states(model, sentences)
    assert set(actual) == ({"h", "c"} if "lstm" in kind else {"h"})
    for number, sentence in enumerate(sentences):
        ids = [0, *model.vocab.encode(sentence)]
        for place in range(len(sentence)):
            _, _, states = reference.run_model(kind, weights, ids[: place + 2])
            for part, values in zip("hc", states[-1], strict=False):
                np.testing.assert_allclose(actual[part][number][place], values, atol=1e-5)
        assert all(len(values[number]) == len(sentence) for values in actual.values())


def test_where_states_are_asked() -> None:
    """From the subject to the word before the verb, or from the verb to the end; of the gender of people only."""
    before = probing.places([ONE, MANY], "number", "before")
    assert before.sentence.tolist() == [0] * 6 + [1] * 5
    assert before.word.tolist() == [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5]
    assert before.distance.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4]
    assert before.label.tolist() == [1] * 6 + [0] * 5
    after = probing.places([MANY, ONE], "gender", "after")
    assert after.sentence.tolist() == [1] * 4 and after.word.tolist() == [7, 8, 9, 10]
    assert after.distance.tolist() == [0, 1, 2, 3] and after.label.tolist() == [1] * 4
    values = [np.arange(44).reshape(11, 4), 100 + np.arange(36).reshape(9, 4)]
    assert probing.at(values, before)[[0, 6], 0].tolist() == [4, 104]


def test_the_number_of_a_subject_is_that_of_its_verb() -> None:
    """Of two forms of a verb the longer one is that of a single subject."""
    actual = agreement_sentences(new_sentences(300))
    assert {item.singular for item in actual} == {True, False}
    for item in actual:
        verb = item.sentence[item.verb]
        assert item.singular == (verb == "is" if verb in ("is", "are") else len(verb) > len(item.other))
    assert not Agreeing("the dogs that miss us wait".split(), 1, 3, "misses").singular


def test_shuffled_labels_are_one_a_sentence() -> None:
    where = probing.Places(np.repeat(np.arange(30) * 2, 3), np.zeros(90, int), np.zeros(90, int),
                           np.repeat(np.arange(30) < 12, 3).astype(int))  # fmt: skip
    samples = probing.shuffled(where, np.random.default_rng(1)).reshape(30, 3)
    assert (samples == samples[:, :1]).all() and samples[:, 0].sum() == 12
    assert (samples[:, 0] != where.label[::3]).sum() > 5


def test_a_mirrored_state_has_the_opposite_score() -> None:
    """It lies beyond the plane along the normal, and as far from it; what is moved elsewhere goes as far."""
    fitted = probing.fit(X, LABELS)
    away = probing.mirrored(fitted, X)
    np.testing.assert_allclose(fitted.scores(away), -fitted.scores(X), atol=1e-9)
    np.testing.assert_allclose(fitted.scores((X + away) / 2), 0, atol=1e-9)
    turned = away - X - np.outer((away - X) @ fitted.normal, fitted.normal) / (fitted.normal @ fitted.normal)
    np.testing.assert_allclose(turned, 0, atol=1e-9)
    silent = probing.Probe(X.mean(axis=0), X.std(axis=0), np.zeros(X.shape[1]), 1.0)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(probing.mirrored(silent, X), X)
    samples = probing.elsewhere(X, away, np.random.default_rng(2))
    np.testing.assert_allclose(np.linalg.norm(samples - X, axis=1), np.linalg.norm(away - X, axis=1))
    assert np.linalg.norm(samples - away) > 0.5 * np.linalg.norm(away - X)


def test_means_are_exchanged() -> None:
    means = X[LABELS == 0].mean(axis=0), X[LABELS == 1].mean(axis=0)
    moved = probing.exchanged(X, LABELS, means)
    np.testing.assert_allclose(moved[LABELS == 0].mean(axis=0), means[1])
    np.testing.assert_allclose(moved[LABELS == 1].mean(axis=0), means[0])


# --- the program


def planted(noise: float, seed: int = 1) -> tuple[np.ndarray, probing.Places]:
    """Vectors of 200 sentences of four places; one of their numbers is the label, and noise."""
    rng = np.random.default_rng(seed)
    where = probing.Places(np.repeat(np.arange(200), 4), np.tile(np.arange(4), 200), np.tile([0, 1, 2, 9], 200),
                           np.repeat(rng.integers(0, 2, 200), 4))  # fmt: skip
    x = rng.normal(size=(800, 6))
    x[:, 2] = where.label + noise * x[:, 2]
    return x, where


def test_what_is_in_the_vectors_is_found_and_nothing_else() -> None:
    x, where = planted(0.05)
    actual = probe.probed(x, where, where.label)
    assert np.nanmin(actual.accuracy) > 0.97 and probe.loudest(actual.probe) == 2
    assert np.isnan(actual.accuracy[3:-1]).all() and not np.isnan(actual.accuracy[-1]), "distances beyond are together"
    x, where = planted(50.0)
    assert 0.3 < np.nanmean(probe.probed(x, where, where.label).accuracy) < 0.7


def test_a_probe_is_tested_on_sentences_that_it_has_not_seen() -> None:
    _, where = planted(1.0)
    train = probe.split(where)
    assert not set(where.sentence[train]) & set(where.sentence[~train])
    assert len(set(where.sentence[train])) == len(set(where.sentence[~train])) == 100


def test_accuracy_by_distance_by_hand() -> None:
    actual = probe.by_distance(np.array([1, 0, 1, 1, 0]), np.array([0, 0, 2, 6, 40]))
    np.testing.assert_array_equal(actual, [0.5, np.nan, 1, np.nan, np.nan, np.nan, 0.5])
    where = probing.Places(np.arange(6), np.zeros(6, int), np.array([0, 0, 0, 0, 0, 1]), np.array([1, 0, 1, 1, 0, 0]))
    np.testing.assert_array_equal(probe.majority(where)[:2], [0.5, 0.0])


def test_the_more_probable_form_is_that_of_the_softmax() -> None:
    model = make_model("gru", layers=1)
    weights = reference.weights_of(reference.parameters_of("gru", model))
    hidden = np.random.default_rng(6).normal(size=(8, 3))
    right, wrong = [2, 3, 4, 5, 6, 2, 3, 4], [3, 4, 5, 6, 2, 4, 5, 6]
    scores = hidden @ weights["embedding"].T + weights["b_s"]
    expected = [row[first] > row[other] for row, first, other in zip(scores, right, wrong, strict=True)]
    assert probe.right_forms(model, hidden, right, wrong).tolist() == expected and 0 < sum(expected) < 8


@pytest.mark.slow
def test_the_program_prints_and_draws(tmp_path: Path, call, refused, capsys) -> None:
    """A model of a few village sentences; it runs through both questions and both zones."""
    folder, sentences = tmp_path / "hamlet", [" ".join(sentence) for sentence in new_sentences(400)]
    folder.mkdir()
    for split, lines in (("train", sentences), ("dev", sentences[:10]), ("test", sentences[10:20])):
        write_lines(folder / f"{split}.txt", lines)
    run = tmp_path / "run"
    call("train", "--corpus", folder, "--hidden-size", 8, "--epochs", 1, "--min-count", 1, "--run-dir", run)
    capsys.readouterr()
    call("probe", "--run", run, "--sentences", 150)
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines}
    assert {"state", "cell", "untrained", "word", "shuffled", "majority", "right"} <= set(rows)
    assert all(0 <= float(number) <= 100 for number in rows["state"] if number != "nan")
    assert (run / "probe.png").stat().st_size > 1000
    call("probe", "--run", run, "--sentences", 400, "--ask", "gender", "--zone", "after")
    assert "right form" not in capsys.readouterr().out
    assert "--sentences 0" in refused("probe", "--run", run, "--sentences", 0)


def test_a_model_of_other_words_is_refused(tmp_path: Path, call, refused) -> None:
    corpus, run = write_corpus(tmp_path / "farm"), tmp_path / "run"
    call("train", "--corpus", corpus, "--hidden-size", 4, "--epochs", 1, "--run-dir", run)
    assert "too few words of the village" in refused("probe", "--run", run, "--sentences", 100)
