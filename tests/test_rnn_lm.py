"""The recurrent language model equals its equations, whatever its cell, however its sentences are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.evaluation.perplexity import sentence_log_probs
from common.nn.dropout import Dropout
from common.text.batching import make_batch
from tests import rnn_reference as reference
from tests.learning import learn
from tests.rnn_models import KINDS, RecurrentLM, advance_through, distributions, gradients, loss_of, make_model
from tests.small_models import LONG, SENTENCES, H, V, check_gradients, column, knows_two, vocabulary, whole_batch

each_kind = pytest.mark.parametrize("kind", KINDS)


def weights_of(kind: str, model) -> dict[str, np.ndarray]:
    return reference.weights_of(reference.parameters_of(kind, model))


# --- the equations


@pytest.mark.equation("neubig2017", 45, 46, 53)
@each_kind
def test_a_sentence_costs_what_the_equations_say(kind: str) -> None:
    model = make_model(kind)
    expected = [reference.sentence_log_probs(kind, weights_of(kind, model), sentence) for sentence in SENTENCES]
    found = model.log_probs(whole_batch())
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, whole_batch()) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@pytest.mark.equation("neubig2017", 45, 46, 53)
@each_kind
@pytest.mark.parametrize("tied", [True, False])
def test_batched_and_stepwise_distributions_are_those_of_the_equations(kind: str, tied: bool) -> None:
    model = make_model(kind, layers=1, tied=tied)
    inputs = np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    batched, stepwise = distributions(model, inputs), advance_through(model, inputs)
    for sentence in range(2):
        _, expected, _ = reference.run_model(kind, weights_of(kind, model), inputs[:, sentence].tolist())
        np.testing.assert_allclose(batched[:, :, sentence].T, expected, atol=1e-5)
        np.testing.assert_allclose(stepwise[:, :, sentence].T, expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(batched).sum(axis=0), 1, atol=1e-5)
    assert ("W_hs" in reference.parameters_of(kind, model)) is not tied


@each_kind
@pytest.mark.parametrize("residual", [False, True])
def test_layers_are_stacked(kind: str, residual: bool) -> None:
    """Three of them; with residuals each shows its state plus what it has read (Neubig 2017, section 6.4)."""
    model = make_model(kind, layers=3, residual=residual)
    shown, last = model.states(column(LONG))
    tops, log_probs, states = reference.run_model(kind, weights_of(kind, model), LONG, residual)
    np.testing.assert_allclose(shown.npvalue().T, tops, atol=1e-5)
    for layer, parts in zip(last, states, strict=True):
        for part, expected in zip(layer, parts, strict=True):
            np.testing.assert_allclose(part.npvalue(), expected, atol=1e-5)
    np.testing.assert_allclose(advance_through(model, column(LONG))[:, :, 0].T, log_probs, atol=1e-5)
    other = reference.run_model(kind, weights_of(kind, model), LONG, not residual)[0]
    assert np.abs(np.array(tops) - other).max() > 0.1


def test_a_residual_is_a_way_past_every_layer() -> None:
    """Through six layers that hardly pass anything, a gradient reaches the embedding only by the residuals."""
    sizes = {}
    for residual in (False, True):
        model = make_model("rnn", layers=6, residual=residual, tied=False)
        for layer in model.stack.layers:
            for parameter in (layer.W_x, layer.W_h):
                parameter.set_value(parameter.as_array() * 0.01)
        sizes[residual] = np.abs(gradients(model, whole_batch())["0"]).max()
    assert sizes[True] > 0.1 and sizes[False] < 1e-6


# --- learning


@each_kind
@pytest.mark.parametrize(("residual", "tied"), [(False, True), (True, False)])
def test_gradients_are_those_of_finite_differences(kind: str, residual: bool, tied: bool) -> None:
    """Along a few random directions of each parameter, by central differences of the float64 loss by hand."""
    model, sentences = make_model(kind, layers=2, residual=residual, tied=tied), [[2, 3, 4], [5, 2]]
    parameters, weights = reference.parameters_of(kind, model), weights_of(kind, model)
    found = gradients(model, make_batch(sentences, [0, 1]), parameters)

    def loss() -> float:
        return -sum(sum(reference.sentence_log_probs(kind, weights, sentence, residual)) for sentence in sentences)

    check_gradients(found, weights, loss, least=0)


@pytest.mark.trains
@each_kind
def test_two_sentences_can_be_learnt_by_heart(kind: str) -> None:
    model = RecurrentLM(vocabulary(), cell=kind, hidden_size=16, dropout=0.0)
    batch = make_batch([[2, 3, 4, 1, 6], [5, 2]], [0, 1])
    learn(model, lambda: model.loss(batch)[0], lambda: knows_two(model, batch), budget=400)


def test_the_output_bias_starts_as_asked() -> None:
    frequencies = np.log(np.arange(1, V + 1) / 28)
    model = RecurrentLM(vocabulary(), frequencies, hidden_size=H)
    np.testing.assert_allclose(model.b_s.as_array(), frequencies, rtol=1e-6)
    assert not RecurrentLM(vocabulary(), hidden_size=H).b_s.as_array().any()


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    made = [{"residual": True}, {"tied": False}, {"kind": "gru"}, {"kind": "lstm-no-forget"}, {"layers": 3}, {}]
    assert len({make_model(**options).name for options in made}) == len(made)


# --- batches


@each_kind
def test_a_batch_is_the_sum_of_its_sentences(kind: str) -> None:
    model = make_model(kind)
    alone = [make_batch(SENTENCES, [number]) for number in range(len(SENTENCES))]
    assert loss_of(model, whole_batch()) == pytest.approx(sum(loss_of(model, batch) for batch in alone), rel=1e-6)
    together, each = gradients(model, whole_batch()), [gradients(model, batch) for batch in alone]
    for name, gradient in together.items():
        np.testing.assert_allclose(gradient, sum(one[name] for one in each), rtol=1e-4, atol=1e-5, err_msg=name)


@each_kind
def test_padding_changes_nothing(kind: str) -> None:
    """Neither what is read there nor what is asked for, in losses and in gradients."""
    model, batch = make_model(kind), whole_batch()
    real = batch.mask > 0
    garbled = batch._replace(inputs=np.where(real, batch.inputs, 5), targets=np.where(real, batch.targets, 3))
    np.testing.assert_allclose(model.log_probs(garbled)[real], model.log_probs(batch)[real], atol=1e-6)
    assert loss_of(model, garbled) == pytest.approx(loss_of(model, batch), rel=1e-6)
    before, after = gradients(model, batch), gradients(model, garbled)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=1e-5, err_msg=name)


@each_kind
def test_masking_matters(kind: str) -> None:
    """Without the mask, padded steps would be counted as sentence ends over and over."""
    model, batch = make_model(kind), whole_batch()
    unmasked = batch._replace(mask=np.ones_like(batch.mask))
    extra = -model.log_probs(batch)[batch.mask == 0].sum()
    assert loss_of(model, unmasked) - loss_of(model, batch) == pytest.approx(extra, rel=1e-5) and extra > 1


words = st.integers(2, V - 1).map(lambda number: f"w{number}")
sentence_lists = st.lists(st.lists(words, max_size=9), min_size=1, max_size=8)


@each_kind
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(sentences=sentence_lists, batch_size=st.integers(1, 8))
def test_sorting_and_batching_never_change_a_log_probability(
    kind: str, sentences: list[list[str]], batch_size: int
) -> None:
    model = make_model(kind)
    for sentence, found in zip(sentences, sentence_log_probs(model, sentences, batch_size=batch_size), strict=True):
        (alone,) = sentence_log_probs(model, [sentence])
        assert found.shape == (len(sentence) + 1,)
        np.testing.assert_allclose(found, alone, atol=1e-5)


@each_kind
def test_a_future_word_never_changes_a_past_prediction(kind: str) -> None:
    model = make_model(kind)
    before = distributions(model, column(LONG))
    for changed in range(1, len(LONG)):
        ids = LONG.copy()
        ids[changed] = 1 + ids[changed] % (V - 1)
        after = distributions(model, column(ids))
        np.testing.assert_allclose(after[:, :changed], before[:, :changed], rtol=0, atol=1e-6)
        assert (np.abs(after[:, changed:] - before[:, changed:]).max(axis=0) > 1e-6).all()


# --- dropout


@pytest.mark.parametrize("kind", ["zaremba", "variational"])
def test_dropout_is_off_outside_training(kind: str) -> None:
    plain, dropping = make_model(), make_model(dropout=0.5, dropout_kind=kind)
    assert np.array_equal(dropping.log_probs(whole_batch()), plain.log_probs(whole_batch()))
    assert np.array_equal(advance_through(dropping, column(LONG)), advance_through(plain, column(LONG)))
    assert loss_of(plain, whole_batch()) == loss_of(plain, whole_batch())
    assert len({loss_of(dropping, whole_batch()) for _ in range(5)}) == 5


@pytest.mark.parametrize("layers", [1, 2])
def test_zarembas_dropout_is_on_what_enters_and_leaves_each_layer(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    """As many dropouts as layers and one more, of whole sequences; none between time steps."""
    dropped = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: dropped.append((expression.dim(), rate)) or expression)
    loss_of(make_model(layers=layers, dropout=0.3), whole_batch())
    time, sentences = whole_batch().inputs.shape
    assert dropped == [(((H, time), sentences), 0.3)] * (layers + 1)


@pytest.mark.parametrize("layers", [1, 2])
def test_variational_dropout_is_also_on_the_recurrent_connections(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    """Each layer has a mask for what enters it and one for its past, and the softmax has its own."""
    asked, draw = [], dy.random_bernoulli
    monkeypatch.setattr(
        dy, "random_bernoulli", lambda dim, p, **options: asked.append((dim, p, options)) or draw(dim, p, **options)
    )
    loss_of(make_model(layers=layers, dropout=0.2, dropout_kind="variational"), whole_batch())
    assert [dim for dim, _, _ in asked] == [(H,)] * (2 * layers + 1)
    assert all(p == 0.8 and options["scale"] == 1 / 0.8 and options["batch_size"] == 4 for _, p, options in asked)


def test_a_variational_mask_is_one_for_all_steps_and_zarembas_is_not() -> None:
    ones = dy.inputTensor(np.ones((50, 6, 3)), batched=True)
    variational, zaremba = (Dropout(0.5, kind)(ones).npvalue() for kind in ("variational", "zaremba"))
    for found in (variational, zaremba):
        assert set(np.unique(found)) == {0.0, 2.0}
        assert 0.8 < found.mean() < 1.2
        assert len({found[:, 0, sentence].tobytes() for sentence in range(3)}) == 3, "each sentence has its own"
    assert (variational == variational[:, :1]).all() and not (zaremba == zaremba[:, :1]).all()


def test_no_dropout_costs_nothing() -> None:
    x = dy.inputTensor(np.ones((2, 3, 4)), batched=True)
    for kind in ("zaremba", "variational"):
        assert Dropout(0.0, kind)(x) is x and Dropout(0.0, kind).recurrent_mask(2, 4) is None
    assert Dropout(0.5).recurrent_mask(2, 4) is None
