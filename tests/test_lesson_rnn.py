"""What lesson 5 derives and shows: its gradients are the equations', and its figures' data is what they say."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from book.figures import ch05_record
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from common.nn.cells import RNN
from common.nn.recurrent import LSTM
from common.nn.softmax import masked_sum, tied_logits
from common.nn.stacking import Stack
from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from data.agreement import Agreeing, agreeing, agreement_sentences, new_sentences
from data.oracle import log_prob
from tests import rnn_reference as reference
from tests.attention_reference import softmax
from tests.programs import write_small_village
from tests.recorded_form import keys, tiny_record
from tests.rnn_models import CHAPTER, RecurrentLM, batch_of as batch_that_asks_for, gradients, make_model
from tests.rnn_reference import sigma
from tests.small_models import column

LESSON = namespace("05")


def through_time(weights: dict, read: list[int], wanted: list[int]) -> dict[str, np.ndarray]:
    """Algorithm 1 of the lesson, in NumPy float64, for one sentence: the gradient of each weight."""
    W_xh, W_hh, b_h, M, W_hs, b_s = (weights[name] for name in ("W_x0", "W_h0", "b0", "embedding", "W_hs", "b_s"))
    h, probs = [np.zeros(len(b_h))], []
    for word in read:
        h.append(np.tanh(W_xh @ M[word] + W_hh @ h[-1] + b_h))
        probs.append(softmax(W_hs @ h[-1] + b_s))
    found = {name: np.zeros_like(weight) for name, weight in weights.items()}
    delta = np.zeros(len(b_h))
    for t in range(len(read), 0, -1):
        error = probs[t - 1] - np.eye(len(M))[wanted[t - 1]]
        delta = (1 - h[t] * h[t]) * (W_hs.T @ error + W_hh.T @ delta)
        found["W_h0"] += np.outer(delta, h[t - 1])
        found["W_x0"] += np.outer(delta, M[read[t - 1]])
        found["b0"] += delta
        found["W_hs"] += np.outer(error, h[t])
        found["b_s"] += error
        found["embedding"][read[t - 1]] += W_xh.T @ delta
    return found


def test_the_algorithm_gives_the_gradients_that_the_model_has() -> None:
    model = make_model("rnn", layers=1, tied=False)
    parameters = reference.parameters_of("rnn", model)
    read, target = [0, 4, 2, 6, 3], 5
    expected = through_time(reference.weights_of(parameters), read, [target] * len(read))
    found = gradients(model, batch_that_asks_for(column(read), target), parameters)
    assert set(found) == set(expected)
    for name, gradient in found.items():
        np.testing.assert_allclose(gradient.reshape(expected[name].shape), expected[name], rtol=1e-4, atol=1e-5)


def one_unit(cell: type, W_x: list, W_h: list, b: list) -> tuple[dy.ParameterCollection, RNN | LSTM]:
    """A layer of the course with one unit and these parameters; its collection must be kept while it is used."""
    collection = dy.ParameterCollection()
    layer = cell(collection, 1, 1, 0.1)
    layer.W_x.set_value(np.array(W_x, float)[:, None])
    layer.W_h.set_value(np.array(W_h, float)[:, None])
    layer.b.set_value(np.array(b, float))
    dy.renew_cg()
    return collection, layer


def test_the_cells_of_two_steps_are_the_course_s_forward_and_back() -> None:
    collection, layer = one_unit(RNN, [LESSON["W_xh"]], [LESSON["W_hh"]], [LESSON["b_h"]])
    W_hs, b_s = collection.add_parameters((3, 1)), collection.add_parameters(3, init=0)
    W_hs.set_value(LESSON["W_hs"][:, None])
    states = [state.hidden for state in layer.unroll(dy.inputTensor(LESSON["x"][None]))]
    scores = [tied_logits(W_hs, b_s, state) for state in states]
    losses = [dy.pickneglogsoftmax(step, word) for step, word in zip(scores, LESSON["right"], strict=True)]
    total = dy.esum(losses)
    total.forward()
    total.backward()
    np.testing.assert_allclose(LESSON["h"][1:], [state.scalar_value() for state in states], atol=1e-6)
    np.testing.assert_allclose(LESSON["losses"], [loss.scalar_value() for loss in losses], atol=1e-6)
    found = [float(np.ravel(weight.grad_as_array())[0]) for weight in (layer.W_h, layer.W_x, layer.b)]
    np.testing.assert_allclose(LESSON["parts"].sum(axis=1), found, atol=1e-6)


@pytest.mark.parametrize(("weight", "first"), [(0.8, 1.0), (1.5, 1.0), (1.5, 0.001)])
def test_the_factors_are_those_of_the_course_s_recurrent_layer(weight: float, first: float) -> None:
    _collection, layer = one_unit(RNN, [1], [weight], [0])
    states = layer.unroll(dy.inputTensor([[first] + [0.0] * 10]))
    h = np.array([state.hidden.scalar_value() for state in states[1:]])
    np.testing.assert_allclose(LESSON["factors"](weight, first, 10), weight * (1 - h**2), atol=1e-5)


def test_the_cell_of_the_lstm_is_a_step_of_the_course_s() -> None:
    _collection, layer = one_unit(LSTM, LESSON["W_x"], LESSON["W_h"], LESSON["b"])
    before = layer.state_type(*(dy.inputTensor([LESSON[name]]) for name in ("h_before", "c_before")))
    state = layer.step(dy.inputTensor([LESSON["reads"]]), before)
    assert state.cell.scalar_value() == pytest.approx(LESSON["c"], abs=1e-6)
    assert state.hidden.scalar_value() == pytest.approx(LESSON["o"] * math.tanh(LESSON["c"]), abs=1e-6)


@pytest.mark.parametrize(("residual", "product"), [(False, 0.2**3), (True, 1.2**3)])
def test_a_gradient_on_its_way_down_a_stack(residual: bool, product: float) -> None:
    collection = dy.ParameterCollection()
    stack = Stack(collection, "rnn", 1, 3, 0.1, residual)
    for layer in stack.layers:
        layer.W_x.set_value(np.array([[0.2]]))
        layer.W_h.set_value(np.zeros((1, 1)))
        layer.b.set_value(np.zeros(1))
    dy.renew_cg()
    x = dy.inputTensor([0.0])
    top, _ = stack.step(x, stack.first_states)
    top.forward()
    top.backward(full=True)
    assert float(x.gradient()[0]) == pytest.approx(product, abs=1e-6)


def test_the_mean_under_the_mask_is_the_course_s() -> None:
    batch = make_batch([[2] * 4, [2]], range(2))
    assert (batch.mask == LESSON["mask"].T).all()
    dy.renew_cg()
    total = masked_sum(dy.inputTensor(LESSON["costs"].reshape(1, -1), batched=True), batch.mask).scalar_value()
    assert total / batch.predictions == pytest.approx(LESSON["means"][0])


def test_predictions_of_changed_cells_are_right() -> None:
    """What the boxes answer, by the course's own layers."""
    _collection, layer = one_unit(RNN, [1], [0.8], [0])
    state = layer.unroll(dy.inputTensor([[1.0, -1.0]]))[-1].hidden.scalar_value()
    assert LESSON["h_changed"] == pytest.approx(state, abs=1e-6)
    assert LESSON["p_changed"][2] > LESSON["p_changed"][1]
    for first, product in zip((0.001, 1.0), LESSON["of_one"], strict=True):
        _collection, layer = one_unit(RNN, [1], [1], [0])
        states = [state.hidden.scalar_value() for state in layer.unroll(dy.inputTensor([[first] + [0.0] * 10]))]
        assert product == pytest.approx(np.prod(1 - np.array(states[1:]) ** 2), abs=1e-5)
    _collection, layer = one_unit(LSTM, LESSON["W_x"], LESSON["W_h"], [0, 5, 0, 0])
    before = layer.state_type(*(dy.inputTensor([LESSON[name]]) for name in ("h_before", "c_before")))
    cell = layer.step(dy.inputTensor([LESSON["reads"]]), before).cell.scalar_value()
    assert LESSON["i"] * LESSON["u"] + LESSON["f_open"] * LESSON["c_before"] == pytest.approx(cell, abs=1e-6)
    wider = np.pad(LESSON["costs"] * LESSON["mask"], ((0, 0), (0, 10)))
    assert LESSON["wider"] == pytest.approx(wider.mean())


