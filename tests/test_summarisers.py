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
from tests.attention_models import SOURCES, TARGETS, gradients, loss_of, whole_batch
from tests.pair_laws import (
    SENTENCES,
    START,
    check_alone,
    check_dropout,
    check_forced,
    check_greedy,
    check_padding,
    check_rows,
    check_sum,
    learn_by_heart,
)
from tests.pairs import write_pairs
from tests.programs import call_and_kill, edit_settings, make_call, make_refused, metrics_of
from tests.small_models import check_gradients, parameters_of
from tests.summariser_models import CASES, CHAPTER, H, Settings, Twin, make_model, systems

each_case = pytest.mark.parametrize("case", CASES)


# --- the equations


@each_case
def test_a_summary_costs_what_the_equations_say(case: str) -> None:
    model = make_model(case)
    twin = Twin(case, model)
    expected = [twin.log_probs(number) for number in range(len(SOURCES))]
    found = model.log_probs(whole_batch())
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, whole_batch()) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@each_case
def test_step_by_step_weights_and_distributions_are_those_of_the_equations(case: str) -> None:
    """Of sentences side by side, and of the batches; padding has no weight."""
    model, batch = make_model(case), whole_batch()
    twin, batched = Twin(case, model), model.log_probs(batch)
    expected = [twin.steps(source, [0, *target]) for source, target in zip(SOURCES, TARGETS, strict=True)]
    dy.renew_cg()
    state = model.encode(SOURCES)
    for t, words in enumerate(batch.target.inputs):
        state, log_probs = model.advance(state, words.tolist())
        assert state.attention.shape == (len(SOURCES), max(map(len, SOURCES)))
        targets = batch.target.targets[t]
        np.testing.assert_allclose(log_probs[np.arange(len(SOURCES)), targets], batched[t], atol=1e-5)
        for number, steps in enumerate(expected):
            length = len(SOURCES[number])
            assert not state.attention[number, length:].any()
            if t < len(steps):
                np.testing.assert_allclose(state.attention[number, :length], steps[t].weights, atol=1e-5)
                np.testing.assert_allclose(log_probs[number], steps[t].log_probs, atol=1e-5)


@each_case
def test_gradients_are_those_of_finite_differences(case: str) -> None:
    """Along a random direction of each parameter, by central differences of the float64 loss by hand."""
    model, numbers = make_model(case), [0, 1, 2]
    twin = Twin(case, model)
    assert len(twin.parameters) == len(parameters_of(model)), "every parameter is among those compared"
    found = gradients(model, whole_batch(numbers), twin.parameters)
    check_gradients(found, twin.weights, lambda: -sum(sum(twin.log_probs(number)) for number in numbers))


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


@pytest.mark.trains
@pytest.mark.parametrize("case", ["abs", "ras-elman, mean of words", "ras-lstm"])
def test_summaries_can_be_learnt_by_heart(case: str) -> None:
    pairs = [Pair(["hen", "ox", "sees"], ["ba", "do", "ku"]), Pair(["ox", "hen", "sees"], ["do", "ba", "ku"])]
    learn_by_heart(make_model(case, scale=START, hidden_size=12), pairs)


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    names = [make_model(case).name for case in CASES]
    names += [make_model(case, hidden_size=6).name for case in ("abs", "ras-elman")]
    names += [make_model("ras-elman", positions=9).name]
    assert len(set(names)) == len(names)


# --- batches


@each_case
def test_padding_changes_nothing(case: str) -> None:
    check_padding(make_model(case))


@each_case
def test_a_batch_is_the_sum_of_its_pairs(case: str) -> None:
    check_sum(make_model(case))


@each_case
def test_rows_can_be_chosen_copied_and_put_in_another_order(case: str) -> None:
    check_rows(make_model(case))


@pytest.mark.parametrize("case", ["abs", "bag of words", "ras-elman", "ras-lstm"])
def test_dropout_is_off_outside_training(case: str) -> None:
    check_dropout(make_model(case), make_model(case, dropout=0.5))


# --- summaries


@each_case
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=3)])
def test_a_summary_is_a_function_of_its_source_alone(case: str, decoding: Decoding) -> None:
    check_alone(make_model(case), decoding)
    check_forced(make_model(case), decoding)


@each_case
def test_greedy_search_is_a_beam_of_one(case: str) -> None:
    check_greedy(make_model(case))


def test_summarisers_and_word_attention_write_together() -> None:
    """Probabilities are averaged, and so is what was attended to."""
    members = [make_model("abs"), make_model("ras-lstm"), word_attention_models.make_model("gates")]
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    each = [target_log_probs(model, pairs) for model in members]
    ensemble = TranslationEnsemble(members)
    for number, found in enumerate(target_log_probs(ensemble, pairs)):
        expected = np.mean([np.exp(one[number]) for one in each], axis=0)
        np.testing.assert_allclose(np.exp(found), expected, atol=1e-5)
    found, _ = translate(ensemble, [["hen", "sees", "ox"], ["waits"]], Decoding(beam=2))
    assert found and found[0].attention.shape[1] == 3


def test_what_is_drawn_is_what_the_equations_say() -> None:
    model = make_model("abs")
    targets = [["ba", "do"], [], ["ku", "ku", "ba"], ["emu"], ["do"]]
    for source, target, shown in zip(SENTENCES, targets, force(model, SENTENCES, targets), strict=True):
        steps = Twin("abs", model).steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])
        np.testing.assert_allclose(shown.attention, [step.weights for step in steps], atol=1e-5)


# --- programs


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
    one, other = (metrics_of(tmp_path / name) for name in ("run", "whole"))
    assert one["test"] == other["test"] and len(one["epochs"]) == 2
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
    "flags, told",
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
    flags: list, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    line = make_refused(make_call(monkeypatch, CHAPTER), capsys)("train", *flags, "--run-dir", tmp_path / "run")
    assert told in line and not (tmp_path / "run").exists()


def test_a_flag_of_no_system_in_particular_is_free() -> None:
    assert Settings(system="abs", hidden_size=H, dropout=0.3, layers=2).layers == 2
    with pytest.raises(UserError, match="--positions 9: only for"):
        Settings(system="abs", positions=9)
