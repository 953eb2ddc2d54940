"""Saliency: both numbers of every word read, against finite differences of a computation in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from chapters.rnn_lm import saliency
from data.agreement import agreement_sentences, new_sentences
from tests import rnn_reference as reference
from tests.programs import write_corpus
from tests.rnn_models import CHAPTER as CHAPTER, KINDS, RecurrentLM, make_model
from tests.small_models import numeric_gradient, vocabulary

READ, TARGET, RIVAL = [0, 4, 2, 4, 6], 5, 1


@pytest.mark.parametrize("rival", [None, RIVAL])
@pytest.mark.parametrize("kind", KINDS)
def test_norms_and_products_are_those_of_finite_differences(kind: str, rival: int | None) -> None:
    """Each place has a row of its own in the reference, also a word that is read twice; the softmax keeps its own."""
    model = make_model(kind)
    weights = reference.weights_of(reference.parameters_of(kind, model))
    rows = weights["embedding"][READ]
    weights = {"W_hs": weights["embedding"], **weights, "embedding": rows}

    def value() -> float:
        log_probs = reference.run_model(kind, weights, range(len(READ)))[1][-1]
        return log_probs[TARGET] - (0 if rival is None else log_probs[rival])

    found, gradient = saliency.saliency(model, READ, TARGET, rival), numeric_gradient(value, rows)
    assert found.value == pytest.approx(value(), rel=1e-4)
    assert found.norms == pytest.approx(np.linalg.norm(gradient, axis=1), rel=2e-3, abs=1e-5)
    assert found.products == pytest.approx((gradient * rows).sum(axis=1), rel=2e-3, abs=1e-5)


def test_bars_by_hand() -> None:
    found = saliency.Saliency(0.0, np.array([3.0, 1.0, 0.5]), np.array([1.0, -2.0, 0.0]))
    ends = [line.split()[3:] for line in saliency.bars(["a", "b", "c"], found)]
    assert ends == [["+" * 15], ["-" * 30], []]


def test_how_often_the_subject_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the norm is largest at the word after `the`, and the product lowest there, in sentences that mostly begin
    with `the` and their subject."""
    cases = agreement_sentences(new_sentences(60))
    model = RecurrentLM(vocabulary(), hidden_size=2, dropout=0.0)

    def at_second(model, words, target, rival=None):
        numbers = np.array([float(place == 2) for place in range(len(words))])
        return saliency.Saliency(0.0, numbers, -numbers)

    monkeypatch.setattr(saliency, "saliency", at_second)
    by_norm, by_product, chance = saliency.subject_first(model, cases, with_rival=True)
    assert by_norm == np.mean([case.subject == 1 for case in cases]) > 0 == by_product
    assert chance == pytest.approx(np.mean([1 / (case.verb + 1) for case in cases]))


def test_the_program(tmp_path, call, refused, capsys) -> None:
    run = tmp_path / "run"
    corpus = write_corpus(tmp_path / "farm")
    call("train", "--corpus", corpus, "--hidden-size", 8, "--batch-size", 8, "--epochs", 1, "--run-dir", run)
    capsys.readouterr()
    call("saliency", "--run", run, "--sentence", "the hen sees", "--rival", "hen")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("log P(sees) - log P(hen) = ")
    assert [line.split()[0] for line in printed[2:]] == ["<s>", "the", "hen"]
    for flags, message in (
        (["--sentence", "hen"], "two words or more"),
        (["--sentence", "the wombat sees"], "wombat: not in this model's vocabulary"),
        (["--sentence", "the hen sees", "--rival", "wombat"], "wombat: not in"),
        (["--sentence", "the hen sees", "--sentences", "20"], "--sentences 20"),
    ):
        assert message in refused("saliency", "--run", run, *flags)
