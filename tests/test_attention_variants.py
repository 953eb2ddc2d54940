"""Hard and local attention, coverage, priors and supervision, by hand (their laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attention import (
    attention_penalties as attention_penalties_module,
    attention_priors as attention_priors_module,
    coverage,
    hard_attention as hard_attention_module,
    local_attention as local_attention_module,
)
from chapters.attention.settings import PRESETS
from common.nn.parameters import DynetParameters
from common.nn.source_attention import Memory
from tests.attention_models import make_model, whole_batch
from tests.learning import learn
from tests.pair_laws import BUDGET, START
from tests.prior_models import KINDS, LINKS, cost_of

agreement = attention_penalties_module.agreement
wanted_weights = attention_penalties_module.wanted_weights
MarkovBias = attention_priors_module.MarkovBias
PositionBias = attention_priors_module.PositionBias
one_word = hard_attention_module.one_word
LocalWindow = local_attention_module.LocalWindow

each_kind = pytest.mark.parametrize("name", KINDS)


# --- the equations


def test_position_bias_by_hand() -> None:
    """Two source words for each target word: at target word 1 source word 2 is on the diagonal."""
    collection = dy.ParameterCollection()  # it keeps the parameters alive
    bias = PositionBias(collection, pace=2.0)
    bias.strength.set_value([[0.5]])
    actual = [bias.scores(4, step).npvalue().ravel() for step in (0, 1)]
    np.testing.assert_allclose(actual, [[0, -0.5, -1, -1.5], [-1, -0.5, 0, -0.5]], atol=1e-6)


def test_behind_the_sentence_the_diagonal_changes_nothing() -> None:
    """In search a target may get longer than any diagonal: then the last words stay as likely as they were."""
    collection = dy.ParameterCollection()  # it keeps the parameters alive
    bias = PositionBias(collection, pace=1.0)
    weights = [dy.softmax(bias.scores(4, step)).npvalue() for step in (3, 30)]
    np.testing.assert_allclose(*weights, atol=1e-6)


def test_markov_bias_by_hand() -> None:
    """Jumps of -1, 0 and 1 words get 2, 3 and 5: half the attention was on word 0, half on word 2."""
    collection = dy.ParameterCollection()  # it keeps the parameters alive
    bias = MarkovBias(collection, 1)
    bias.jumps.set_value([[2.0, 3.0, 5.0]])
    actual = bias.matrix(4) * dy.inputTensor([[0.5], [0.0], [0.5], [0.0]])
    np.testing.assert_allclose(actual.npvalue().ravel(), [1.5, 2.5 + 1, 1.5, 2.5], atol=1e-6)
    assert bias.matrix(1).npvalue() == pytest.approx(3)


def test_hard_attention_sees_one_word_and_learns_as_if_it_were_soft() -> None:
    parameters = dy.ParameterCollection().add_parameters((3, 1))
    parameters.set_value([[0.2], [0.5], [0.3]])
    actual = one_word(parameters + dy.zeros((3, 1)))
    assert actual.npvalue().ravel().tolist() == [0, 1, 0]
    dy.dot_product(dy.reshape(actual, (3,)), dy.inputTensor([7.0, 11.0, 13.0])).backward()
    assert parameters.grad_as_array().ravel().tolist() == [7, 11, 13]


def test_local_attention_finds_a_word_wherever_it_looks() -> None:
    """At both ends of the sentence, even with the smallest window; a batch has a place for each sentence."""
    collection = dy.ParameterCollection()  # it keeps the parameters alive
    window = LocalWindow(collection, 1, 1, 1, 0.1)
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
    actual = agreement(*(dy.inputTensor(item, batched=True) for item in (forward, backward)))
    by_hand = 0.9 * 0.8 + 0.3 * 0.2 + 0.1 * 0.4 + 0.7 * 0.6 + 1.0
    assert actual.scalar_value() == pytest.approx(by_hand, rel=1e-6)


def test_wanted_weights_are_equal_shares() -> None:
    target = wanted_weights([{(0, 0), (2, 0), (1, 1)}, set()], 3, 3)
    assert target[:, :, 0].tolist() == [[0.5, 0, 0], [0, 1, 0], [0.5, 0, 0]]
    assert not target[:, :, 1].any()


def test_the_monotonic_window_by_hand() -> None:
    """D = 1, sources of 4 and of 2 words: the place is t, and the last word once the source is over."""
    window = local_attention_module.MonotonicWindow(1)
    lengths = dy.inputTensor(np.array([4.0, 2.0]).reshape(1, 1, 2), batched=True)
    seen = [window.outside(step, lengths, 4).npvalue()[:, 0].T == 0 for step in (0, 1, 3, 9)]
    expected = ["1100 1100", "1110 1110", "0011 1110", "0011 1110"]
    assert [" ".join("".join("01"[int(item)] for item in row) for row in rows) for rows in seen] == expected
    wide = local_attention_module.MonotonicWindow(6)
    for step in range(30):  # no rounding lets a word D + 1 away in
        seen = wide.outside(step, dy.inputTensor([[40.0]]), 40).npvalue().ravel() == 0
        assert [place for place in range(1, 41) if seen[place - 1]] == list(range(max(1, step - 5), step + 8))


def test_linguistic_coverage_by_hand() -> None:
    """Fertilities of 1, and of 1.5 where U_f h = ln 3: after weights of 0.6 and 0.3, twice, 1.2 and 0.4 are covered."""
    collection = dy.ParameterCollection()
    built = coverage.LinguisticCoverage(collection, 2, 0.1)
    built.U_f.set_value([[1.0, 0.0]])
    built.V.set_value([[2.0], [-1.0]])
    dy.renew_cg()
    annotations = dy.inputTensor(np.array([[0.0, np.log(3)], [5.0, 7.0]]))
    covered, weights = built.begin(annotations), dy.inputTensor([[0.6], [0.3]])
    assert not covered.amount.npvalue().any()
    for _ in range(2):
        covered = built.add(covered, dy.inputTensor([9.0, 9.0]), weights)
    np.testing.assert_allclose(np.ravel(covered.amount.npvalue()), [1.2, 0.4], atol=1e-6)
    message = built.tell(Memory(annotations, annotations, None), covered)
    np.testing.assert_allclose(message.keys.npvalue(), [[2.4, np.log(3) + 0.8], [3.8, 6.6]], atol=1e-5)


def test_an_untrained_source_word_has_the_fertility_1() -> None:
    collection = dy.ParameterCollection()
    built = coverage.LinguisticCoverage(collection, 3, 0.1)
    dy.renew_cg()
    np.testing.assert_allclose(built.begin(dy.random_normal((3, 4))).prepared.npvalue(), 1, atol=1e-6)


# --- learning, and what makes no sense


@pytest.mark.trains
def test_supervision_moves_attention_to_the_links() -> None:
    model = make_model(scale=START, hidden_size=12, layers=1)
    shares = {(i, j, n): 1 / sum(other == j for _, other in links) for n, links in enumerate(LINKS) for i, j in links}

    def reached() -> bool:
        weights = cost_of(model, "supervised", whole_batch()).weights.npvalue()
        return all(abs(weights[place] - share) < 0.2 for place, share in shares.items())

    learn(model, lambda: cost_of(model, "supervised", whole_batch()).total, reached, BUDGET)


def test_the_preset_is_the_papers_model() -> None:
    """Its decoder, score and window; every parameter of it has a name of its own."""
    model = make_model(**(PRESETS["luong"] | {"layers": 1}))
    names = DynetParameters(model).names()
    assert {"readout.W_c", "attention.local.v", "score.W_a", "W_hs", "decoder.W_c.0"} <= set(names)
    assert len(set(names)) == len(names) and not [name for name in names if "backward" in name or name == "W_o"]
