"""Dropout and first state of the recurrent language model. Its equations and laws are in test_model_laws.py."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.rnn_lm.first_state import FirstStateLM
from common.nn.dropout import make_dropout
from tests.rnn_models import RecurrentLM, loss_of, make_model
from tests.small_models import H, vocabulary, whole_batch

# --- dropout


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
    requests, draw = [], dy.random_bernoulli
    monkeypatch.setattr(
        dy, "random_bernoulli", lambda dim, p, **options: requests.append((dim, p, options)) or draw(dim, p, **options)
    )
    loss_of(make_model(layers=layers, dropout=0.2, dropout_kind="variational"), whole_batch())
    assert [dim for dim, _, _ in requests] == [(H,)] * (2 * layers + 1)
    assert all(p == 0.8 and options["scale"] == 1 / 0.8 and options["batch_size"] == 4 for _, p, options in requests)


def test_a_variational_mask_is_one_for_all_steps_and_zarembas_is_not() -> None:
    ones = dy.inputTensor(np.ones((50, 6, 3)), batched=True)
    variational, zaremba = (make_dropout(0.5, kind)(ones).npvalue() for kind in ("variational", "zaremba"))
    for actual in (variational, zaremba):
        assert set(np.unique(actual)) == {0.0, 2.0}
        assert 0.8 < actual.mean() < 1.2
        assert len({actual[:, 0, sentence].tobytes() for sentence in range(3)}) == 3, "each sentence has its own"
    assert (variational == variational[:, :1]).all() and not (zaremba == zaremba[:, :1]).all()


# --- a learnt first state


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_before_training_a_learnt_first_state_changes_nothing(kind: str) -> None:
    """The same weights from the same random numbers, the same probabilities; and a gradient that moves the state."""
    models = []
    for model_class in (RecurrentLM, FirstStateLM):
        dy.reset_random_seed(4)
        models.append(model_class(vocabulary(), cell=kind, hidden_size=H, layers=2, init_scale=1.0, dropout=0.0))
    plain, learnt = models
    assert np.array_equal(plain.log_probs(whole_batch()), learnt.log_probs(whole_batch()))
    parts = [part for state in learnt.stack.first for part in state]
    assert len(parts) == (4 if kind == "lstm" else 2) and not any(part.as_array().any() for part in parts)
    dy.renew_cg()
    learnt.loss(whole_batch())[0].backward()
    assert all(np.abs(part.grad_as_array()).min() > 1e-4 for part in parts)


def test_carried_states_replace_the_learnt_ones() -> None:
    """A sentence that goes on from numbers costs the same whatever the first state is."""
    model = make_model(model_class=FirstStateLM)
    _, carried = model.log_probs_from(whole_batch(), None)
    before = model.log_probs_from(whole_batch(), carried)[0]
    own = model.log_probs(whole_batch())
    model.stack.first[0][0].set_value(np.full(H, 0.3))
    assert np.array_equal(model.log_probs_from(whole_batch(), carried)[0], before)
    assert np.abs(model.log_probs(whole_batch()) - own).max() > 1e-3
