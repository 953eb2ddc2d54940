"""What holds for every model of the course: its equations, gradients, batches, search, saving. MODELS has the cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np
import pytest

from common.nn.parameters import DynetParameters
from common.text.batching import make_batch
from common.training.checkpoint import save_parameters
from common.training.loading import load_parameters
from common.training.parallel import silent
from tests.law_cases import Text
from tests.learning import learn, sole_words
from tests.model_laws import MODELS, each_model, has_reference, is_neural
from tests.pair_laws import learn_by_heart
from tests.small_models import check_gradients, gradients, knows_two, parameters_of
from tests.test_model_form import MODELS as MODEL_CLASSES


def loss_of(case: Text, model: Any, batch: Any) -> float:
    dy.renew_cg()
    return case.loss(model, batch).scalar_value()


def gradients_of(case: Text, model: Any, batch: Any) -> dict[str, np.ndarray]:
    return gradients(model.collection, parameters_of(model), lambda: case.loss(model, batch))


def test_every_class_of_model_is_here() -> None:
    classes = {kind.__name__ for case in MODELS.values() for kind in type(case.make()).__mro__}
    assert set(MODEL_CLASSES) <= classes


# --- the equations


@pytest.mark.equation("neubig2017", 42, 43, 45, 46, 53, 60, 64, 65, 66, 67, 68, 70, 72, 73, 74, 75, 76, 77, 78, 79, 80)
@pytest.mark.equation("salton2017", 1, 2, 3, 4, 5, 6, 7, 8)
@pytest.mark.equation("wu2018", 1, 2, 3, 4, 5, 6)
@pytest.mark.equation("vaswani2017", 1, 2)
@each_model(has_reference)
def test_a_sentence_costs_what_the_equations_say(name: str) -> None:
    case = MODELS[name]
    model = case.make()
    twin, batch = case.reference(model), case.batch(model)
    actual, expected = model.log_probs(batch), [twin.log_probs(number) for number in range(case.size)]
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(actual[: len(log_probs), number], log_probs, atol=2e-5)
    assert loss_of(case, model, batch) == pytest.approx(sum(map(twin.loss, range(case.size))), rel=1e-5)


@pytest.mark.equation("neubig2017", 42, 43, 45, 46, 53, 60, 72, 73, 74, 75, 76)
@pytest.mark.equation("salton2017", 1, 2, 3, 4, 5, 6, 7, 8)
@pytest.mark.equation("wu2018", 1, 2, 3, 4, 5, 6)
@each_model()
def test_step_by_step_distributions_are_those_of_batches_and_equations(name: str) -> None:
    """They sum to one; attention and gates are those of the equations, and padding gets exactly nothing."""
    case = MODELS[name]
    model = case.make()
    batch = case.batch(model)
    targets, log_probs = case.targets(batch), model.log_probs(batch)
    twin = case.reference(model) if case.reference else None
    expected = [twin.steps_of(number) if twin else [] for number in range(case.size)]
    state = case.start(model)
    for t, words in enumerate(targets.inputs):
        state, distributions = model.advance(state, words.tolist())
        np.testing.assert_allclose(np.exp(distributions, dtype=np.float64).sum(axis=1), 1, atol=1e-5)
        real = targets.mask[t] > 0
        of_targets = distributions[np.arange(case.size), targets.targets[t]]
        np.testing.assert_allclose(of_targets[real], log_probs[t, real], atol=2e-5)
        for number, steps in enumerate(expected):
            if t < len(steps):
                check_step(steps[t], state, distributions[number], number)


def check_step(step: Any, state: Any, distribution: np.ndarray, number: int) -> None:
    """What a row of a batch computes is what the reference says of the sentence."""
    np.testing.assert_allclose(np.exp(distribution), np.exp(step.log_probs), atol=1e-5)
    for attention, name in (("attention", "weights"), ("word_attention", "beta")):
        weights = getattr(step, name, None)
        if weights is not None and hasattr(state, attention):
            row = getattr(state, attention)[number]
            np.testing.assert_allclose(row[: len(weights)], weights, atol=2e-5)
            assert not row[len(weights) :].any()
    gate = getattr(step, "gate", None)
    assert gate is None or state.gates[number] == pytest.approx(np.mean(1 - gate), abs=1e-5)


@pytest.mark.equation("neubig2017", 43, 60, 76)
@each_model(has_reference)
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    """Along random directions of all parameters, by central differences of the float64 loss by hand."""
    case = MODELS[name]
    model, numbers = case.make(), [0, 2, 3]
    twin = case.reference(model)
    parameters = {parameter.name() for parameter in twin.parameters.values()}
    assert parameters == {parameter.name() for parameter in parameters_of(model).values()}, "all are compared"
    batch = case.batch(model, numbers)
    actual = gradients(model.collection, twin.parameters, lambda: case.loss(model, batch))
    assert loss_of(case, model, batch) == pytest.approx(sum(map(twin.loss, numbers)), rel=1e-5)
    for fixed in twin.fixed:
        assert fixed not in actual or not actual[fixed].any(), f"{fixed} is not learnt"
    arrays = {key: array for key, array in twin.weights.items() if key not in twin.fixed}
    check_gradients(actual, arrays, lambda: sum(map(twin.loss, numbers)), least=1e-6)


# --- batches


@each_model()
def test_padding_changes_nothing(name: str) -> None:
    """Neither what is read there, nor what is asked for, nor how much of it: log-probabilities, loss and gradients."""
    case = MODELS[name]
    model = case.make()
    batch = case.batch(model)
    real, expected = case.targets(batch).mask > 0, model.log_probs(batch)
    before = gradients_of(case, model, batch) if case.neural else {}
    for changed in case.changed(batch):
        np.testing.assert_allclose(model.log_probs(changed)[: len(real)][real], expected[real], atol=1e-5)
        if case.neural:
            assert loss_of(case, model, changed) == pytest.approx(loss_of(case, model, batch), rel=1e-5)
            for key, gradient in gradients_of(case, model, changed).items():
                np.testing.assert_allclose(gradient, before[key], atol=5e-5, err_msg=key)


@each_model()
def test_a_batch_is_the_sum_of_its_sentences_in_any_order(name: str) -> None:
    case = MODELS[name]
    model = case.make()
    batch, order = case.batch(model), [*range(1, case.size), 0]
    log_probs, real = model.log_probs(batch), case.targets(batch).mask > 0
    turned = case.batch(model, order)
    np.testing.assert_allclose(model.log_probs(turned)[real[:, order]], log_probs[:, order][real[:, order]], atol=1e-5)
    alone = [case.batch(model, [number]) for number in range(case.size)]
    for number, sentence in enumerate(alone):
        row = model.log_probs(sentence)[:, 0]
        np.testing.assert_allclose(row, log_probs[: len(row), number], atol=1e-5)
    if case.neural:
        loss = loss_of(case, model, batch)
        assert loss_of(case, model, turned) == pytest.approx(loss, rel=1e-5)
        assert sum(loss_of(case, model, sentence) for sentence in alone) == pytest.approx(loss, rel=1e-5)
        of_each = [gradients_of(case, model, sentence) for sentence in alone]
        for key, gradient in gradients_of(case, model, batch).items():
            total = sum(gradients[key] for gradients in of_each)
            np.testing.assert_allclose(total, gradient, rtol=1e-3, atol=2e-5, err_msg=key)


@each_model(is_neural)
def test_without_a_real_prediction_loss_and_gradients_are_zero(name: str) -> None:
    """A process that has no sentence of its own takes part all the same (--data-parallel)."""
    case = MODELS[name]
    model = case.make()
    nothing = silent(case.batch(model))
    assert loss_of(case, model, case.batch(model)) > 0 == loss_of(case, model, nothing)
    assert not any(gradient.any() for gradient in gradients_of(case, model, nothing).values())


@each_model()
def test_a_later_word_never_changes_an_earlier_prediction(name: str) -> None:
    case = MODELS[name]
    model = case.make()
    batch = case.batch(model)
    targets, before, later = case.targets(batch), model.log_probs(batch), []
    for t in range(1, len(targets.inputs)):
        inputs = targets.inputs.copy()
        inputs[t] = 1 + inputs[t] % (len(model.vocab) - 1)
        after = model.log_probs(case.with_targets(batch, targets._replace(inputs=inputs)))
        np.testing.assert_allclose(after[:t], before[:t], rtol=0, atol=1e-5)
        later.append(np.abs(after - before)[targets.mask > 0].max())
    assert max(later) > 1e-3, "the predictions behind it do change"


@each_model(is_neural)
def test_dropout_is_off_outside_training(name: str) -> None:
    case = MODELS[name]
    plain, dropping = case.make(), case.make(dropout=0.5)
    batch = case.batch(plain)
    assert np.array_equal(dropping.log_probs(batch), plain.log_probs(batch))
    steps = [model.advance(case.start(model), [0] * case.size)[1] for model in (plain, dropping)]
    assert np.array_equal(*steps)
    assert loss_of(case, plain, batch) == loss_of(case, plain, batch)
    assert len({loss_of(case, dropping, batch) for _ in range(5)}) == 5


# --- saving


@each_model(is_neural)
def test_what_is_saved_and_loaded_gives_the_same_numbers(name: str, tmp_path: Path) -> None:
    """By the names of the parameters, each its own: an order alone would not notice exchanged matrices."""
    case = MODELS[name]
    saved, loaded = case.make(), case.make()
    names = DynetParameters(saved).names()
    assert len(set(names)) == len(names) and not [path for path in names if path.startswith("/")], names
    arrays = DynetParameters(saved).arrays()
    DynetParameters(loaded).set_arrays([array / 2 for array in arrays])
    batch = case.batch(saved)
    real, expected = case.targets(batch).mask > 0, saved.log_probs(batch)
    assert np.abs(loaded.log_probs(batch) - expected)[real].max() > 1e-3
    save_parameters(tmp_path / "model.npz", DynetParameters(saved), {"model": saved.name})
    load_parameters(tmp_path / "model.npz", DynetParameters(loaded), loaded.name)
    np.testing.assert_array_equal(loaded.log_probs(batch)[real], expected[real])


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another. Supervision alone adds nothing to learn."""
    kinds_by_name: dict[str, set] = {}
    for case in filter(is_neural, MODELS.values()):
        model = case.make()
        names, shapes = DynetParameters(model).names(), DynetParameters(model).shapes()
        kinds_by_name.setdefault(model.name, set()).add((type(model).__name__, *zip(names, shapes, strict=True)))
    assert {name for name, kinds in kinds_by_name.items() if len(kinds) > 1} == set()


# --- learning


@pytest.mark.trains
@each_model(lambda case: case.learns is not None)
def test_two_sentences_can_be_learnt_by_heart(name: str) -> None:
    case = MODELS[name]
    model = case.make(**case.learns)
    if case.translates:
        learn_by_heart(model, case.by_heart, case.unlearnt(model))
    else:
        batch, rng = make_batch([[2, 3, 4, 1, 6], [5, 2]], [0, 1]), np.random.default_rng(1)
        fixed = sole_words(getattr(model, "softmax", None))
        learn(model, lambda: case.loss(model, batch, rng), lambda: knows_two(model, batch), 600, fixed)
