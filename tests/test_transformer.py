"""The Transformer's schedule, positions, attention and sizes. Its equations and laws are in test_model_laws.py."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.transformer import settings as chapter
from chapters.transformer.positions import TABLE, Learnt
from common.text.batching import make_batch
from common.training.schedules import Schedule
from tests import rnn_reference, transformer_reference as reference
from tests.small_models import LONG
from tests.transformer_models import KINDS, make_model

HEADS, SIZE = 2, 8


def settings_of(**flags):
    return chapter.Settings(**{"hidden_size": SIZE, "heads": HEADS, "layers": 2, "dropout": 0.0} | flags)


# --- the schedule


@pytest.mark.equation("vaswani2017", 3)
@pytest.mark.parametrize("step", [1, 50, 99, 100, 101, 5_000])
def test_the_rate_of_the_paper(step: int) -> None:
    """d^-0.5 min(step^-0.5, step warmup^-1.5), for steps of 0.01 epochs and a top rate as the paper's."""
    size, warm_up = 512, 100
    top = size**-0.5 * warm_up**-0.5
    flags = settings_of(schedule="inverse_root", learning_rate=top, warm_up=warm_up / 100)
    expected = size**-0.5 * min(step**-0.5, step * warm_up**-1.5)
    assert Schedule.from_settings(flags)(step / 100, []) == pytest.approx(expected)


def test_a_warm_up_before_any_schedule() -> None:
    flags = settings_of(schedule="constant", learning_rate=0.5, warm_up=2.0)
    rates = [Schedule.from_settings(flags)(done, []) for done in (0, 0.5, 1, 2, 7)]
    assert rates == [0, 0.125, 0.25, 0.5, 0.5]
    without = Schedule.from_settings(settings_of(schedule="inverse_root", learning_rate=0.5))
    assert [without(done, []) for done in (0, 1, 4)] == [0.5, 0.5, 0.25]


# --- positions


def test_positions_beyond_the_learnt_table_share_its_last_row() -> None:
    dy.renew_cg()
    collection = dy.ParameterCollection()
    learnt = Learnt(collection, SIZE, 0.1)
    last, beyond = learnt(TABLE - 2, 2).npvalue(), learnt(TABLE, 2).npvalue()
    assert np.array_equal(beyond[:, 0], last[:, 1]) and np.array_equal(beyond[:, 1], last[:, 1])
    assert not np.array_equal(last[:, 0], last[:, 1])


# --- what there is to look at


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_attention_to_look_at_is_the_attention_computed(kind: dict) -> None:
    model, inputs = make_model(**kind), np.array([LONG, LONG[::-1]]).T
    weights = rnn_reference.weights_of(reference.parameters_of(model))
    actual = model.attention(inputs)
    chosen = reference.Kind(**{name: value for name, value in kind.items() if name in reference.Kind._fields})
    for sentence in range(2):
        for t, step in enumerate(reference.run(weights, chosen, inputs[:, sentence].tolist())):
            expected = np.pad(step.maps, ((0, 0), (0, 0), (0, len(inputs) - t - 1)))
            np.testing.assert_allclose(actual[:, :, :, t, sentence], expected, atol=1e-5)


# --- settings


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_on_embeddings_and_on_what_each_part_adds(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    rates = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    dy.renew_cg()
    make_model(layers=layers, dropout=0.3).loss(make_batch([LONG], [0]))
    assert rates == [0.3] * (2 * layers + 1)


def test_weights_start_as_asked() -> None:
    model = make_model(scale=0, init_scale=0.05, positions="learnt")
    for name, weights in rnn_reference.weights_of(reference.parameters_of(model)).items():
        if name.split()[1].startswith("b"):
            assert not weights.any(), name
        else:
            assert 0.02 < np.abs(weights).max() <= 0.05, name
