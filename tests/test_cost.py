"""What an epoch will cost is said after its first batches, where it is much; and chapter 2's batches in parts."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path

import numpy as np
import pytest

from chapters.loglinear_lm import features, learners, model as chapter2
from common import memory
from common.chapters import chapter_module
from common.text import dividing
from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from common.training import cost, loop
from common.training.loop import Meter
from tests.programs import make_call, write_corpus

SENTENCES = [[2, 3, 4], [5], [4, 4, 2, 3, 2], [3, 2], [6, 2, 6], [2, 2, 2, 3]]


@pytest.mark.parametrize("seconds, announced", [(10.0, True), (0.1, False)])
def test_a_long_epoch_is_announced(
    seconds: float, announced: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """By the predictions of the batches, which are not equally long."""
    batches = make_batches([[2] * 3] * 8 + [[2] * 39] * 92, 4)
    clock = itertools.count(0, seconds)
    monkeypatch.setattr(loop.time, "perf_counter", lambda: next(clock))
    for epoch in (1, 2):
        meter = Meter(epoch, batches)
        for batch in meter:
            meter.add(1.0, batch.predictions)
    lines = [line for line in capsys.readouterr().out.splitlines() if "an epoch" in line]
    assert len(lines) == announced
    if announced:  # 10 seconds for 2 batches of 4 x 4 predictions, 32 x 8 + 40 x 92 - 32 x 8 in all
        minutes = 10 / 32 * (8 * 4 + 92 * 40) / 60
        assert f"about {minutes:,.0f} minutes, judging by its first 2 of 25 batches" in lines[0]


@pytest.mark.parametrize("seconds, announced", [(1.0, True), (0.1, False)])
def test_long_work_before_the_first_epoch_is_announced(
    seconds: float, announced: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    clock = itertools.count(0, seconds)
    monkeypatch.setattr(cost.time, "perf_counter", lambda: next(clock))
    assert list(cost.with_cost(range(300), "the work")) == list(range(300))
    line = "the work takes about 5 minutes, judging by its first 6 of 300 steps\n"  # of a second each, told after five
    assert capsys.readouterr().out == line * announced


def test_chapters_1_and_2_announce_what_they_do_before_they_train(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(cost, "TIMED", 0)
    monkeypatch.setattr(cost, "LONG", 0)
    call = make_call(monkeypatch, "01_ngram_lm")
    flags = ("--corpus", write_corpus(tmp_path / "farm"), "--smoothing", "all", "--order", 2)
    call("train", *flags, "--run-dir", tmp_path / "run")
    printed = capsys.readouterr().out
    assert "the comparison of all smoothings takes about 0 minutes, judging by its first 1 of" in printed
    chapter_module("02_loglinear_lm", "clusters").brown_clusters(SENTENCES, 7, 2)
    printed = capsys.readouterr().out
    assert "the search for classes of words takes about 0 minutes, judging by its first 1 of 5" in printed


@pytest.mark.parametrize("engine", ["numpy", "dynet"])
@pytest.mark.parametrize("optimiser", ["adagrad", "sgd"])
def test_a_step_of_chapter_2_is_that_of_its_parts(engine: str, optimiser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vocab = Vocabulary([f"w{number}" for number in range(2, 8)])
    settings = chapter_module("02_loglinear_lm", "settings").Settings(
        engine=engine, optimiser=optimiser, features="word1,bag"
    )
    (batch,) = make_batches(SENTENCES, 10)
    counts, stepped, sizes = np.zeros(len(vocab), dtype=np.int64), [], []
    take = dividing.take
    monkeypatch.setattr(dividing, "take", lambda whole, columns: (sizes.append(len(columns)), take(whole, columns))[1])
    for split in (False, True):
        learner = learners.LEARNERS[engine]()(settings, features.FeatureSet(settings.features, vocab, counts, {}))
        learner.begin_epoch()
        footprint = getattr(learner.model, "trained_footprint", learner.model.footprint)
        room = footprint.model(True) + 2 * footprint.sentence(len(batch.mask), trained=True)
        memory.set_limit(room / 2**30 if split else 0)
        losses = [learner.step(batch, 0.5) for _ in range(3)]
        stepped.append((losses, learner.arrays()))
    assert sizes == [2] * 9
    (losses, whole), (others, parts) = stepped
    assert others == pytest.approx(losses, rel=1e-5) and losses[2] < losses[0]
    for expected, actual in zip(whole, parts, strict=True):
        np.testing.assert_allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize("engine", ["numpy", "dynet"])
def test_chapter_2_scores_a_few_positions_at_a_time(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vocab = Vocabulary([f"w{number}" for number in range(2, 8)])
    settings = chapter_module("02_loglinear_lm", "settings").Settings(engine=engine)
    model = learners.LEARNERS[engine]()(
        settings, features.FeatureSet("word1,bag", vocab, np.zeros(len(vocab), dtype=np.int64), {})
    ).model
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=np.shape(array)) for array in model.arrays()]
    model.set_arrays(arrays)
    (batch,) = make_batches(SENTENCES, 10)
    whole = model.log_probs(batch)
    seen, distributions = [], chapter2.some_at_once
    module = importlib.import_module(type(model).__module__)
    monkeypatch.setattr(
        module,
        "some_at_once",
        lambda *arguments: (seen.append(len(part[1])) or part for part in distributions(*arguments)),
    )
    monkeypatch.setattr(chapter2, "NUMBERS_AT_ONCE", 50)
    np.testing.assert_allclose(model.log_probs(batch), whole, atol=1e-6)
    assert len(seen) > 2 and sum(seen) >= batch.predictions and (whole < 0).any()
