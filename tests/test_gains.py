"""Each naive way of `tools.gains` computes what the course's does, to 1e-5, and is as naive as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.text.batching import Batch, make_batch
from tests.feedforward_models import set_array
from tests.programs import error_line, run_python
from tools import gains_naive as naive
from tools import gains_ways
from tools.gains_settings import HABITS, Settings
from tools.gains_ways import LAYERS, WAYS

SETTINGS = Settings(hidden_size=6, vocabulary=30, batch_size=3)
TINY = ["--hidden-size", "6", "--vocabulary", "30", "--batch-size", "3", "--rounds", "2"]
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [7, 7, 3, 29, 6, 5]]
TIME = 7  # steps of the longest

OF_THE_MODEL = ("output", "input", "gates", "attention", "embeddings", "masks")
"""The habits whose ways differ in a loss, and so in how its gradient is found."""


@pytest.fixture(autouse=True)
def no_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sentences are invented: no real corpus is installed."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    gains_ways.workload.cache_clear()


@pytest.fixture
def no_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Masks are random; all else can be equal."""
    monkeypatch.setattr(gains_ways, "DROPOUT", 0.0)


def ragged_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def parameters_of(model: Any) -> list[dy.Parameters | dy.LookupParameters]:
    """All parameters, in the same order for both ways."""
    if isinstance(model, naive.DenseReader):
        return [model.embedding, model.layer.W_x, model.layer.W_h, model.layer.b]
    return model.collection.parameters_list()


def randomised_sides(habit: str) -> list[Any]:
    """The sides of both ways with the same random parameters, large enough that every part of the model matters."""
    sides = [way.side for way in WAYS[habit](SETTINGS)]
    for side in sides:
        rng = np.random.default_rng(5)
        for parameter in parameters_of(side.model):
            set_array(parameter, rng.normal(0, 0.7, parameter.shape()))
    return sides


