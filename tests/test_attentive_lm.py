"""What the attentive language model attends to, which parameters learn, and what its presets make.

Its laws are in test_model_laws.py.
"""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.attentive_lm import settings as chapter
from chapters.attentive_lm.presets import PRESETS
from common.training.schedules import Schedule
from tests import attentive_reference as reference
from tests.attentive_models import ATTENTIVE, AttentiveLM, loss_of, make_model
from tests.small_models import LONG, CountingCollection, H, V, vocabulary, whole_batch


@pytest.mark.equation("salton2017", 3, 4, 5, 6, 9, 10)
@pytest.mark.parametrize("score", ATTENTIVE)
@pytest.mark.parametrize(("time", "batch"), [(1, 1), (1, 3), (7, 1), (7, 2)])
def test_the_attention_to_look_at_is_the_attention_computed(score: str, time: int, batch: int) -> None:
    model, inputs = make_model(score), np.array([LONG, LONG[::-1], LONG]).T[:time, :batch]
    actual = model.attention(inputs)
    assert actual.shape == (time, time, batch)
    for sentence in range(batch):
        steps = reference.run(reference.weights_of(model), inputs[:, sentence].tolist())
        for t, step in enumerate(steps):
            np.testing.assert_allclose(actual[:, t, sentence], [*step["a"], *[0] * (time - t)], atol=1e-6)


# --- settings


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_on_what_enters_and_leaves_each_layer(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    """As many dropouts as layers and one more, each of the rate that was asked for; none between time steps."""
    rates = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    loss_of(make_model("single", layers, dropout=0.3), whole_batch())
    assert rates == [0.3] * (layers + 1)


def test_weights_start_as_asked() -> None:
    identity, uniform = (
        make_model("single", scale=0, merge_init=merge, init_scale=0.05) for merge in ("identity", "uniform")
    )
    assert np.array_equal(identity.W_c.as_array(), np.eye(H, 2 * H))
    for name in ("embedding", "W_c", "W_s", "v_s", "W_x0", "W_h1"):
        weights = reference.weights_of(uniform)[name]
        assert 0 < np.abs(weights).max() <= 0.05, name
    assert not uniform.b.as_array().any() and not uniform.b_c.as_array().any()


@pytest.mark.parametrize(("flags", "forget", "last"), [({}, 1, 12), ({"forget_bias": 0.0, "decay_start": 11}, 0, 11)])
def test_the_papers_preset_follows_its_code_and_with_two_flags_its_words(flags: dict, forget: int, last: int) -> None:
    """Words: biases at 0, and the rate halved at each epoch after 12, of which the 13th is the first."""
    settings = chapter.Settings(**{**PRESETS["paper-ptb"], **flags, "hidden_size": H})
    for layer in AttentiveLM.from_settings(settings, vocabulary(V)).layers:
        gates = layer.b.as_array().reshape(4, H)  # input, forget, output, update
        assert (gates[1] == forget).all() and not gates[[0, 2, 3]].any()
    schedule = Schedule.from_settings(settings)
    rates = {epoch: schedule(epoch - 0.5, []) for epoch in range(1, 20)}  # by the number of the epoch, from 1
    assert {rate for epoch, rate in rates.items() if epoch <= last + 1} == {1.0}
    assert [rates[last + 2], rates[last + 3]] == [0.5, 0.25]


@pytest.mark.parametrize(
    ("preset", "vocabulary_size", "score", "millions"),
    [
        ("paper-ptb", 10_000, "single", 14.5),
        ("paper-ptb", 10_000, "combined", 15),
        ("paper-wikitext2", 33_278, "single", 50),
        ("ptb-200", 10_000, "none", 2.7),
        ("ptb-650", 10_000, "single", 14.5),
    ],
)
def test_the_papers_sizes(
    monkeypatch: pytest.MonkeyPatch, preset: str, vocabulary_size: int, score: str, millions: float
) -> None:
    monkeypatch.setattr(dy, "ParameterCollection", CountingCollection)
    settings = chapter.Settings(**{**PRESETS[preset], "score": score})
    total = AttentiveLM.from_settings(settings, vocabulary(vocabulary_size)).collection.total
    assert total / 1e6 == pytest.approx(millions, rel=0.06), f"{total:,}"
