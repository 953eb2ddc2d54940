"""Hard and local attention, priors on attention and supervision equal their equations, however pairs are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attention import (
    attention_penalties as attention_penalties_module,
    attention_priors as attention_priors_module,
    hard_attention as hard_attention_module,
    local_attention as local_attention_module,
)
from common.errors import UserError
from common.search.translation import Decoding
from common.text.pair_batching import PairBatch
from tests.attention_models import SOURCES, TARGETS, Settings, make_model, whole_batch
from tests.learning import learn
from tests.pair_laws import BUDGET, START, check_alone, check_forced, garbled, learn_by_heart
from tests.prior_models import KINDS, LINKS, PriorTwin, cost_of, gradients_of, model_of
from tests.small_models import check_gradients, parameters_of

agreement = attention_penalties_module.agreement
wanted_weights = attention_penalties_module.wanted_weights
MarkovBias = attention_priors_module.MarkovBias
PositionBias = attention_priors_module.PositionBias
one_word = hard_attention_module.one_word
LocalWindow = local_attention_module.LocalWindow

each_kind = pytest.mark.parametrize("name", KINDS)


# --- the equations


@each_kind
def test_the_objective_is_what_the_equations_say(name: str) -> None:
    """Of all pairs side by side; and the loss in it is that of the predictions alone."""
    model = model_of(name)
    twin = PriorTwin(model, name)
    cost = cost_of(model, name, whole_batch())
    assert cost.total.scalar_value() == pytest.approx(sum(twin.cost(n) for n in range(len(SOURCES))), rel=1e-5)
    by_hand = -sum(sum(twin.log_probs(number)) for number in range(len(SOURCES)))
    assert cost.loss.scalar_value() == pytest.approx(by_hand, rel=1e-5)
    dy.renew_cg()
    assert model.loss(whole_batch()).scalar_value() == pytest.approx(by_hand, rel=1e-5)


@each_kind
def test_weights_are_those_of_the_equations_step_by_step(name: str) -> None:
    """What a step attends to, in training and in search; padding gets exactly nothing."""
    model, batch = model_of(name), whole_batch()
    twin = PriorTwin(model, name)
    in_training = cost_of(model, name, batch).weights.npvalue()
    dy.renew_cg()
    state, steps = model.encode(SOURCES), []
    for words in batch.target.inputs:
        state, _ = model.advance(state, words.tolist())
        steps.append(state.attention)
    for number, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        for t, step in enumerate(twin.steps(source, [0, *target])):
            for found in (steps[t][number], in_training[:, t, number]):
                np.testing.assert_allclose(found[: len(source)], step.weights, atol=2e-5)
                assert not found[len(source) :].any()


@each_kind
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    """Along a random direction of each parameter, of the float64 objective by hand; what is counted gets none."""
    model, numbers = model_of(name, layers=1), [0, 2, 3]
    twin = PriorTwin(model, name)
    assert len(twin.parameters) == len(parameters_of(model)), "every parameter is among those compared"
    of_model = gradients_of(model, name, whole_batch(numbers))
    found = {
        key: of_model[next(k for k, p in parameters_of(model).items() if same(p, q))]
        for key, q in twin.parameters.items()
    }
    assert "position pace" not in found or not found["position pace"].any()
    arrays = {key: weights for key, weights in twin.weights.items() if key != "position pace"}
    for number in numbers:
        twin.cost(number)  # which fixes what is seen
    loss = lambda: sum(twin.cost(number) for number in numbers)  # noqa: E731
    check_gradients(found, arrays, loss, least=1e-5, rel=2e-3, atol=2e-4)


def same(one: dy.Parameters, other: dy.Parameters) -> bool:
    return one.shape() == other.shape() and np.array_equal(one.as_array(), other.as_array())


def test_position_bias_by_hand() -> None:
    """Two source words for each target word: at target word 1 source word 2 is on the diagonal."""
    bias = PositionBias(dy.ParameterCollection(), pace=2.0)
    bias.strength.set_value([[0.5]])
    found = [bias.scores(4, step).npvalue().ravel() for step in (0, 1)]
    np.testing.assert_allclose(found, [[0, -0.5, -1, -1.5], [-1, -0.5, 0, -0.5]], atol=1e-6)


def test_behind_the_sentence_the_diagonal_changes_nothing() -> None:
    """In search a target may get longer than any diagonal: then the last words stay as likely as they were."""
    bias = PositionBias(dy.ParameterCollection(), pace=1.0)
    weights = [dy.softmax(bias.scores(4, step)).npvalue() for step in (3, 30)]
    np.testing.assert_allclose(*weights, atol=1e-6)


def test_markov_bias_by_hand() -> None:
    """Jumps of -1, 0 and 1 words get 2, 3 and 5: half the attention was on word 0, half on word 2."""
    bias = MarkovBias(dy.ParameterCollection(), 1)
    bias.jumps.set_value([[2.0, 3.0, 5.0]])
    found = bias.matrix(4) * dy.inputTensor([[0.5], [0.0], [0.5], [0.0]])
    np.testing.assert_allclose(found.npvalue().ravel(), [1.5, 2.5 + 1, 1.5, 2.5], atol=1e-6)
    assert bias.matrix(1).npvalue() == pytest.approx(3)


def test_hard_attention_sees_one_word_and_learns_as_if_it_were_soft() -> None:
    parameters = dy.ParameterCollection().add_parameters((3, 1))
    parameters.set_value([[0.2], [0.5], [0.3]])
    found = one_word(parameters + dy.zeros((3, 1)))
    assert found.npvalue().ravel().tolist() == [0, 1, 0]
    dy.dot_product(dy.reshape(found, (3,)), dy.inputTensor([7.0, 11.0, 13.0])).backward()
    assert parameters.grad_as_array().ravel().tolist() == [7, 11, 13]


def test_local_attention_finds_a_word_wherever_it_looks() -> None:
    """At both ends of the sentence, even with the smallest window; a batch has a place for each sentence."""
    window = LocalWindow(dy.ParameterCollection(), 1, 1, 1, 0.1)
    window.W.set_value([[1.0]])
    window.v.set_value([[40.0]])
    query = dy.inputTensor([[9.0, -9.0, 0.0]], batched=True)
    lengths = dy.inputTensor(np.array([4.0, 4.0, 3.0]).reshape(1, 1, 3), batched=True)
    np.testing.assert_allclose(window.place(query, lengths).npvalue().ravel(), [4, 0, 1.5], atol=1e-5)
    weights = dy.softmax(window.window_for(query, lengths, 4).outside).npvalue()[:, 0]
    np.testing.assert_allclose(weights.T, [[0, 0, 0, 1], [1, 0, 0, 0], [0.5, 0.5, 0, 0]], atol=1e-5)


def test_agreement_by_hand() -> None:
    """Two pairs: of 2 source words and 2 target words, and of 1 and 1, padded to the former. `</s>` counts nothing."""
    forward = np.zeros((2, 3, 2))
    forward[:, :, 0] = [[0.9, 0.3, 0.5], [0.1, 0.7, 0.5]]
    forward[:, :, 1] = [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    backward = np.zeros((2, 3, 2))
    backward[:, :, 0] = [[0.8, 0.4, 0.5], [0.2, 0.6, 0.5]]
    backward[:, :, 1] = [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    found = agreement(*(dy.inputTensor(one, batched=True) for one in (forward, backward)))
    by_hand = 0.9 * 0.8 + 0.3 * 0.2 + 0.1 * 0.4 + 0.7 * 0.6 + 1.0
    assert found.scalar_value() == pytest.approx(by_hand, rel=1e-6)


def test_wanted_weights_are_equal_shares() -> None:
    wanted = wanted_weights([{(0, 0), (2, 0), (1, 1)}, set()], 3, 3)
    assert wanted[:, :, 0].tolist() == [[0.5, 0, 0], [0, 1, 0], [0.5, 0, 0]]
    assert not wanted[:, :, 1].any()


# --- batches


@each_kind
def test_padding_changes_nothing(name: str) -> None:
    """Neither what is there, on both sides, nor how much of it: the objective and all of its gradients."""
    model, batch = model_of(name), whole_batch()
    target = batch.target
    longer = PairBatch(*(np.pad(part, ((0, 3), (0, 0)), constant_values=0) for part in batch[:2]), target)
    later = target._replace(**{key: np.pad(getattr(target, key), ((0, 2), (0, 0))) for key in target._fields[:3]})
    expected = cost_of(model, name, batch).total.scalar_value(), gradients_of(model, name, batch)
    for changed in (garbled(batch), longer, batch._replace(target=later)):
        assert cost_of(model, name, changed).total.scalar_value() == pytest.approx(expected[0], rel=1e-5)
        for key, gradient in gradients_of(model, name, changed).items():
            np.testing.assert_allclose(gradient, expected[1][key], atol=5e-5, err_msg=key)


@each_kind
def test_a_batch_is_the_sum_of_its_pairs(name: str) -> None:
    model = model_of(name)
    alone = [cost_of(model, name, whole_batch([number])).total.scalar_value() for number in range(len(SOURCES))]
    assert cost_of(model, name, whole_batch()).total.scalar_value() == pytest.approx(sum(alone), rel=1e-5)


@each_kind
def test_rows_can_be_chosen_copied_and_put_in_another_order(name: str) -> None:
    """After two steps: each row goes on as its own sentence does, from the same place."""
    model, rows = model_of(name), [4, 0, 2, 4]
    dy.renew_cg()
    state = model.encode(SOURCES)
    for words in ([0] * 6, [2, 3, 4, 1, 2, 3]):
        state, _ = model.advance(state, words)
    expected, log_probs = model.advance(state, [3, 2, 4, 2, 3, 4])
    after, found = model.advance(model.select(state, rows), [3, 3, 4, 3])
    np.testing.assert_allclose(found, log_probs[rows], atol=1e-5)
    np.testing.assert_allclose(after.attention, expected.attention[rows], atol=1e-5)


@each_kind
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=12), Decoding(beam=6, coverage=0.5)])
def test_a_translation_is_a_function_of_its_source_alone(name: str, decoding: Decoding) -> None:
    check_alone(model_of(name), decoding, atol=1e-4)
    check_forced(model_of(name), decoding)


# --- learning, and what makes no sense


@pytest.mark.trains
@pytest.mark.parametrize("name", ["hard", "local", "position", "markov"])
def test_translations_can_be_learnt_by_heart(name: str) -> None:
    """Only attention to the right words can tell which is which."""
    model = make_model(scale=START, hidden_size=12, layers=1, **KINDS[name])
    learn_by_heart(model, fixed=[model.attention.position.pace] if name == "position" else [])  # it is counted


@pytest.mark.trains
def test_supervision_moves_attention_to_the_links() -> None:
    model = make_model(scale=START, hidden_size=12, layers=1)
    shares = {(i, j, n): 1 / sum(other == j for _, other in links) for n, links in enumerate(LINKS) for i, j in links}

    def reached() -> bool:
        weights = cost_of(model, "supervised", whole_batch()).weights.npvalue()
        return all(abs(weights[place] - share) < 0.2 for place, share in shares.items())

    learn(model, lambda: cost_of(model, "supervised", whole_batch()).total, reached, BUDGET)


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    options = [{}, *(kind for name, kind in KINDS.items() if name != "supervised")]
    assert len({make_model(**one).name for one in options}) == len(options)
    assert model_of("supervised").name == make_model().name, "supervision adds nothing to learn"


@pytest.mark.parametrize(
    "flags, complaint",
    [
        ({"attention": "local", "position_bias": True}, "leave --position-bias and --markov out"),
        ({"attention": "local", "markov": True}, "leave --position-bias and --markov out"),
        ({"attention": "local", "supervised": 1.0}, "leave --attention local out"),
        ({"attention": "hard", "supervised": 1.0}, "leave --attention hard out"),
        ({"window": 4}, "--window 4"),
        ({"subwords": 100, "symmetry": 1.0}, "leave --subwords out"),
        ({"subwords": 100, "supervised": 1.0}, "leave --subwords out"),
        ({"hidden_size": 5}, "must be even"),
    ],
)
def test_settings_that_exclude_each_other(flags: dict, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Settings(**flags)