@pytest.mark.parametrize("habit", OF_THE_MODEL)
def test_both_ways_have_the_same_loss_and_gradient(habit: str, no_dropout: None) -> None:
    found = []
    for side in randomised_sides(habit):
        dy.renew_cg()
        loss = side.loss(ragged_batch())
        value = loss.scalar_value()
        loss.backward()
        found.append((value, [parameter.grad_as_array().copy() for parameter in parameters_of(side.model)]))
    (course, gradients), (other, others) = found
    assert other == pytest.approx(course, rel=1e-5) and course > 0.1
    for gradient, theirs in zip(gradients, others, strict=True):
        assert np.abs(gradient).max() > 1e-3, "nothing to compare"
        np.testing.assert_allclose(theirs, gradient, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("habit", OF_THE_MODEL)
def test_both_ways_learn_the_same(habit: str, no_dropout: None) -> None:
    """Losses of three steps, and the parameters after them; so sparse updates are the dense ones."""
    course, other = randomised_sides(habit)
    losses = [course.train_batch(ragged_batch()) for _ in range(3)]
    assert losses[0] - losses[2] > 0.01
    assert [other.train_batch(ragged_batch()) for _ in range(3)] == pytest.approx(losses, rel=1e-5)
    for ours, theirs in zip(parameters_of(course.model), parameters_of(other.model), strict=True):
        np.testing.assert_allclose(theirs.as_array(), ours.as_array(), rtol=1e-5, atol=1e-5)


COUNTED = {
    ("output", "pickneglogsoftmax_batch"): (1, TIME),
    ("input", "affine_transform"): (LAYERS * (TIME - 1) + 1, LAYERS * (TIME + TIME - 1) + 1),
    ("gates", "affine_transform"): (LAYERS * (TIME - 1) + 1, LAYERS * 4 * (TIME - 1) + 1),
    ("attention", "softmax"): (1, TIME - 1),
    ("embeddings", "lookup_batch"): (1, 0),
    ("masks", "dropout"): (0, LAYERS + 1),
    ("masks", "random_bernoulli"): (LAYERS + 1 + LAYERS, LAYERS),
}


@pytest.mark.parametrize(("habit", "operation"), COUNTED)
def test_the_naive_way_is_naive(habit: str, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """How often the loss of a batch asks DyNet for the operation that the habit saves."""
    calls, original = [], getattr(dy, operation)
    monkeypatch.setattr(dy, operation, lambda *given, **named: (calls.append(1), original(*given, **named))[1])
    counts = []
    for side in randomised_sides(habit):
        calls.clear()
        dy.renew_cg()
        side.loss(ragged_batch())
        counts.append(len(calls))
    assert tuple(counts) == COUNTED[habit, operation]


def test_masks_last_for_a_sequence_or_for_a_step() -> None:
    """Of ones, (50, 40) x 2 after dropout at 0.25: columns are equal, or are not; zeros and 4/3, a quarter zeros."""
    for dropout, equal in ((Dropout(0.25, "variational"), True), (naive.MaskAStep(0.25, "variational"), False)):
        dy.renew_cg()
        dropped = dropout(dy.reshape(dy.ones((50, 80)), (50, 40), 2)).npvalue()
        assert (dropped == dropped[:, :1]).all() == equal
        assert np.unique(dropped.astype(np.float32)) == pytest.approx([0, 4 / 3])
        assert (dropped == 0).mean() == pytest.approx(0.25, abs=0.15 if equal else 0.04)


def test_random_order_has_the_same_sentences_and_more_padding() -> None:
    """And, batch by batch, the same loss in sum."""
    alike, mixed = WAYS["lengths"](SETTINGS)
    assert alike.side is mixed.side and alike.tokens == mixed.tokens == mixed.work.predictions
    sentences = [[s for batch in way.work.batches for s in naive.sentences_of(batch)] for way in (alike, mixed)]
    assert sentences[0] != sentences[1] and sorted(sentences[0]) == sorted(sentences[1])
    assert all(batch.mask.shape[1] == 3 for batch in mixed.work.batches)
    assert mixed.work.positions > 1.1 * alike.work.positions >= 1.1 * alike.tokens
    losses = [sum(map(alike.side.evaluate_batch, way.work.batches)) for way in (alike, mixed)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_sentences_of_a_batch_are_those_it_was_made_of() -> None:
    assert naive.sentences_of(ragged_batch()) == SENTENCES


def record_words(model: Any) -> list[list[int]]:
    """What the model is given to read, step by step, from now on."""
    read, next_words = [], model.next_words

    def recorded(state: Any, words: list[int]) -> tuple[Any, dy.Expression]:
        read.append(words)
        return next_words(state, words)

    model.next_words = recorded
    return read


def test_decoding_finds_the_same_words() -> None:
    course, other = randomised_sides("decoding")
    assert hasattr(course.searched, "advance_best") and not hasattr(other.searched, "advance_best")
    found, totals = [], []
    for side in (course, other):
        found.append(record_words(side.model))
        totals.append(side.decode(ragged_batch()))
    assert found[0] == found[1] and len(found[0]) == TIME
    assert len({tuple(words) for words in found[0]}) > 2, "nothing to compare"
    assert totals[1] == pytest.approx(totals[0], rel=1e-5)


def test_program_prints_a_table_and_writes_its_figures(tmp_path: Path) -> None:
    path = tmp_path / "gains.json"
    result = run_python("-m", "tools.gains", *TINY, "--json", str(path), env={"COURSE_DATA": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    habits = json.loads(path.read_text(encoding="utf-8"))["habits"]
    assert list(habits) == list(HABITS) == list(WAYS)
    for name, figures in habits.items():
        seconds = [figures[kind]["seconds_per_batch"] for kind in ("course", "naive")]
        assert all(len(spread["rounds"]) == 2 and 0 < spread["min"] <= spread["max"] for spread in seconds)
        ratio, (course, other) = figures["ratio"], (np.array(spread["rounds"]) for spread in seconds)
        assert ratio["rounds"] == pytest.approx((other / course).tolist())
        tokens = course * figures["course"]["batches"] * figures["course"]["tokens_per_second"]["rounds"]
        assert tokens == pytest.approx(2 * [round(tokens[0])]) and tokens[0] > 10
        assert figures["naive"]["padding"] >= figures["course"]["padding"]
        assert any(row[:1] == [name] and row[5:6] == [f"{ratio['median']:.2f}"] for row in rows_of(result.stdout))


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_one_habit_in_markdown(tmp_path: Path) -> None:
    flags = [*TINY, "--only", "gates", "--markdown"]
    result = run_python("-m", "tools.gains", *flags, env={"COURSE_DATA": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    titles, rule, row = [line for line in result.stdout.splitlines() if line.startswith("|")]
    assert titles.count("|") == rule.count("|") == row.count("|") == 6
    assert row.startswith("| the products of all gates in one | one a gate |") and " to " in row


@pytest.mark.parametrize(
    "flags",
    [("--only", "tea"), ("--hidden-size", "7"), ("--hidden-size", "0"), ("--vocabulary", "2"), ("--rounds", "x")],
)
def test_bad_flags_get_one_line(flags: tuple[str, ...]) -> None:
    result = run_python("-m", "tools.gains", *flags)
    assert result.returncode == 2 and result.stdout == ""
    assert flags[0] in error_line(result.stderr)