def test_the_gradient_along_the_cell() -> None:
    """dc_t/dc_{t-1} of part 3, the forget gate and three indirect ways, against finite differences."""
    rng = np.random.default_rng(3)
    size = 3
    W = {name: rng.normal(0, 1, (size, size)) for name in "ifou"}
    b, x_part = ({name: rng.normal(0, 1, size) for name in "ifou"} for _ in range(2))
    before, o_before = rng.normal(0, 1, size), rng.uniform(0.1, 0.9, size)

    def parts(c: np.ndarray) -> dict[str, np.ndarray]:
        h = o_before * np.tanh(c)
        return {name: (np.tanh if name == "u" else sigma)(W[name] @ h + x_part[name] + b[name]) for name in "ifou"}

    def after(c: np.ndarray) -> np.ndarray:
        found = parts(c)
        return found["i"] * found["u"] + found["f"] * c

    now = parts(before)
    slope = {name: (now[name] * (1 - now[name]))[:, None] * W[name] for name in "if"}
    slope["u"] = (1 - now["u"] ** 2)[:, None] * W["u"]
    indirect = np.diag(now["u"]) @ slope["i"] + np.diag(now["i"]) @ slope["u"] + np.diag(before) @ slope["f"]
    formula = np.diag(now["f"]) + indirect @ np.diag(o_before * (1 - np.tanh(before) ** 2))
    steps = 1e-6 * np.eye(size)
    measured = np.array([(after(before + step) - after(before - step)) / 2e-6 for step in steps]).T
    np.testing.assert_allclose(formula, measured, atol=1e-7)


