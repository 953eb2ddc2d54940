"""The attentional model equals its equations with every score and cell, however its pairs are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.search.translation import Decoding, target_log_probs, translate
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests import encoder_models
from tests.attention_models import (
    CELLS,
    SCORES,
    SOURCES,
    TARGETS,
    AttentionalModel,
    H,
    Twin,
    gradients,
    loss_of,
    make_model,
    whole_batch,
)
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
from tests.small_models import check_gradients, parameters_of

each_score = pytest.mark.parametrize("score", SCORES)
each_cell = pytest.mark.parametrize("cell", CELLS)


# --- the equations


@pytest.mark.equation("neubig2017", 72, 73, 74, 75, 76)
@each_score
@each_cell
@pytest.mark.parametrize("layers, softmax", [(1, "tied"), (2, "tied"), (1, "untied")])
def test_a_translation_costs_what_the_equations_say(score: str, cell: str, layers: int, softmax: str) -> None:
    """An untied W_hs is Eq. 76 as it is printed."""
    model = make_model(score=score, cell=cell, layers=layers, softmax=softmax)
    twin = Twin(model, score, cell)
    assert ("output W_hs" in twin.weights) == (softmax == "untied")
    expected = [twin.log_probs(number) for number in range(len(SOURCES))]
    found = model.log_probs(whole_batch())
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, whole_batch()) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@pytest.mark.equation("neubig2017", 72, 73, 74, 75, 76)
@each_score
def test_step_by_step_states_weights_and_distributions_are_those_of_the_equations(score: str) -> None:
    """Of sentences side by side, and of the batches. What advance tells as attention are the weights it used."""
    model, batch = make_model(score=score), whole_batch()
    twin, batched = Twin(model, score), model.log_probs(batch)
    expected = [twin.steps(source, [0, *target]) for source, target in zip(SOURCES, TARGETS, strict=True)]
    dy.renew_cg()
    state = model.encode(SOURCES)
    assert not state.context.npvalue().any(), "c_0 = 0"
    for t, words in enumerate(batch.target.inputs):
        state, log_probs = model.advance(state, words.tolist())
        assert state.attention.shape == (len(SOURCES), max(map(len, SOURCES)))
        np.testing.assert_allclose(state.attention.sum(axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-5)
        targets = batch.target.targets[t]
        np.testing.assert_allclose(log_probs[np.arange(len(SOURCES)), targets], batched[t], atol=1e-5)
        for number, steps in enumerate(expected):
            length = len(SOURCES[number])
            assert not state.attention[number, length:].any()
            if t < len(steps):
                np.testing.assert_allclose(state.attention[number, :length], steps[t].weights, atol=1e-5)
                np.testing.assert_allclose(state.context.npvalue()[:, number], steps[t].context, atol=1e-5)
                np.testing.assert_allclose(state.layers[-1].hidden.npvalue()[:, number], steps[t].hidden, atol=1e-5)
                np.testing.assert_allclose(log_probs[number], steps[t].log_probs, atol=1e-5)


# --- learning


@pytest.mark.slow
@pytest.mark.equation("neubig2017", 76)
@pytest.mark.parametrize(
    "score, cell, softmax",
    [
        ("mlp", "lstm", "tied"),
        ("mlp", "lstm", "untied"),
        ("bilinear", "lstm", "tied"),
        ("dot", "lstm", "tied"),
        ("mlp", "gru", "tied"),
        ("bilinear", "rnn", "tied"),
    ],
)
def test_gradients_are_those_of_finite_differences(score: str, cell: str, softmax: str) -> None:
    """Along a random direction of each parameter, by central differences of the float64 loss by hand."""
    model, numbers = make_model(score=score, cell=cell, softmax=softmax), [0, 1, 2]
    twin = Twin(model, score, cell)
    assert len(twin.parameters) == len(parameters_of(model)), "every parameter is among those compared"
    found = gradients(model, whole_batch(numbers), twin.parameters)
    check_gradients(found, twin.weights, lambda: -sum(sum(twin.log_probs(number)) for number in numbers))


@pytest.mark.trains
@each_score
def test_translations_can_be_learnt_by_heart(score: str) -> None:
    learn_by_heart(make_model(scale=START, score=score, hidden_size=12, layers=1))


@pytest.mark.parametrize("softmax, rank", [("tied", 2), ("untied", 4)])
def test_the_rank_of_the_output_matrix(softmax: str, rank: int) -> None:
    """Of W_hs (5, 4): tied it is at most the size of an embedding, 2; untied it is full."""
    model, both = make_model(hidden_size=2, softmax=softmax), np.random.default_rng(3).normal(size=(4, 30))
    dy.renew_cg()
    logits = model.logits(dy.inputTensor(both, batched=True)).npvalue() - model.b_s.as_array()[:, None]
    assert np.linalg.matrix_rank(logits, tol=1e-4) == rank


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    made = [{}, {"score": "dot"}, {"score": "bilinear"}, {"cell": "gru"}, {"layers": 3}, {"hidden_size": 6}]
    made.append({"softmax": "untied"})
    assert len({make_model(**options).name for options in made}) == len(made)


def test_the_output_bias_starts_as_asked() -> None:
    model, frequencies = make_model(), np.log(np.arange(1, 6) / 15)
    started = AttentionalModel(model.source_vocab, model.vocab, frequencies, hidden_size=H)
    np.testing.assert_allclose(started.b_s.as_array(), frequencies, rtol=1e-6)


# --- batches


@each_score
def test_padding_changes_nothing(score: str) -> None:
    check_padding(make_model(score=score))


@each_score
def test_a_batch_is_the_sum_of_its_pairs(score: str) -> None:
    check_sum(make_model(score=score))


def test_all_that_is_lost_by_a_bottleneck_is_in_sight() -> None:
    """With the same first state, context and word, a decoder still sees which source it is."""
    model = make_model(layers=1)
    dy.renew_cg()
    states = [model.encode([source]) for source in ([2, 3, 4], [2, 3, 5])]
    found = [model.advance(state._replace(layers=states[0].layers), [0])[1] for state in states]
    assert np.abs(found[0] - found[1]).max() > 1e-3


@each_score
def test_rows_can_be_chosen_copied_and_put_in_another_order(score: str) -> None:
    check_rows(make_model(score=score))


def test_dropout_is_off_outside_training() -> None:
    check_dropout(make_model(), make_model(dropout=0.5))


def test_dropout_is_on_what_goes_from_part_to_part() -> None:
    """Words, annotations, and what the softmax reads; never on attention weights, nor from step to step."""
    seen = []

    class Recorder(Dropout):
        def __call__(self, expression: dy.Expression) -> dy.Expression:
            seen.append(expression.dim())
            return expression

    model, batch = make_model(layers=1), whole_batch([0, 1, 2])
    (S, B), T = batch.source.shape, len(batch.target.inputs)
    model.dropout = Recorder()
    loss_of(model, batch)
    words, annotations, output = ((H, S), B), ((H, S), B), ((2 * H,), T * B)
    assert sorted(map(str, seen)) == sorted(map(str, [words, words, annotations, ((H, T), B), output]))


# --- translations


@each_score
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=3), Decoding(beam=4, length="normalise")])
def test_a_translation_is_a_function_of_its_source_alone(score: str, decoding: Decoding) -> None:
    model = make_model(score=score)
    check_alone(model, decoding)
    for found in translate(model, SENTENCES, decoding):
        for one in found:
            np.testing.assert_allclose(one.attention.sum(axis=1), 1, atol=1e-5)


@each_score
def test_what_a_beam_finds_is_what_teacher_forcing_says_of_it(score: str) -> None:
    """The log-probability of each hypothesis, and its attention: rows were not mixed up on the way."""
    model = make_model(score=score)
    twin = Twin(model, score)
    check_forced(model, Decoding(beam=3))
    for source, (found, *_) in zip(SENTENCES, translate(model, SENTENCES, Decoding(beam=3)), strict=True):
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(found.words)])
        by_hand = [step.weights for step in steps[: len(found.attention)]]
        np.testing.assert_allclose(found.attention, by_hand, atol=1e-4)


@each_score
def test_greedy_search_is_a_beam_of_one(score: str) -> None:
    check_greedy(make_model(score=score))


def test_unknown_source_words_are_all_alike() -> None:
    """Two of them give the same translation; and a source of nothing but one has one."""
    model = make_model()
    for one, other in ((["yak", "ox"], ["emu", "ox"]), (["yak"], ["emu"])):
        found = translate(model, [one, other], Decoding(beam=3))
        assert [hypothesis.words for hypothesis in found[0]] == [hypothesis.words for hypothesis in found[1]]
        assert all(hypothesis.attention.shape[1] == len(one) for hypothesis in found[0])


def test_an_ensemble_with_a_model_that_attends_to_nothing() -> None:
    """Probabilities are averaged; what is told of attention is that of the only one that has some."""
    attentive, silent = make_model(), encoder_models.make_model("reverse")
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    each = [target_log_probs(model, pairs) for model in (attentive, silent)]
    ensemble = TranslationEnsemble([silent, attentive])
    for number, found in enumerate(target_log_probs(ensemble, pairs)):
        np.testing.assert_allclose(np.exp(found), (np.exp(each[0][number]) + np.exp(each[1][number])) / 2, atol=1e-5)
    (found,), _ = translate(ensemble, [["hen", "sees", "ox"], ["waits"]], Decoding())
    steps = Twin(attentive).steps([2, 4, 3], [0, *attentive.vocab.encode(found.words)])
    np.testing.assert_allclose(found.attention, [step.weights for step in steps[: len(found.attention)]], atol=1e-4)
