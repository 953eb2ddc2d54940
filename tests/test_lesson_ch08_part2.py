"""Part 2 of chapter 8: its cells compute what the course does, and its figures draw that."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from book.lessons.cells import namespace
from chapters.attention.coverage import LinguisticCoverage
from chapters.attention.local_attention import MonotonicWindow
from chapters.attention.model import PlainReadout
from chapters.attention.own_past import PastReadout
from chapters.attention.settings import PAST_SCORES
from chapters.attention.variants import AttentionalReadout
from common.nn.recurrent import HiddenState
from common.nn.source_attention import ContextDecoder, Memory, MLPScore, attention_weights

LESSON = namespace("08", 2)
ROWS, STATES = LESSON["h"], LESSON["states"]
COLLECTION = dy.ParameterCollection()
"""It lives as long as the parameters in it are used: DyNet frees them with it."""


def test_the_attentional_states_are_the_readouts() -> None:
    readout = AttentionalReadout(COLLECTION, 2, 0.1)
    readout.W_c.set_value(LESSON["W_c"])
    for state, mean, expected in zip(STATES, LESSON["contexts"], LESSON["attentional"], strict=True):
        dy.renew_cg()
        computed = readout.attentional(dy.inputTensor(state), dy.inputTensor(mean)).npvalue()
        np.testing.assert_allclose(computed, expected, atol=1e-6)


@pytest.mark.parametrize("fed", [False, True])
def test_the_second_step_is_the_decoders(fed: bool) -> None:
    decoder = ContextDecoder(COLLECTION, "rnn", 2, 1, 0.1, [2] if fed else [])
    decoder.layers[0].W_x.set_value(np.eye(2))
    decoder.layers[0].W_h.set_value(0.5 * np.eye(2))
    if fed:
        decoder.W_c[0].set_value(-np.eye(2))
    dy.renew_cg()
    word = dy.reshape(decoder.project(dy.inputTensor(LESSON["word"][:, None])), (2,))
    vectors = [dy.inputTensor(LESSON["attentional"][0])] if fed else []
    (after,) = decoder.step(word, vectors, [HiddenState(dy.inputTensor(STATES[0]))])
    np.testing.assert_allclose(after.hidden.npvalue(), LESSON["second_states"][int(fed)], atol=1e-6)
    assert LESSON["source"][LESSON["second_weights"][int(fed)].argmax()] == ("galin" if fed else "mirena")


def test_the_step_under_coverage_is_the_courses() -> None:
    score, model = MLPScore(COLLECTION, 2, 2, 2, 0.1), LinguisticCoverage(COLLECTION, 2, 0.1)
    for parameter, value in ((score.W_query, np.eye(2)), (score.W_source, np.eye(2)), (score.w, [[1, 1]])):
        parameter.set_value(value)
    model.V.set_value(LESSON["V"][:, None])
    dy.renew_cg()
    memory, query = Memory.of(score, dy.inputTensor(ROWS.T), np.array([3])), dy.inputTensor(LESSON["query"])
    covered = model.begin(memory.annotations)._replace(prepared=dy.inputTensor(LESSON["phi"][None, :]))
    for weights in LESSON["weights"]:
        covered = model.add(covered, query, dy.inputTensor(weights[:, None]))
    np.testing.assert_allclose(covered.amount.npvalue().ravel(), LESSON["coverage"], atol=1e-6)
    for name, words in (("plain_scores", memory), ("covered_scores", model.tell(memory, covered))):
        computed = attention_weights(score, words, query).npvalue().ravel()
        np.testing.assert_allclose(computed, LESSON["softmax"](LESSON[name]), atol=1e-6)


@pytest.mark.parametrize("kind", ["single", "combined"])
def test_the_weights_of_the_past_are_the_readouts(kind: str) -> None:
    """Those of the third step alone, of the last two, and of all three: the first has no past."""
    readout = PastReadout(COLLECTION, PlainReadout(2), PAST_SCORES[kind], 2, 0.1)
    for name, value in {"W_s": np.eye(2), "W_q": np.eye(2), "v_s": [[1, 1]]}.items():
        if hasattr(readout.score, name):
            getattr(readout.score, name).set_value(value)
    expected = LESSON["softmax"](LESSON[kind])
    dy.renew_cg()
    past = dy.inputTensor(np.array([*STATES, LESSON["query"]]).T)
    for steps in (1, 2, 3):
        weights = readout.weights(past, steps).npvalue().reshape(3, steps)
        columns = np.array([[0, 0, 0], [1, 0, 0], [*expected, 0]])[-steps:]
        np.testing.assert_allclose(weights, columns.T, atol=1e-6)


@pytest.mark.parametrize("reach", [1, 3, 10])
def test_the_links_in_a_window_are_those_that_the_model_sees(reach: int) -> None:
    dy.renew_cg()
    inside = []
    for i, t, size in LESSON["links"][:500]:
        outside = MonotonicWindow(reach).outside(t - 1, dy.inputTensor([[float(size)]]), size).npvalue().ravel()
        inside.append(outside[i - 1] == 0)
    assert ((LESSON["outside"] <= reach)[:500] == inside).all() and any(inside)


def test_the_sizes_are_those_of_the_equations() -> None:
    """More than the default's: the matrix of a fed vector less, W and v of local-p, V and U_f, V with a GRU of ten
    numbers that reads an annotation, a weight and a query; a score of the past, and what W_o gets for its context."""
    H, d = 128, 10
    gru = 3 * d * (H + 1 + H + 1) + 3 * d * d
    more = [0, 0, 0, -4 * H * H, 0, H * H + H, 2 * H, H * d + gru, 2 * H * H + H, 3 * H * H + H]
    assert [size - LESSON["sizes"][0] for size in LESSON["sizes"]] == more
