"""The attentional state, input feeding, local-m and coverage equal their equations, however pairs are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attention import coverage, local_attention
from chapters.attention.settings import PRESETS
from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.nn.source_attention import Memory
from common.search.translation import Decoding
from common.text.pair_batching import PairBatch
from tests.attention_models import SOURCES, TARGETS, Settings, gradients, loss_of, make_model, whole_batch
from tests.luong_models import KINDS, LuongTwin, model_of
from tests.pair_laws import START, check_alone, check_forced, garbled, learn_by_heart
from tests.small_models import check_gradients, parameters_of

each_kind = pytest.mark.parametrize("name", KINDS)


# --- the equations


@each_kind
def test_a_translation_costs_what_the_equations_say(name: str) -> None:
    model = model_of(name)
    twin, found = LuongTwin(model, name), model.log_probs(whole_batch())
    for number, target in enumerate(TARGETS):
        ids = [*target, 0]
        expected = [step.log_probs[word] for step, word in zip(twin.steps(number), ids, strict=True)]
        np.testing.assert_allclose(found[: len(ids), number], expected, atol=2e-5)
    assert loss_of(model, whole_batch()) == pytest.approx(sum(map(twin.loss, range(len(SOURCES)))), rel=1e-6)


@each_kind
def test_states_are_those_of_the_equations_step_by_step(name: str) -> None:
    """In search: weights, contexts, attentional states, coverage, distributions. Padding gets exactly nothing."""
    model, inputs = model_of(name), whole_batch().target.inputs
    twin = LuongTwin(model, name)
    expected = [twin.steps(number) for number in range(len(SOURCES))]
    dy.renew_cg()
    state = model.encode(SOURCES)
    for t, words in enumerate(inputs):
        state, log_probs = model.advance(state, words.tolist())
        for number, steps in enumerate(expected):
            if t >= len(steps):
                continue
            length, step = len(SOURCES[number]), steps[t]
            np.testing.assert_allclose(state.attention[number, :length], step.weights, atol=2e-5)
            assert not state.attention[number, length:].any()
            np.testing.assert_allclose(numbers(state.context, number), step.context, atol=2e-5)
            np.testing.assert_allclose(log_probs[number], step.log_probs, atol=2e-5)
            assert (state.attentional is None) == (step.attentional is None)
            if step.attentional is not None:
                np.testing.assert_allclose(numbers(state.attentional, number), step.attentional, atol=2e-5)
            if step.covered is not None:
                found = numbers(state.source.covered.amount, number).reshape(step.covered.shape[1], -1)
                np.testing.assert_allclose(found[:, :length].T, step.covered, atol=2e-5)


def numbers(expression: dy.Expression, element: int) -> np.ndarray:
    """Those of one element of a batch."""
    return dy.pick_batch_elem(expression, element).npvalue()


@each_kind
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    """Along a random direction of each parameter, by central differences of the float64 loss by hand."""
    model, pairs = model_of(name), [0, 2, 3]
    twin = LuongTwin(model, name)
    assert len(twin.arrays) == len(parameters_of(model)), "every parameter is among those compared"
    found = gradients(model, whole_batch(pairs), twin.parameters)
    check_gradients(found, twin.arrays, lambda: sum(map(twin.loss, pairs)), least=1e-5, rel=2e-3, atol=2e-4)


def test_the_monotonic_window_by_hand() -> None:
    """D = 1, sources of 4 and of 2 words: the place is t, and the last word once the source is over."""
    window = local_attention.MonotonicWindow(1)
    lengths = dy.inputTensor(np.array([4.0, 2.0]).reshape(1, 1, 2), batched=True)
    seen = [window.outside(step, lengths, 4).npvalue()[:, 0].T == 0 for step in (0, 1, 3, 9)]
    expected = ["1100 1100", "1110 1110", "0011 1110", "0011 1110"]
    assert [" ".join("".join("01"[int(one)] for one in row) for row in rows) for rows in seen] == expected
    wide = local_attention.MonotonicWindow(6)
    for step in range(30):  # no rounding lets a word D + 1 away in
        seen = wide.outside(step, dy.inputTensor([[40.0]]), 40).npvalue().ravel() == 0
        assert [place for place in range(1, 41) if seen[place - 1]] == list(range(max(1, step - 5), step + 8))


def test_linguistic_coverage_by_hand() -> None:
    """Fertilities of 1, and of 1.5 where U_f h = ln 3: after weights of 0.6 and 0.3, twice, 1.2 and 0.4 are covered."""
    collection = dy.ParameterCollection()
    made = coverage.LinguisticCoverage(collection, 2, 0.1)
    made.U_f.set_value([[1.0, 0.0]])
    made.V.set_value([[2.0], [-1.0]])
    dy.renew_cg()
    annotations = dy.inputTensor(np.array([[0.0, np.log(3)], [5.0, 7.0]]))
    covered, weights = made.begin(annotations), dy.inputTensor([[0.6], [0.3]])
    assert not covered.amount.npvalue().any()
    for _ in range(2):
        covered = made.add(covered, dy.inputTensor([9.0, 9.0]), weights)
    np.testing.assert_allclose(np.ravel(covered.amount.npvalue()), [1.2, 0.4], atol=1e-6)
    told = made.tell(Memory(annotations, annotations, None), covered)
    np.testing.assert_allclose(told.keys.npvalue(), [[2.4, np.log(3) + 0.8], [3.8, 6.6]], atol=1e-5)


def test_an_untrained_source_word_has_the_fertility_1() -> None:
    collection = dy.ParameterCollection()
    made = coverage.LinguisticCoverage(collection, 3, 0.1)
    dy.renew_cg()
    np.testing.assert_allclose(made.begin(dy.random_normal((3, 4))).prepared.npvalue(), 1, atol=1e-6)


# --- batches and search


@each_kind
def test_padding_changes_nothing(name: str) -> None:
    """Neither what is read there, on both sides, nor how much of it: losses and gradients."""
    model, batch = model_of(name), whole_batch()
    longer = PairBatch(*(np.pad(part, ((0, 3), (0, 0))) for part in batch[:2]), batch.target)
    expected, before = loss_of(model, batch), gradients(model, batch, parameters_of(model))
    for changed in (garbled(batch), longer):
        assert loss_of(model, changed) == pytest.approx(expected, rel=1e-5)
        for key, gradient in gradients(model, changed, parameters_of(model)).items():
            np.testing.assert_allclose(gradient, before[key], atol=5e-5, err_msg=key)


@each_kind
def test_rows_can_be_chosen_copied_and_put_in_another_order(name: str) -> None:
    """Before the first step and after two: each row goes on as its own sentence does."""
    model, rows = model_of(name), [4, 0, 2, 4]
    dy.renew_cg()
    state = model.encode(SOURCES)
    for words in ([0] * 6, [2, 3, 4, 1, 2, 3], [3, 2, 4, 2, 3, 4]):
        _, found = model.advance(model.select(state, rows), [words[row] for row in rows])
        state, log_probs = model.advance(state, words)
        np.testing.assert_allclose(found, log_probs[rows], atol=1e-5)


@pytest.mark.slow
@each_kind
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=6, coverage=0.5)])
def test_a_translation_is_a_function_of_its_source_alone(name: str, decoding: Decoding) -> None:
    check_alone(model_of(name), decoding, atol=1e-4)
    check_forced(model_of(name), decoding)


@pytest.mark.trains
@pytest.mark.parametrize("name", ["input feeding", "luong", "linguistic", "neural"])
def test_translations_can_be_learnt_by_heart(name: str) -> None:
    learn_by_heart(model_of(name, scale=START, hidden_size=12, layers=1))


# --- names and flags


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    made = [{"layers": 1}, *({"layers": 1} | one for one in KINDS.values()), {"layers": 1, "encoder": "reverse"}]
    assert len({make_model(**one).name for one in made}) == len(made)


def test_the_preset_is_the_papers_model() -> None:
    """Its decoder, score and window; every parameter of it has a name of its own."""
    model = make_model(**(PRESETS["luong"] | {"layers": 1}))
    names = DynetParameters(model).names()
    assert {"readout.W_c", "attention.local.v", "score.W_a", "W_hs", "decoder.W_c.0"} <= set(names)
    assert len(set(names)) == len(names) and not [name for name in names if "backward" in name or name == "W_o"]


@pytest.mark.parametrize(
    "flags, complaint",
    [
        ({"feed": "attentional"}, "add --readout attentional"),
        ({"attention": "local-m", "markov": True}, "leave --position-bias and --markov out"),
        ({"attention": "local-m", "supervised": 1.0}, "leave --attention local-m out"),
        ({"coverage_model": "neural", "score": "dot"}, "--coverage-model neural: enters the mlp score"),
        ({"coverage_model": "linguistic", "score": "bilinear"}, "--coverage-model linguistic: enters the mlp score"),
        ({"window": 4, "readout": "attentional"}, "--window 4"),
    ],
)
def test_settings_that_exclude_each_other(flags: dict, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as caught:
        Settings(**flags)
    assert len(str(caught.value).splitlines()) == 1
