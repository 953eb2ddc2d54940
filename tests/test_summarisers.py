"""ABS and RAS equal their equations, loss and gradients, however the pairs are batched, and are searched like all."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.programs.chapters import load_run
from common.search.attending import force
from common.search.translation import Decoding, target_log_probs, translate
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests import word_attention_models
from tests.pair_laws import (
    SENTENCES,
)
from tests.pairs import write_pairs
from tests.programs import call_and_kill, edit_settings, make_call, make_refused, metrics_of
from tests.summariser_models import CASES, CHAPTER, H, Settings, Twin, make_model, systems

each_case = pytest.mark.parametrize("case", CASES)


# --- the equations


def test_a_bag_of_words_has_no_order_and_the_others_have() -> None:
    for case, differs in (("bag of words", False), ("abs", True), ("ras-elman", True)):
        model = make_model(case)
        dy.renew_cg()
        _, log_probs = model.advance(model.encode([[2, 3, 4, 5], [5, 3, 2, 4]]), [2, 2])
        _, again = model.advance(model.encode([[2, 3, 4, 5], [2, 3, 4, 5]]), [2, 2])
        assert np.allclose(again[0], again[1], atol=1e-6)
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-3) == differs, case


def test_abs_reads_a_source_forwards_and_backwards_alike() -> None:
    """Its windows reach as far to either side; a convolution has a matrix for each place of the window."""
    for case, differs in (("abs", False), ("ras-elman", True)):
        model = make_model(case)
        dy.renew_cg()
        _, log_probs = model.advance(model.encode([[2, 3, 4, 4, 5], [5, 4, 4, 3, 2]]), [2, 2])
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-3) == differs, case


def test_abs_forgets_what_is_older_than_its_context_and_ras_does_not() -> None:
    for case, differs in (("abs", False), ("ras-elman", True), ("ras-lstm", True)):
        model = make_model(case)  # of ABS, a context of three words
        dy.renew_cg()
        state = model.encode([[2, 3, 4]] * 2)
        for words in ([2, 4], [3, 3], [2, 2], [4, 4]):
            state, log_probs = model.advance(state, words)
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-4) == differs, case


def test_places_behind_the_last_share_its_embedding() -> None:
    model = make_model("ras-elman")
    dy.renew_cg()
    rows = model.place_embedding.as_array()
    np.testing.assert_allclose(model.places(6).npvalue().T, rows[[0, 1, 2, 3, 3, 3]], rtol=1e-6)


# --- learning


# --- batches


# --- summaries


def test_summarisers_and_word_attention_write_together() -> None:
    """Probabilities are averaged, and so is what was attended to."""
    members = [make_model("abs"), make_model("ras-lstm"), word_attention_models.make_model("gates")]
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    each = [target_log_probs(model, pairs) for model in members]
    ensemble = TranslationEnsemble(members)
    for number, actual in enumerate(target_log_probs(ensemble, pairs)):
        expected = np.mean([np.exp(item[number]) for item in each], axis=0)
        np.testing.assert_allclose(np.exp(actual), expected, atol=1e-5)
    actual, _ = translate(ensemble, [["hen", "sees", "ox"], ["waits"]], Decoding(beam=2))
    assert actual and actual[0].attention.shape[1] == 3


def test_what_is_drawn_is_what_the_equations_say() -> None:
    model = make_model("abs")
    targets = [["ba", "do"], [], ["ku", "ku", "ba"], ["emu"], ["do"]]
    for source, target, output in zip(SENTENCES, targets, force(model, SENTENCES, targets), strict=True):
        steps = Twin("abs", model).steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])
        np.testing.assert_allclose(output.attention, [step.weights for step in steps], atol=1e-5)


# --- programs


@pytest.mark.slow
@pytest.mark.parametrize("system", [name for name in systems.SYSTEMS if name != "word-attention"])
def test_it_is_trained_resumed_and_summarises(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    corpus, call = write_pairs(tmp_path / "farm"), make_call(monkeypatch, CHAPTER)
    flags = ["--system", system, "--corpus", corpus, "--hidden-size", 6, "--batch-size", 8, "--learning-rate", 0.02]
    flags += ["--epochs", 2]
    call_and_kill(call, monkeypatch, *flags, "--run-dir", tmp_path / "run")
    call("train", "--resume", "--run-dir", tmp_path / "run")
    call("train", *flags, "--run-dir", tmp_path / "whole")
    first, other = (metrics_of(tmp_path / name) for name in ("run", "whole"))
    assert first["test"] == other["test"] and len(first["epochs"]) == 2
    model, settings = load_run(tmp_path / "run")
    assert settings.system == system and type(model) is systems.model_class(system)
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", (corpus / "test.source").open(encoding="utf-8"))
    call("translate", "--run", tmp_path / "run", "--beam", 2)
    assert len(capsys.readouterr().out.splitlines()) == 16
    edit_settings(tmp_path / "run", system="word-attention")
    with pytest.raises(UserError, match="wrong run"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--system", "abs", "--query", "state"], "--query state: only for --system word-attention; leave it out"),
        (["--context", 3], "--context 3: only for --system abs; leave it out"),
        (["--width", 3], "--width 3: only for --system ras-elman or ras-lstm; leave it out"),
        (["--preset", "ras-lstm", "--cell", "gru"], "--cell gru: only for --system word-attention; leave it out"),
        (["--preset", "ras-elman", "--layers", 2], "--layers 2: only for --system word-attention or abs; leave it out"),
        (["--system", "ras-elman", "--width", 4], "--width 4: must be odd"),
        (["--system", "abs", "--context", 0], "--context 0: must be at least 1"),
        (["--system", "feats2s"], "invalid choice: 'feats2s'"),
    ],
)
def test_flags_that_make_no_sense_are_one_line(
    flags: list, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    line = make_refused(make_call(monkeypatch, CHAPTER), capsys)("train", *flags, "--run-dir", tmp_path / "run")
    assert message in line and not (tmp_path / "run").exists()


def test_a_flag_of_no_system_in_particular_is_free() -> None:
    assert Settings(system="abs", hidden_size=H, dropout=0.3, layers=2).layers == 2
    with pytest.raises(UserError, match="--positions 9: only for"):
        Settings(system="abs", positions=9)
