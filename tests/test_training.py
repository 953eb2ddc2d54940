"""Schedules, optimisers, early stopping: against values computed by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.runtime import epoch_rng
from common.training.loop import EpochRecord, Training
from common.training.schedules import Schedule
from common.training.start_bias import log_frequencies


class TestSchedule:
    def test_published_code_on_the_penn_treebank(self) -> None:
        """Rate 1 up to epoch 12, counted from 0, and from there halved each epoch; constant within an epoch."""
        schedule = Schedule("decay", rate=1.0, epochs=100, decay=0.5, start=12)
        assert [schedule(epoch, []) for epoch in range(13)] == [1.0] * 13
        assert [schedule(epoch, []) for epoch in (13, 14, 15, 20)] == [0.5, 0.25, 0.125, 1 / 256]
        assert schedule(12.99, []) == 1.0 and schedule(13.01, []) == schedule(13.99, []) == 0.5

    def test_cosine(self) -> None:
        schedule = Schedule("cosine", rate=0.4, epochs=6)
        expected = [0.4, 0.3, 0.2, 0.1, 0.0]  # cos of 0, 60, 90, 120 and 180 degrees
        assert [schedule(epochs, []) for epochs in (0, 2, 3, 4, 6)] == pytest.approx(expected, abs=1e-12)
        assert schedule(7, []) == pytest.approx(0, abs=1e-12)

    def test_only_known_schedules(self) -> None:
        with pytest.raises(UserError, match="--schedule linear: choose from cosine, decay, plateau, inverse_root, "):
            Schedule("linear", rate=0.3, epochs=5)


def draws(seed: int, epoch: int) -> tuple[list[int], list[float]]:
    """What is random in an epoch: the order of the sentences, and dropout."""
    order = epoch_rng(seed, epoch).permutation(20).tolist()
    dy.renew_cg()
    return order, dy.dropout(dy.inputVector([1.0] * 40), 0.5).value()


def test_an_epoch_is_random_in_its_own_way() -> None:
    first = draws(1, 3)
    assert draws(1, 3) == first
    for seed, epoch in ((1, 4), (2, 3)):
        order, dropped = draws(seed, epoch)
        assert order != first[0] and dropped != first[1]


def test_log_frequencies() -> None:
    """Three words, the boundary twice, and one more for each of five: 10 in all."""
    result = log_frequencies([[2, 3], [2]], 5)
    assert np.exp(result) == pytest.approx([0.3, 0.1, 0.3, 0.2, 0.1])


@pytest.fixture
def training(tmp_path: Path) -> Training:
    collection = dy.ParameterCollection()
    collection.add_parameters((2, 3), init=0)
    collection.add_lookup_parameters((4, 2))
    return Training.begin(tmp_path, DynetParameters(SimpleNamespace(collection=collection)), "toy", resume=False)


def run_epochs(training: Training, perplexities: list[float], patience: int = 100) -> list[int]:
    """Go through the epochs with these dev perplexities."""
    done = []
    for epoch in training.epochs_left(100, patience):
        if len(done) == len(perplexities):
            break
        training.finish_epoch(EpochRecord(epoch, 9.0, perplexities[len(done)], 0.1, 50, 1.0))
        done.append(epoch)
    return done


class TestEarlyStopping:
    def test_patience_counts_from_the_best_epoch(self, training: Training) -> None:
        assert run_epochs(training, [9, 7, 8, 6, 6, 7, 8, 1], patience=3) == [1, 2, 3, 4, 5, 6, 7]
        assert training.best["epoch"] == 4, "the first among equals"

    def test_knows_whether_it_is_at_the_best(self, training: Training) -> None:
        run_epochs(training, [9, 7])
        assert training.is_at_best
        run_epochs(training, [9, 7, 8])
        assert not training.is_at_best

    def test_a_new_training_does_not_read_an_old_checkpoint(self, training: Training) -> None:
        run_epochs(training, [9])
        assert Training.begin(training.folder, training.parameters, "toy", resume=False).history == []

    def test_tells_when_the_model_has_improved(self, training: Training) -> None:
        records = [EpochRecord(number, 9.0, figure, 0.1, 50, 1.0) for number, figure in enumerate([9, 9, 8, 8.5], 1)]
        assert list(map(training.finish_epoch, records)) == [True, False, True, False]