@pytest.mark.parametrize(
    ("sentence", "subject", "verb"),
    [
        ("the cat beside the old singers is restless .", "cat", "is"),
        ("the ponies that belong to dora wait until dora usually weighs her fine eggs .", "ponies", "wait"),
        ("this week , the fishers beside the hall supply eels .", "fishers", "supply"),
        ("the boys who are late dance .", "boys", "dance"),
    ],
)
def test_verbs_that_agree_are_found(sentence: str, subject: str, verb: str) -> None:
    found = agreeing(sentence.split())
    assert (found.sentence[found.subject], found.sentence[found.verb]) == (subject, verb)


@pytest.mark.parametrize(
    "sentence",
    ["the singers say that mira often dances , but mira is tired .", "mira often dances .", "the girl dances ."],
)
def test_where_another_noun_decides_nothing_is_found(sentence: str) -> None:
    assert log_prob(sentence.split()) > -math.inf
    assert agreeing(sentence.split()) is None


@pytest.mark.slow
def test_of_two_forms_only_one_can_be_said() -> None:
    found = agreement_sentences(new_sentences(400))
    assert len(found) > 40 and len({case.distance for case in found}) >= 4
    for case in found:
        assert log_prob(case.sentence) > -math.inf and case.distance > 1
        assert log_prob(case.twin) == -math.inf, " ".join(case.sentence)
    assert new_sentences(5) == new_sentences(5)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What is recorded, at tiny size."""
    runs = tmp_path_factory.mktemp("runs")
    flags = ["--epochs", 1, "--hidden-size", 4, "--batch-size", 256, "--corpus", write_small_village(runs / "village")]
    with pytest.MonkeyPatch.context() as monkeypatch:
        return tiny_record(ch05_record, monkeypatch, runs, *flags, SEEDS=(1,), SAMPLE=150, SENTENCES=3)


def test_what_is_recorded_is_what_the_figures_read(numbers: dict) -> None:
    committed = recorded(CHAPTER)
    assert keys({"command": "", "settings": committed["settings"], **numbers}) == keys(committed)
    for curves in (*numbers["gradients"].values(), numbers["forget bias"]):
        assert all(len(curve) == ch05_record.STEPS for curve in curves.values())


def test_the_number_of_a_verb_is_not_its_last_letter() -> None:
    """To miss: the plural ends with s as well."""
    model = RecurrentLM(Vocabulary(["dogs", "dog", "miss", "misses"]), cell="lstm", hidden_size=4, dropout=0.0)
    found = [Agreeing("the dogs far away miss us".split(), 1, 4, "misses")]
    found += [Agreeing("the dog far away misses us".split(), 1, 4, "miss")]
    cells, singular = ch05_record.before_verbs(model, found)
    assert cells.shape == (2, 4) and singular.tolist() == [False, True]


def test_recorded_weights_are_those_of_the_cache(numbers: dict) -> None:
    name = numbers["name"]
    weights = dict(zip(name["words"][:-1], name["weights"], strict=True))
    assert sum(name["weights"]) == pytest.approx(1) and weights["dora"] == pytest.approx(name["cache"])
    assert name["both"] == pytest.approx((1 - name["share"]) * name["model"] + name["share"] * name["cache"], rel=1e-4)
    assert 0 < numbers["agreement"]["lstm"][0] < 1
    single, many = numbers["cell"]["values"]
    assert len(single) == len(ch05_record.TWO_NUMBERS[0]) and single[0] == many[0] and single[1] != many[1]
